import { errorDocuments } from "../../contract.ts";
import { parseUrl } from "../../config/url.ts";
import { jsonValue } from "../../json-value.ts";
import { quote } from "../../quote.ts";
import { codeSentences } from "../../sentences.ts";
import type { ContractCase, Expectation } from "./cases.ts";
import type { Answer, Reply } from "./client.ts";
import { inspectDocument } from "./document.ts";
import { judgeAllow, judgeCors, judgeHead, judgeType } from "./headers.ts";
import { broken, type Finding } from "./severity.ts";

/** What a deployment is asked to be: all of the contract, or what GitHub Pages can do of it. */
export type Profile = "full" | "pages";

export interface Deployment {
  /** Its url, with a slash at the end. */
  readonly site: URL;
  readonly profile: Profile;
  /** Whether mirrorfeed made it; other services are held to the specification alone. */
  readonly own: boolean;
}

type DocumentExpectation = Extract<Expectation, { kind: "document" }>;
type ErrorExpectation = Extract<Expectation, { kind: "error" }>;

/** What is wrong with the answer to a case. `reference` is the same document at its path with a slash at the end. */
export function judgeAnswer(
  one: ContractCase,
  reply: Reply,
  reference: Reply | undefined,
  deployment: Deployment,
): Finding[] {
  const { expect } = one;
  if (expect.kind === "contained" || isPlainFile(one, deployment)) return judgeContained(reply);
  if (reply.kind === "none") {
    const rule = isMethod(expect) ? "method" : "answer";
    return [{ rule, expected: "an answer", came: codeSentences[reply.code] }];
  }
  const findings =
    expect.kind === "document"
      ? judgeDocument(one, expect, reply, reference, deployment)
      : judgeError(one, expect, reply, deployment);
  const all = [...findings, ...judgeCors(reply)];
  return isMethod(expect) ? all.map((finding) => ({ ...finding, rule: "method" })) : all;
}

/** The names that lead to a document: system, project, target, status. */
export function namesOf({ path }: DocumentExpectation): readonly string[] {
  return path.split("/").slice(2, -1);
}

/** The request target of a document that every host answers without a redirect. */
export function referencePath({ path }: DocumentExpectation): string {
  return `/${path.replace(/index\.json$/, "")}`;
}

/** An answer in a few words, safe to print. */
export function describeReply(reply: Reply): string {
  if (reply.kind === "none") return codeSentences[reply.code];
  const { status, headers, body } = reply;
  const location = headers.location === undefined ? "" : ` to ${quote(headers.location)}`;
  return `${status}${location}, ${headers["content-type"] === undefined ? "no type" : quote(headers["content-type"])}, ${excerptOf(body)}`;
}

function judgeContained(reply: Reply): Finding[] {
  if (reply.kind === "none" || !/root:x:|\[core\]/.test(reply.body.toString("latin1"))) return [];
  return [broken("outside", "nothing from outside of the site", describeReply(reply))];
}

function judgeDocument(
  { method, path }: ContractCase,
  expect: DocumentExpectation,
  answer: Answer,
  reference: Reply | undefined,
  { site, profile, own }: Deployment,
): Finding[] {
  if (isSlashRedirect(path, answer, site)) {
    const came = `${answer.status} to the same path with a slash at its end`;
    return profile === "pages" ? [] : [broken("status", "200, without a redirect", came)];
  }
  if (answer.status !== 200) return [broken("status", "200, without a redirect", describeReply(answer))];
  if (!answer.whole) return [endless(answer)];
  const known =
    reference?.kind === "answer" && reference.status === 200 && reference.whole ? reference : undefined;
  if (method === "HEAD") return [...judgeType(answer), ...(known ? judgeHead(answer, known) : [])];
  const plain = referencePath(expect);
  const shape =
    path === plain || `${path}/` === plain ? inspectDocument(namesOf(expect), answer.body, own).findings : [];
  return [...judgeType(answer), ...shape, ...(known ? judgeSame(answer, known, plain) : [])];
}

function judgeError(
  { method }: ContractCase,
  expect: ErrorExpectation,
  answer: Answer,
  { profile }: Deployment,
): Finding[] {
  const notFound = errorDocuments["not-found"];
  const asPages = profile === "pages" && answer.status === notFound.code;
  const { error, code } = asPages ? notFound : errorDocuments[expect.name];
  if (answer.status !== code) {
    const expected =
      profile === "pages" && code !== notFound.code ? `${notFound.code} or ${code}` : `${code} ${error}`;
    return [broken("status", expected, describeReply(answer))];
  }
  if (!answer.whole) return [endless(answer)];
  // GitHub Pages answers other methods before it looks for a page.
  if (profile === "pages" && isMethod(expect)) return [];
  const text = method === "HEAD" ? [] : judgeErrorBody(answer, error, code);
  return [...(asPages ? [] : judgeType(answer)), ...text, ...(isMethod(expect) ? judgeAllow(answer) : [])];
}

function judgeErrorBody({ body }: Answer, error: string, code: number): Finding[] {
  const document = parseObject(body);
  if (document === undefined)
    return [broken("json", `a JSON object with error ${quote(error)}`, excerptOf(body))];
  // The one known client reads `error`, else `message`; the specification names neither.
  const text = document["error"] ?? document["message"];
  const own = document["code"];
  return [
    ...(text === error ? [] : [broken("error", `error ${quote(error)}`, excerptOf(body))]),
    ...(own === undefined || own === code ? [] : [broken("code", `code ${code}, or none`, excerptOf(body))]),
  ];
}

function judgeSame({ body }: Answer, known: Answer, path: string): Finding[] {
  if (body.equals(known.body)) return [];
  const shorter = Math.min(body.length, known.body.length);
  let place = 0;
  while (place < shorter && body[place] === known.body[place]) place += 1;
  const from = (bytes: Buffer): string =>
    `${bytes.length} bytes, from byte ${place} on ${quote(bytes.toString("utf8", place, place + 60))}`;
  return [broken("same", `the bytes of ${path}: ${from(known.body)}`, from(body))];
}

/** GitHub Pages serves the file of a document by its own name too. */
function isPlainFile({ path, expect }: ContractCase, { profile }: Deployment): boolean {
  return profile === "pages" && expect.kind === "error" && path.endsWith("/index.json");
}

function isSlashRedirect(path: string, { status, headers }: Answer, site: URL): boolean {
  const [asked = ""] = path.split("?", 1);
  if (![301, 302, 307, 308].includes(status) || asked.endsWith("/") || headers.location === undefined)
    return false;
  const target = parseUrl(headers.location, site.href);
  const wanted = parseUrl(`${site.href.slice(0, -1)}${asked}/`);
  return target?.host === wanted?.host && decode(target?.pathname) === decode(wanted?.pathname);
}

/** A path as the server reads it. */
function decode(path = ""): string {
  return path.replaceAll(/%[0-7][0-9a-f]/gi, (code) => decodeURIComponent(code));
}

function isMethod(expect: Expectation): boolean {
  return expect.kind === "error" && expect.name === "method";
}

function endless({ body }: Answer): Finding {
  return broken("size", "an answer with an end", `more than is read, beginning with ${excerptOf(body)}`);
}

function parseObject(body: Buffer): Readonly<Record<string, unknown>> | undefined {
  const value = jsonValue(body.toString());
  return typeof value === "object" && value !== null ? { ...value } : undefined;
}

function excerptOf(body: Buffer): string {
  return quote(body.toString("utf8", 0, 500));
}
