import { errorDocuments, type ErrorName, jsonText } from "../../core/contract/contract.ts";
import { route } from "../../core/contract/routing.ts";
import { slashlessText } from "../hosts/github-pages.ts";
import type { Capabilities } from "../hosts/host.ts";
import { httpCodes } from "../../core/base/http/codes.ts";
import { quote } from "../../core/base/text/quote.ts";
import { parseUrl } from "../../core/base/text/url.ts";
import type { VerifyCase } from "./cases.ts";
import type { Parsed } from "./feed-documents.ts";
import type { VerifyReply, VerifyResponse } from "./requests.ts";

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

/** The text that each document should have, or why that text is unknown. The keys are paths in the site. */
export type Texts = ReadonlyMap<string, () => Parsed<string>>;

/** The correct answer to a case. */
interface Wanted {
  readonly status: number;
  readonly type: "application/json" | "text/html" | "any type";
  readonly body: Parsed<string>;
  readonly error?: ErrorName;
}

type Finding = Pick<CaseResult, "expected" | "actual">;

export function checkAnswer(
  { rule, ...request }: VerifyCase,
  reply: VerifyReply,
  texts: Texts,
  deployment: Deployment,
): CaseResult {
  const { method, path } = request;
  const asked = { method, path, rule };
  const actual = describeReply(reply);
  // Hosts refuse hidden files and paths with .. in different ways, so only a leak is a failure.
  if (path.startsWith("/.")) {
    const isLeak = reply.kind === "answer" && /root:x:|\[core\]/.test(reply.body.toString("latin1"));
    return { ...asked, expected: "nothing from outside the site", actual, ok: !isLeak };
  }
  const wanted = wantedAnswer(method, path, texts);
  const findings = differences(request, wanted, reply);
  if (findings.length === 0) return { ...asked, expected: describe(wanted), actual, ok: true };
  const note = limitOf(request, wanted, reply, deployment);
  return {
    ...asked,
    expected: findings.map(({ expected }) => expected).join("; "),
    actual: findings.map(({ actual }) => actual).join("; "),
    ok: note !== undefined,
    ...(note !== undefined && { note }),
  };
}

export function describeReply(reply: VerifyReply): string {
  if (reply.kind === "none") return httpCodes[reply.code];
  const { status, headers, body, whole } = reply;
  const location = headers["location"] === undefined ? "" : ` to ${quote(headers["location"])}`;
  const type = headers["content-type"] === undefined ? "no Content-Type" : quote(headers["content-type"]);
  return `${status}${location}, ${type}, ${whole ? "" : "incomplete: "}${quote(body.toString("utf8", 0, 500))}`;
}

function wantedAnswer(method: string, path: string, texts: Texts): Wanted {
  const found = route(method, path, (file) => texts.has(file));
  if (found.kind === "error") return errorAnswer(found.name);
  const text = found.kind === "file" ? texts.get(found.path)?.() : undefined;
  return { status: 200, type: "application/json", body: text ?? { problem: "no document" } };
}

function errorAnswer(error: ErrorName): Wanted {
  const document = errorDocuments[error];
  return { status: document.code, type: "application/json", body: { value: jsonText(document) }, error };
}

type Request = Omit<VerifyCase, "rule">;

/** Returns the host's documented limit that allows this deviation from the contract, if any. */
function limitOf(
  request: Request,
  { body, error }: Wanted,
  reply: VerifyReply,
  { site, capabilities }: Deployment,
): string | undefined {
  if (reply.kind === "none") return undefined;
  const { forbidden, badRequest, jsonTypes, slashless } = capabilities;
  const { path } = request;
  if (error === undefined) {
    if (slashless === "redirect" && isSlashRedirect(path, reply, site) && isReadable(reply))
      return "The host redirects to the URL with a trailing slash.";
    if (slashless !== "page" || !isSlashless(path) || "problem" in body) return undefined;
    const page: Wanted = { status: 200, type: "text/html", body: { value: slashlessText(body.value) } };
    return differences(request, page, reply).length === 0
      ? "The host serves this document as an HTML page."
      : undefined;
  }
  // Netlify and GitHub Pages answer methods other than GET and HEAD before a site's own rules apply.
  if (error === "method") return reply.status >= 400 ? "Not every host can answer 405." : undefined;
  const limit = error === "status" ? badRequest : forbidden;
  if (limit === "full") return undefined;
  const type = jsonTypes === "documents" ? "any type" : "application/json";
  const notFound: Wanted = { ...errorAnswer("not-found"), type };
  return differences(request, notFound, reply).length === 0
    ? "The host can answer errors only with 404."
    : undefined;
}

function differences({ method, headers: asked }: Request, wanted: Wanted, reply: VerifyReply): Finding[] {
  if (reply.kind === "none") return [{ expected: "an answer", actual: httpCodes[reply.code] }];
  const { status, headers, whole } = reply;
  if (status === 304 && asked !== undefined) return [];
  if (status !== wanted.status || !whole)
    return [{ expected: describe(wanted), actual: describeReply(reply) }];
  const finding = (expected: string, header: string): Finding => {
    const actual = headers[header.toLowerCase()];
    return { expected: `${header}: ${expected}`, actual: actual === undefined ? "none" : quote(actual) };
  };
  const type = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
  const allowed = headers["allow"]?.split(",").map((one) => one.trim());
  const isEncoded = !["", "identity"].includes(headers["content-encoding"] ?? "");
  return [
    ...(isEncoded ? [finding("none", "Content-Encoding")] : []),
    ...(wanted.type === "any type" || type === wanted.type ? [] : [finding(wanted.type, "Content-Type")]),
    ...(isReadable(reply) ? [] : [finding("*", "Access-Control-Allow-Origin")]),
    ...(wanted.error !== "method" || allowed?.includes("GET") ? [] : [finding("GET, HEAD", "Allow")]),
    ...bodyDifferences(method, wanted, reply),
  ];
}

function bodyDifferences(method: string, wanted: Wanted, { headers, body }: VerifyResponse): Finding[] {
  if ("problem" in wanted.body)
    return [{ expected: "a document that follows the contract", actual: wanted.body.problem }];
  const expected = Buffer.from(wanted.body.value);
  if (method === "HEAD") {
    // A server may omit the length. For an error, the length may be that of the host's own page.
    const length = headers["content-length"];
    const isOpen = wanted.error !== undefined || length === undefined || length === String(expected.length);
    return isOpen ? [] : [{ expected: `Content-Length: ${expected.length}`, actual: quote(length) }];
  }
  if (body.equals(expected)) return [];
  let index = 0;
  while (index < body.length && body[index] === expected[index]) index += 1;
  const from = (bytes: Buffer): string =>
    `${bytes.length} bytes, from byte ${index}: ${quote(bytes.toString("utf8", index, index + 60))}`;
  return [{ expected: from(expected), actual: from(body) }];
}

function describe({ status, type, body }: Wanted): string {
  return `${status}, ${type}, ${"problem" in body ? "a document that follows the contract" : quote(body.value)}`;
}

/** Whether scripts of other origins can read the answer. */
export function isReadable({ headers }: VerifyResponse): boolean {
  return headers["access-control-allow-origin"] === "*";
}

function isSlashRedirect(path: string, { status, headers }: VerifyResponse, site: URL): boolean {
  if (![301, 302, 307, 308].includes(status) || !isSlashless(path)) return false;
  const asked = `${site.href.slice(0, -1)}${path}`;
  const target = parseUrl(headers["location"] ?? "", asked);
  return target?.host === site.host && target.pathname === parseUrl(`${asked}/`)?.pathname;
}

function isSlashless(path: string): boolean {
  return !/\/(?:\?|$)/.test(path);
}
