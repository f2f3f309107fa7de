import type { ContractCase } from "./cases.ts";

export type Outcome = "passed" | "failed" | "warned";

type Severity = Exclude<Outcome, "passed">;

/**
 * How bad it is to break a rule: on a deployment of mirrorfeed, which promises the whole contract; on another service
 * where the specification says so; and there on requests that the specification leaves open. What only good practice
 * asks for is never more than a warning.
 */
const severities = {
  /** It answers at all, in time. */
  answer: ["failed", "failed", "warned"],
  /** No answer is without an end. */
  size: ["failed", "failed", "warned"],
  /** The HTTP status, and no redirect instead. */
  status: ["failed", "failed", "warned"],
  /** `application/json`, on errors too. */
  type: ["failed", "failed", "warned"],
  /** `Access-Control-Allow-Origin: *` on every answer. */
  cors: ["failed", "warned", "warned"],
  /** The body is JSON. */
  json: ["failed", "failed", "warned"],
  /** An error says what the specification has it say. */
  error: ["failed", "failed", "warned"],
  /** Where an error has a `code`, it is the HTTP status. */
  code: ["failed", "warned", "warned"],
  /** A document that is found says nothing of an error, or clients throw. */
  errorless: ["failed", "failed", "warned"],
  /** The fields of the specification, with what belongs into them. */
  shape: ["failed", "failed", "warned"],
  /** Exactly these fields, in their order. */
  fields: ["failed", "warned", "warned"],
  /** A filter holds only nodes of its status. */
  filter: ["failed", "failed", "warned"],
  /** Byte for byte what the same document is elsewhere. */
  same: ["failed", "warned", "warned"],
  /** HEAD has the headers of GET. */
  head: ["failed", "warned", "warned"],
  /** The documents agree with each other. */
  consistency: ["failed", "failed", "warned"],
  /** An id is that of one node. */
  ids: ["failed", "warned", "warned"],
  /** A conditional request is answered with 304 or 200. */
  conditional: ["failed", "warned", "warned"],
  /** Nothing from outside of the site is shown. */
  outside: ["failed", "failed", "failed"],
  /** 405 with `Allow` and the error's document for other methods, where the host can say so. */
  method: ["warned", "warned", "warned"],
  /** A document may be kept, or asked for again cheaply. */
  caching: ["warned", "warned", "warned"],
} as const satisfies Readonly<Record<string, readonly [ours: Severity, specified: Severity, open: Severity]>>;

export type Rule = keyof typeof severities;

/** A rule that was broken: what it expected, and what came, safe to print. */
export interface Finding {
  readonly rule: Rule;
  readonly expected: string;
  readonly came: string;
}

/** A finding, in short. */
export function broken(rule: Rule, expected: string, came: string): Finding {
  return { rule, expected, came };
}

/** The outcome of a case: that of its worst finding. */
export function outcomeOf(findings: readonly Finding[], own: boolean, specified: boolean): Outcome {
  const found = findings.map(({ rule }) => severities[rule][own ? 0 : specified ? 1 : 2]);
  if (found.includes("failed")) return "failed";
  return found.length > 0 ? "warned" : "passed";
}

/**
 * Whether the specification itself decides a case: a GET of one of its four path shapes (section 4), with plain
 * names. It leaves open whether names fold case, and whether `01` is a 1.
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
