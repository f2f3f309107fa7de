import { contentOf, type TextFile } from "../../core/base/files/site-file.ts";
import { errorDocuments, type ErrorName, jsonText } from "../../core/contract/contract.ts";
import { route } from "../../core/contract/routing.ts";
import { slashlessText } from "../hosts/github-pages.ts";
import type { Capabilities } from "../hosts/host.ts";
import { httpCodes } from "../../core/base/http/codes.ts";
import { quote } from "../../core/base/text/quote.ts";
import { parseUrl } from "../../core/base/text/url.ts";
import type { VerifyCase } from "./cases.ts";
import type { VerifyReply } from "./requests.ts";

/** A request with its expected and actual answer, both safe to print. */
export interface CaseResult {
  readonly method: string;
  readonly path: string;
  readonly rule: string;
  readonly expected: string;
  readonly actual: string;
  readonly ok: boolean;
  /** The host's documented limit that explains a deviation from the contract. */
  readonly note?: string;
}

export interface Deployment {
  /** Ends with a slash. */
  readonly site: URL;
  readonly capabilities: Capabilities;
}

/** The documents that the deployment should have, by their path in the site. */
export type Documents = ReadonlyMap<string, TextFile>;

/** An answer that a host may give. */
interface Wanted {
  readonly status: number;
  /** Undefined if any type is allowed. */
  readonly type: "application/json" | "text/html" | undefined;
  readonly body: string;
  readonly error?: ErrorName;
}

type Request = Omit<VerifyCase, "rule">;

export function checkAnswer(
  { rule, ...request }: VerifyCase,
  reply: VerifyReply,
  documents: Documents,
  deployment: Deployment,
): CaseResult {
  const { method, path } = request;
  const asked = { method, path, rule };
  const actual = describeReply(reply);
  // Hosts refuse hidden files and paths with .. in different ways, so only a leak is a failure.
  if (path.startsWith("/.")) {
    const isLeak = /root:x:|\[core\]/.test(reply.body.toString("latin1"));
    return { ...asked, expected: "nothing from outside the site", actual, ok: reply.status > 0 && !isLeak };
  }
  const wanted = wantedAnswer(method, path, documents);
  const expected = `${wanted.status}, ${wanted.type}, ${quote(wanted.body)}`;
  const found = differences(request, wanted, reply);
  if (found === undefined) return { ...asked, expected, actual, ok: true };
  const note = limitOf(request, wanted, reply, deployment);
  if (note !== undefined) return { ...asked, expected, actual, ok: true, note };
  return { ...asked, expected, actual, ok: false, ...found };
}

export function describeReply({ status, code, headers, body, whole }: VerifyReply): string {
  if (code !== undefined) return httpCodes[code];
  const location = headers["location"] === undefined ? "" : ` to ${quote(headers["location"])}`;
  const type = headers["content-type"] === undefined ? "no Content-Type" : quote(headers["content-type"]);
  return `${status}${location}, ${type}, ${whole ? "" : "incomplete: "}${quote(body.toString("utf8", 0, 500))}`;
}

/** Returns the contract's answer. */
function wantedAnswer(method: string, path: string, documents: Documents): Wanted {
  const found = route(method, path, (file) => documents.has(file));
  const file = found.kind === "file" ? documents.get(found.path) : undefined;
  if (file !== undefined) return { status: 200, type: "application/json", body: contentOf(file) };
  return errorAnswer(found.kind === "error" ? found.name : "not-found");
}

function errorAnswer(error: ErrorName): Wanted {
  const document = errorDocuments[error];
  return { status: document.code, type: "application/json", body: jsonText(document), error };
}

/** Returns the host's documented limit that allows this deviation from the contract, if any. */
function limitOf(
  request: Request,
  { body, error }: Wanted,
  reply: VerifyReply,
  { site, capabilities }: Deployment,
): string | undefined {
  const { forbidden, badRequest, jsonTypes, slashless } = capabilities;
  const isAllowed = (other: Wanted): boolean => differences(request, other, reply) === undefined;
  // Netlify and GitHub Pages answer methods other than GET and HEAD before a site's own rules apply.
  if (error === "method") return reply.status >= 400 ? "Not every host can answer 405." : undefined;
  if (error !== undefined) {
    const type = jsonTypes === "documents" ? undefined : "application/json";
    const isLimited = (error === "status" ? badRequest : forbidden) !== "full";
    return isLimited && isAllowed({ ...errorAnswer("not-found"), type })
      ? "The host can answer errors only with 404."
      : undefined;
  }
  if (/\/(?:\?|$)/.test(request.path)) return undefined;
  if (slashless === "redirect" && isReadable(reply) && isSlashRedirect(request.path, reply, site))
    return "The host redirects to the URL with a trailing slash.";
  return slashless === "page" && isAllowed({ status: 200, type: "text/html", body: slashlessText(body) })
    ? "The host serves this document as an HTML page."
    : undefined;
}

/** Returns the parts of a reply that differ from an answer, or undefined if none does. */
function differences(
  { method, headers: asked }: Request,
  { status, type, body, error }: Wanted,
  reply: VerifyReply,
): Partial<CaseResult> | undefined {
  const { headers } = reply;
  if (reply.status === 304 && asked !== undefined) return undefined;
  if (reply.status !== status || !reply.whole) return {};
  const { "content-type": actualType = "", "content-encoding": encoding = "", allow = "" } = headers;
  const expected = Buffer.from(body);
  const length = String(expected.length);
  // A server may omit the length. For an error, the length may be that of the host's own page.
  const isSameLength =
    method !== "HEAD" || error !== undefined || (headers["content-length"] ?? length) === length;
  const rows: readonly (readonly [ok: boolean, header: string, expected: string | undefined])[] = [
    [["", "identity"].includes(encoding), "Content-Encoding", "none"],
    [[undefined, actualType.split(";", 1)[0]?.trim().toLowerCase()].includes(type), "Content-Type", type],
    [isReadable(reply), "Access-Control-Allow-Origin", "*"],
    [error !== "method" || /\bGET\b/.test(allow), "Allow", "GET, HEAD"],
    [isSameLength, "Content-Length", length],
  ];
  const parts = rows.flatMap(([ok, header, text]) => {
    const actual = headers[header.toLowerCase()];
    return ok ? [] : [[`${header}: ${text}`, actual === undefined ? "none" : quote(actual)]];
  });
  if (method !== "HEAD" && !reply.body.equals(expected)) parts.push(bodyDifference(expected, reply.body));
  if (parts.length === 0) return undefined;
  return {
    expected: parts.map(([text]) => text).join("; "),
    actual: parts.map(([, text]) => text).join("; "),
  };
}

/** Shows both bodies from the first byte that differs. */
function bodyDifference(expected: Buffer, actual: Buffer): [expected: string, actual: string] {
  let index = 0;
  while (index < actual.length && actual[index] === expected[index]) index += 1;
  const from = (bytes: Buffer): string =>
    `${bytes.length} bytes, from byte ${index}: ${quote(bytes.toString("utf8", index, index + 60))}`;
  return [from(expected), from(actual)];
}

export function isOk({ status, whole }: VerifyReply): boolean {
  return status === 200 && whole;
}

/** Whether scripts of other origins can read the answer. */
export function isReadable({ headers }: VerifyReply): boolean {
  return headers["access-control-allow-origin"] === "*";
}

function isSlashRedirect(path: string, { status, headers }: VerifyReply, site: URL): boolean {
  const asked = `${site.href.slice(0, -1)}${path}`;
  const target = parseUrl(headers["location"] ?? "", asked);
  const isSame = target?.host === site.host && target.pathname === parseUrl(`${asked}/`)?.pathname;
  return isSame && [301, 302, 307, 308].includes(status);
}
