import { contentOf, type TextFile } from "../../core/base/files/site-file.ts";
import { httpCodes } from "../../core/base/http/codes.ts";
import { quote } from "../../core/base/text/quote.ts";
import { errorDocuments, type ErrorName, jsonText } from "../../core/contract/contract.ts";
import { route } from "../../core/contract/routing.ts";
import { slashlessText } from "../hosts/github-pages.ts";
import type { Capabilities } from "../hosts/host.ts";
import type { VerifyCase } from "./cases.ts";
import { headerOf, isReadable, redirectOf, type VerifyReply } from "./requests.ts";

/** A request with its expected and actual answer, both safe to print. */
export interface CaseResult extends VerifyCase {
  readonly expected: string;
  readonly actual: string;
  readonly ok: boolean;
  /** The host's documented limit that explains a deviation from the contract. */
  readonly note?: string | undefined;
}

/** The documents that the deployment should have, by their path in the site. */
export type Documents = ReadonlyMap<string, TextFile>;

/** An answer that a host may give. */
interface Wanted {
  readonly status: number;
  /** Undefined if any type is allowed. */
  readonly type: string | undefined;
  readonly body: string;
  readonly error?: ErrorName;
}

export function checkAnswer(
  asked: VerifyCase,
  reply: VerifyReply,
  documents: Documents,
  capabilities: Capabilities,
): CaseResult {
  const actual = describeReply(reply);
  // Hosts refuse hidden files and paths with .. in different ways, so only a leak is a failure.
  if (asked.path.startsWith("/.")) {
    const isLeak = /root:x:|\[core\]/.test(reply.body.toString("latin1"));
    return { ...asked, expected: "nothing from outside the site", actual, ok: reply.status > 0 && !isLeak };
  }
  const wanted = wantedAnswer(asked, documents);
  const expected = `${wanted.status}, ${wanted.type}, ${quote(wanted.body)}`;
  const found = differences(asked, wanted, reply);
  if (found === undefined) return { ...asked, expected, actual, ok: true };
  const note = limitOf(asked, wanted, reply, capabilities);
  return { ...asked, expected, actual: found.join("; ") || actual, ok: note !== undefined, note };
}

export function describeReply(reply: VerifyReply): string {
  const { status, code, body, complete } = reply;
  if (code !== undefined) return httpCodes[code];
  const [location, type] = [headerOf(reply, "Location"), headerOf(reply, "Content-Type")];
  const target = location === "" ? "" : ` to ${quote(location)}`;
  const excerpt = `${complete ? "" : "incomplete: "}${quote(body.toString("utf8", 0, 500))}`;
  return `${status}${target}, ${type === "" ? "no Content-Type" : quote(type)}, ${excerpt}`;
}

/** Returns the contract's answer. */
function wantedAnswer({ method, path }: VerifyCase, documents: Documents): Wanted {
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
  asked: VerifyCase,
  { body, error }: Wanted,
  reply: VerifyReply,
  { errors, jsonTypes, slashless }: Capabilities,
): string | undefined {
  const isAllowed = (other: Wanted): boolean => differences(asked, other, reply) === undefined;
  // Netlify and GitHub Pages answer methods other than GET and HEAD before a site's own rules apply.
  if (error === "method") return reply.status >= 400 ? "Not every host can answer 405." : undefined;
  if (error !== undefined) {
    const type = jsonTypes === "documents" ? undefined : "application/json";
    return errors === "not-found" && isAllowed({ ...errorAnswer("not-found"), type })
      ? "The host can answer errors only with 404."
      : undefined;
  }
  if (/\/(?:\?|$)/.test(asked.path)) return undefined;
  if (slashless === "redirect" && isReadable(reply) && isSlashRedirect(reply))
    return "The host redirects to the URL with a trailing slash.";
  return slashless === "page" && isAllowed({ status: 200, type: "text/html", body: slashlessText(body) })
    ? "The host serves this document as an HTML page."
    : undefined;
}

/** Returns how a reply differs from an answer (an empty list if it is another answer), or undefined if it does not. */
function differences(
  { method, headers }: VerifyCase,
  { status, type, body, error }: Wanted,
  reply: VerifyReply,
): string[] | undefined {
  if (reply.status === 304 && headers !== undefined) return undefined;
  if (reply.status !== status || !reply.complete) return [];
  const expected = Buffer.from(body);
  const length = String(expected.length);
  const [actualType = ""] = headerOf(reply, "Content-Type").split(";", 1);
  // A server may omit the length. For an error, the length may be that of the host's own page.
  const isSameLength = error !== undefined || ["", length].includes(headerOf(reply, "Content-Length"));
  const rows: readonly (readonly [ok: boolean, header: string, expected: string | undefined])[] = [
    [["", "identity"].includes(headerOf(reply, "Content-Encoding")), "Content-Encoding", "identity"],
    [type === undefined || actualType.trim().toLowerCase() === type, "Content-Type", type],
    [isReadable(reply), "Access-Control-Allow-Origin", "*"],
    [error !== "method" || /\bGET\b/.test(headerOf(reply, "Allow")), "Allow", "GET, HEAD"],
    [method !== "HEAD" || isSameLength, "Content-Length", length],
  ];
  const found = rows.flatMap(([ok, header, wanted]) =>
    ok ? [] : [`${header} is ${quote(headerOf(reply, header))}, not ${wanted}`],
  );
  if (method !== "HEAD" && !reply.body.equals(expected)) found.push(bodyDifference(expected, reply.body));
  return found.length > 0 ? found : undefined;
}

/** Shows both bodies from the first byte that differs. */
function bodyDifference(expected: Buffer, actual: Buffer): string {
  let index = 0;
  while (index < actual.length && actual[index] === expected[index]) index += 1;
  const from = (bytes: Buffer): string => quote(bytes.toString("utf8", index, index + 60));
  return `from byte ${index}, ${from(actual)}, not ${from(expected)}`;
}

function isSlashRedirect(reply: VerifyReply): boolean {
  const { host, pathname } = reply.url;
  const target = redirectOf(reply);
  return target?.host === host && target.pathname === `${pathname}/`;
}
