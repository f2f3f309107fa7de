import type { ContractCase } from "./cases.ts";

export type Outcome = "passed" | "failed" | "warned";

type Severity = Exclude<Outcome, "passed">;

/**
 * The outcome of a broken rule: on a deployment of mirrorfeed, which promises the whole contract; on another service if
 * the specification covers the request; and on another service if the specification leaves it open. Good practice alone
 * never causes more than a warning.
 */
const severities = {
  /** The server answers in time. */
  answer: ["failed", "failed", "warned"],
  /** Every answer ends. */
  size: ["failed", "failed", "warned"],
  /** The HTTP status, without a redirect. */
  status: ["failed", "failed", "warned"],
  /** `application/json`, on errors too. */
  type: ["failed", "failed", "warned"],
  /** `Access-Control-Allow-Origin: *` on every answer. */
  cors: ["failed", "warned", "warned"],
  /** The body is JSON. */
  json: ["failed", "failed", "warned"],
  /** An error has the text of the specification. */
  error: ["failed", "failed", "warned"],
  /** The `code` of an error is the HTTP status. */
  code: ["failed", "warned", "warned"],
  /** A document has none of the fields of an error, or clients would throw. */
  errorless: ["failed", "failed", "warned"],
  /** The fields of the specification, with values of their types. */
  shape: ["failed", "failed", "warned"],
  /** A node has a URL of a scheme that every client knows. */
  scheme: ["warned", "warned", "warned"],
  /** Exactly these fields, in their order. */
  fields: ["failed", "warned", "warned"],
  /** A filtered document holds only nodes of its status. */
  filter: ["failed", "failed", "warned"],
  /** The same bytes as the same document elsewhere. */
  same: ["failed", "warned", "warned"],
  /** HEAD has the headers of GET. */
  head: ["failed", "warned", "warned"],
  /** The documents agree with each other. */
  consistency: ["failed", "failed", "warned"],
  /** An id belongs to one node. */
  ids: ["failed", "warned", "warned"],
  /** A conditional request is answered with 304 or 200. */
  conditional: ["failed", "warned", "warned"],
  /** Nothing from outside the site is shown. */
  outside: ["failed", "failed", "failed"],
  /** A page, what it loads and what it links to exist, each with its type. */
  page: ["failed", "warned", "warned"],
  /** 405 with `Allow` and the error's document for other methods, if the host can send it. */
  method: ["warned", "warned", "warned"],
  /** A document can be cached or revalidated. */
  caching: ["warned", "warned", "warned"],
} as const satisfies Readonly<Record<string, readonly [own: Severity, specified: Severity, open: Severity]>>;

export type Rule = keyof typeof severities;

/** A broken rule: what it expects and what was received, safe to print. */
export interface Finding {
  readonly rule: Rule;
  readonly expected: string;
  readonly actual: string;
}

/** Returns a finding. */
export function broken(rule: Rule, expected: string, actual: string): Finding {
  return { rule, expected, actual };
}

/** Returns the outcome of a case: that of its worst finding. */
export function outcomeOf(findings: readonly Finding[], own: boolean, specified: boolean): Outcome {
  const found = findings.map(({ rule }) => severities[rule][own ? 0 : specified ? 1 : 2]);
  if (found.includes("failed")) return "failed";
  return found.length > 0 ? "warned" : "passed";
}

/**
 * Returns whether the specification itself decides a case: a GET of one of its four path shapes (section 4) with plain
 * names. It leaves open whether names fold case and whether `01` is a 1.
 */
export function isSpecified({ method, path, expect }: ContractCase): boolean {
  const names = /^\/v1\/network\/((?:[A-Za-z0-9._~-]+\/){0,3}[A-Za-z0-9._~-]+)(\/?)$/.exec(path);
  if (method !== "GET" || names === null || expect.kind === "contained") return false;
  const [, list = "", slash = ""] = names;
  const depth = list.split("/").length;
  if (depth < 3 ? slash === "" : depth === 4 && slash !== "") return false;
  if (expect.kind !== "error") return true;
  const asNumber = Number(list.split("/").at(-1));
  return !/[A-Z]/.test(list) && !(expect.name === "status" && (asNumber === 0 || asNumber === 1));
}
