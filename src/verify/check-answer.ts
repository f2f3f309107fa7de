import { errorDocuments, type ErrorName, jsonText } from "../contract/contract.ts";
import { slashlessText } from "../hosts/github-pages.ts";
import type { Capabilities } from "../hosts/host.ts";
import { httpCodes } from "../base/http/codes.ts";
import { quote } from "../base/text/quote.ts";
import { parseUrl } from "../base/text/url.ts";
import type { VerifyCase } from "./cases.ts";
import type { VerifyReply, VerifyResponse } from "./client.ts";
import type { Parsed } from "./feed-documents.ts";

/** A request with the expected and the actual answer, both safe to print. */
export interface CaseResult {
  readonly method: string;
  readonly path: string;
  readonly rule: string;
  readonly expected: string;
  readonly actual: string;
  readonly ok: boolean;
  /** The documented limit of the host that explains a different answer. */
  readonly note?: string;
}

/** The deployment under test. */
export interface Deployment {
  /** Its URL, with a slash at the end. */
  readonly site: URL;
  readonly capabilities: Capabilities;
}

/** A right answer to a case. */
interface Wanted {
  readonly status: number;
  readonly type: "application/json" | "text/html" | "any type";
  readonly body: Parsed<string>;
}

type Finding = Pick<CaseResult, "expected" | "actual">;

/** Checks the answer to a case. `body` is the document that it expects, or why that is unknown. */
export function checkAnswer(
  one: VerifyCase,
  reply: VerifyReply,
  body: Parsed<string>,
  deployment: Deployment,
): CaseResult {
  const { method, path, rule, expect } = one;
  const actual = describeReply(reply);
  if (expect === "inside") {
    const isLeak = reply.kind === "answer" && /root:x:|\[core\]/.test(reply.body.toString("latin1"));
    return { method, path, rule, expected: "nothing from outside the site", actual, ok: !isLeak };
  }
  const wanted = typeof expect === "object" ? documentAnswer(body) : errorAnswer(expect);
  const findings = differences(one, wanted, reply);
  if (findings.length === 0) return { method, path, rule, expected: describe(wanted), actual, ok: true };
  const note = limitOf(one, wanted, reply, deployment);
  return {
    method,
    path,
    rule,
    expected: findings.map(({ expected }) => expected).join("; "),
    actual: findings.map(({ actual }) => actual).join("; "),
    ok: note !== undefined,
    ...(note === undefined ? {} : { note }),
  };
}

/** Returns an answer in a few words, safe to print. */
export function describeReply(reply: VerifyReply): string {
  if (reply.kind === "none") return httpCodes[reply.code];
  const { status, headers, body, whole } = reply;
  const location = headers["location"] === undefined ? "" : ` to ${quote(headers["location"])}`;
  const type = headers["content-type"] === undefined ? "no type" : quote(headers["content-type"]);
  return `${status}${location}, ${type}, ${whole ? "" : "more than is read: "}${excerptOf(body)}`;
}

function documentAnswer(body: Parsed<string>): Wanted {
  return { status: 200, type: "application/json", body };
}

function errorAnswer(name: ErrorName): Wanted {
  const document = errorDocuments[name];
  return { status: document.code, type: "application/json", body: { value: jsonText(document) } };
}

/** Returns the documented limit of the host that allows an answer other than that of the contract. */
function limitOf(
  one: VerifyCase,
  { body }: Wanted,
  reply: VerifyReply,
  { site, capabilities }: Deployment,
): string | undefined {
  if (reply.kind === "none") return undefined;
  const { forbidden, badRequest, jsonTypes, slashless } = capabilities;
  if (typeof one.expect === "object") {
    if (slashless === "redirect" && isSlashRedirect(one.path, reply, site) && isReadable(reply))
      return "The host redirects to the slash.";
    if (slashless !== "page" || !isSlashless(one.path) || "problem" in body) return undefined;
    const page: Wanted = { status: 200, type: "text/html", body: { value: slashlessText(body.value) } };
    return differences(one, page, reply).length === 0 ? "The host sends this document as a page." : undefined;
  }
  // Netlify and GitHub Pages answer other methods before any rule.
  if (one.expect === "method") return reply.status >= 400 ? "Not every host can answer 405." : undefined;
  const limit = one.expect === "status" ? badRequest : forbidden;
  if (limit === "full") return undefined;
  const type = jsonTypes === "documents" ? "any type" : "application/json";
  const notFound = { ...errorAnswer("not-found"), type } as const;
  return differences(one, notFound, reply).length === 0 ? "The host answers errors with 404." : undefined;
}

function differences(one: VerifyCase, wanted: Wanted, reply: VerifyReply): Finding[] {
  if (reply.kind === "none") return [{ expected: "an answer", actual: httpCodes[reply.code] }];
  if (reply.status === 304 && one.headers !== undefined) return [];
  if (reply.status !== wanted.status || !reply.whole)
    return [{ expected: describe(wanted), actual: describeReply(reply) }];
  const type = reply.headers["content-type"];
  const isType = wanted.type === "any type" || type?.split(";", 1)[0]?.trim().toLowerCase() === wanted.type;
  const allowed = reply.headers["allow"]?.split(",").map((method) => method.trim());
  const isAllowed = one.expect !== "method" || allowed?.includes("GET") === true;
  return [
    ...(isType ? [] : [{ expected: `Content-Type: ${wanted.type}`, actual: shown(type) }]),
    ...(isReadable(reply)
      ? []
      : [{ expected: "Access-Control-Allow-Origin: *", actual: shown(reply.headers[cors]) }]),
    ...(isAllowed ? [] : [{ expected: "Allow: GET, HEAD", actual: shown(reply.headers["allow"]) }]),
    ...bodyDifferences(one, wanted.body, reply),
  ];
}

function bodyDifferences(
  { method, expect }: VerifyCase,
  wanted: Parsed<string>,
  { headers, body }: VerifyResponse,
): Finding[] {
  if ("problem" in wanted) return [{ expected: "a document of the contract", actual: wanted.problem }];
  const expected = Buffer.from(wanted.value);
  if (method === "HEAD") {
    // A server may leave the length out. An error's may be that of the host's own body.
    const length = headers["content-length"];
    if (typeof expect === "string" || length === undefined || length === String(expected.length)) return [];
    return [{ expected: `Content-Length: ${expected.length}`, actual: quote(length) }];
  }
  if (body.equals(expected)) return [];
  const shorter = Math.min(body.length, expected.length);
  let index = 0;
  while (index < shorter && body[index] === expected[index]) index += 1;
  const from = (bytes: Buffer): string =>
    `${bytes.length} bytes, from byte ${index} on ${quote(bytes.toString("utf8", index, index + 60))}`;
  return [{ expected: from(expected), actual: from(body) }];
}

function describe({ status, type, body }: Wanted): string {
  return `${status}, ${type}, ${"problem" in body ? "a document of the contract" : quote(body.value)}`;
}

const cors = "access-control-allow-origin";

/** Returns whether scripts of other origins may read an answer. */
function isReadable({ headers }: VerifyResponse): boolean {
  return headers[cors] === "*";
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

function shown(value: string | undefined): string {
  return value === undefined ? "none" : quote(value);
}

function excerptOf(body: Buffer): string {
  return quote(body.toString("utf8", 0, 500));
}
