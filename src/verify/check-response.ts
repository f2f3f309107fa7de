import { isDeepStrictEqual } from "node:util";
import { errorDocuments, type ErrorName } from "../hosts/contract.ts";
import type { Capabilities } from "../hosts/host.ts";
import { parseUrl } from "../text/url.ts";
import { tryParseJson } from "../text/parse-json.ts";
import { quote } from "../text/quote.ts";
import { httpCodes } from "../http/codes.ts";
import type { ContractCase, Expectation } from "./cases.ts";
import type { VerifyResponse, VerifyReply } from "./client.ts";
import { inspectDocument } from "./document.ts";
import { checkAllow, checkCors, checkHead, checkPageType, checkType } from "./headers.ts";
import { broken, type Finding } from "./severity.ts";

export interface Deployment {
  /** Its URL, with a slash at the end. */
  readonly site: URL;
  /** What it must do of the contract. */
  readonly expected: Capabilities;
  /** Whether mirrorfeed made it. Other services only have to follow the specification. */
  readonly own: boolean;
}

type DocumentExpectation = Extract<Expectation, { kind: "document" }>;
type ErrorExpectation = Extract<Expectation, { kind: "error" }>;

/**
 * Returns what is wrong with the answer to a case. `reference` is the same document at its path with a slash at the
 * end.
 */
export function checkResponse(
  one: ContractCase,
  reply: VerifyReply,
  reference: VerifyReply | undefined,
  deployment: Deployment,
): Finding[] {
  const { expect } = one;
  if (expect.kind === "contained" || isPlainFile(one, deployment)) return checkContained(reply);
  if (reply.kind === "none") {
    const rule = isMethod(expect) ? "method" : "answer";
    return [{ rule, expected: "an answer", actual: httpCodes[reply.code] }];
  }
  const findings =
    expect.kind === "document"
      ? checkDocument(one, expect, reply, reference, deployment)
      : checkError(one, expect, reply, deployment);
  const all = [...findings, ...checkCors(reply)];
  return isMethod(expect) ? all.map((finding) => ({ ...finding, rule: "method" })) : all;
}

/** Returns the names that lead to a document: system, project, target, status. */
export function namesOf({ path }: DocumentExpectation): readonly string[] {
  return path.split("/").slice(2, -1);
}

/** Returns the request target of a document that every host answers without a redirect. */
export function referencePath({ path }: DocumentExpectation): string {
  return `/${path.replace(/index\.json$/, "")}`;
}

/** Returns an answer in a few words, safe to print. */
export function describeReply(reply: VerifyReply): string {
  if (reply.kind === "none") return httpCodes[reply.code];
  const { status, headers, body } = reply;
  const location = headers["location"] === undefined ? "" : ` to ${quote(headers["location"])}`;
  return `${status}${location}, ${headers["content-type"] === undefined ? "no type" : quote(headers["content-type"])}, ${excerptOf(body)}`;
}

function checkContained(reply: VerifyReply): Finding[] {
  if (reply.kind === "none" || !/root:x:|\[core\]/.test(reply.body.toString("latin1"))) return [];
  return [broken("outside", "nothing from outside of the site", describeReply(reply))];
}

function checkDocument(
  { method, path }: ContractCase,
  expect: DocumentExpectation,
  answer: VerifyResponse,
  reference: VerifyReply | undefined,
  { site, expected, own }: Deployment,
): Finding[] {
  const asPage = expected.slashless === "page" && isSlashless(path);
  if (isSlashRedirect(path, answer, site)) {
    const came = `${answer.status} to the same path with a slash at its end`;
    return expected.slashless === "redirect" ? [] : [broken("status", "200, without a redirect", came)];
  }
  if (answer.status !== 200) return [broken("status", "200, without a redirect", describeReply(answer))];
  if (!answer.whole) return [endless(answer)];
  const known =
    reference?.kind === "answer" && reference.status === 200 && reference.whole ? reference : undefined;
  const type = asPage ? checkPageType(answer) : checkType(answer);
  if (method === "HEAD") return [...type, ...(known && !asPage ? checkHead(answer, known) : [])];
  const plain = referencePath(expect);
  const shape =
    path === plain || `${path}/` === plain ? inspectDocument(namesOf(expect), answer.body, own).findings : [];
  const checkContent = asPage ? checkSameJson : checkSame;
  return [...type, ...shape, ...(known ? checkContent(answer, known, plain) : [])];
}

function checkError(
  { method }: ContractCase,
  expect: ErrorExpectation,
  answer: VerifyResponse,
  { expected }: Deployment,
): Finding[] {
  const notFound = errorDocuments["not-found"];
  const mayBeNotFound = canBeNotFound(expect.name, expected);
  const { error, code } =
    mayBeNotFound && answer.status === notFound.code ? notFound : errorDocuments[expect.name];
  if (answer.status !== code) {
    const wanted =
      mayBeNotFound && code !== notFound.code ? `${notFound.code} or ${code}` : `${code} ${error}`;
    return [broken("status", wanted, describeReply(answer))];
  }
  if (!answer.whole) return [endless(answer)];
  // Such a host answers other methods before it finds a page.
  if (isMethod(expect) && expected.methodNotAllowed !== "full") return [];
  const text = method === "HEAD" ? [] : checkErrorBody(answer, error, code);
  return [
    ...(code === notFound.code && expected.jsonTypes === "documents" ? [] : checkType(answer)),
    ...text,
    ...(isMethod(expect) ? checkAllow(answer) : []),
  ];
}

function checkErrorBody({ body }: VerifyResponse, error: string, code: number): Finding[] {
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

function checkSame({ body }: VerifyResponse, known: VerifyResponse, path: string): Finding[] {
  if (body.equals(known.body)) return [];
  const shorter = Math.min(body.length, known.body.length);
  let index = 0;
  while (index < shorter && body[index] === known.body[index]) index += 1;
  const from = (bytes: Buffer): string =>
    `${bytes.length} bytes, from byte ${index} on ${quote(bytes.toString("utf8", index, index + 60))}`;
  return [broken("same", `the bytes of ${path}: ${from(known.body)}`, from(body))];
}

/** A page holds the JSON of the document in other bytes, since it escapes what HTML would parse as a tag. */
function checkSameJson({ body }: VerifyResponse, known: VerifyResponse, path: string): Finding[] {
  if (isDeepStrictEqual(tryParseJson(body.toString()), tryParseJson(known.body.toString()))) return [];
  return [broken("same", `the JSON of ${path}: ${excerptOf(known.body)}`, excerptOf(body))];
}

/** Returns whether the host may answer 404 in place of an error of the contract. */
function canBeNotFound(name: ErrorName, { forbidden, badRequest, methodNotAllowed }: Capabilities): boolean {
  if (name === "status") return badRequest === "not-found";
  if (name === "method") return methodNotAllowed !== "full";
  return name === "not-found" || forbidden === "not-found";
}

/** A host without rules serves the file of a document by its own name too. */
function isPlainFile({ path, expect }: ContractCase, { expected }: Deployment): boolean {
  return expected.forbidden === "not-found" && expect.kind === "error" && path.endsWith("/index.json");
}

function isSlashRedirect(path: string, { status, headers }: VerifyResponse, site: URL): boolean {
  if (![301, 302, 307, 308].includes(status) || !isSlashless(path) || headers["location"] === undefined)
    return false;
  const [asked = ""] = path.split("?", 1);
  const target = parseUrl(headers["location"], site.href);
  const wanted = parseUrl(`${site.href.slice(0, -1)}${asked}/`);
  return target?.host === wanted?.host && decode(target?.pathname) === decode(wanted?.pathname);
}

/** Returns whether the path of a request target has no slash at its end. */
function isSlashless(path: string): boolean {
  return !/^[^?]*\/(?:\?|$)/.test(path);
}

/** Returns a path as the server decodes it. */
function decode(path = ""): string {
  return path.replaceAll(/%[0-7][0-9a-f]/gi, (code) => decodeURIComponent(code));
}

function isMethod(expect: Expectation): boolean {
  return expect.kind === "error" && expect.name === "method";
}

function endless({ body }: VerifyResponse): Finding {
  return broken("size", "an answer with an end", `more than is read, beginning with ${excerptOf(body)}`);
}

function parseObject(body: Buffer): Readonly<Record<string, unknown>> | undefined {
  const value = tryParseJson(body.toString());
  return typeof value === "object" && value !== null ? { ...value } : undefined;
}

function excerptOf(body: Buffer): string {
  return quote(body.toString("utf8", 0, 500));
}
