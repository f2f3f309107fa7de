import type { z } from "zod";
import { InputError } from "../base/errors.ts";
import { meantKey, unknownKeyMessage } from "../kinds/strict-object.ts";
import { formatCount } from "../base/text/count.ts";
import { withinStack } from "../base/text/json.ts";
import { formatPath, type JsonPath, keyOf, parseJson, type Problem } from "./json-document.ts";
import { ruleProblems } from "./rules.ts";
import { type Config, configSchema } from "./config-schema.ts";

const maxShown = 200;

/** `line` and `column` count from 1. */
export interface ConfigProblem {
  /** Such as `systems[0].system`; empty for a problem with the whole file. */
  readonly path: string;
  readonly line: number;
  /** Only set for a syntax error. */
  readonly column?: number;
  readonly message: string;
}

export type CheckedConfig =
  | { readonly config: Config; readonly lineOf: (path: JsonPath) => number }
  | { readonly problems: readonly ConfigProblem[] };

/**
 * Validates the text of a mirrors.json. Returns all problems or, if there are none, the configuration and a function
 * that finds the line of a path. `file` is the file's name in error messages. Throws InputError if the text is
 * nested too deeply.
 */
export function checkConfig(text: string, file: string): CheckedConfig {
  const tooDeep = `${file} is nested too deeply or has too many problems; remove all levels except systems, projects, targets and mirrors.`;
  const parsed = withinStack(() => parseJson(text), tooDeep);
  if (parsed.syntaxError !== undefined) return { problems: [{ path: "", ...parsed.syntaxError }] };
  const result = withinStack(() => configSchema.safeParse(parsed.value), tooDeep);
  const problems = [
    ...parsed.repeated,
    ...(result.success ? [] : schemaProblems(result.error)),
    ...ruleProblems(parsed.value),
  ];
  if (result.success && problems.length === 0) return { config: result.data, lineOf: parsed.lineOf };
  return {
    problems: problems.map(({ path, message }) => ({
      path: formatPath(path),
      line: parsed.lineOf(path),
      message,
    })),
  };
}

/** Validates the text of a mirrors.json. Throws a single InputError that lists all problems with their lines. */
export function validateConfig(text: string, file: string): Config {
  const checked = checkConfig(text, file);
  if ("config" in checked) return checked.config;
  throw new InputError(formatProblems(checked.problems, file));
}

/** Returns a line for the file and one for each problem. A syntax error is the only problem. */
export function formatProblems(problems: readonly ConfigProblem[], file: string): string[] {
  const lines = problems.slice(0, maxShown).map(({ path, line, column, message }) => {
    const place = column === undefined ? `line ${line}` : `line ${line}, column ${column}`;
    return `  ${path === "" ? "the file" : path}: ${message} (${place})`;
  });
  const more = problems.length - lines.length;
  return [
    `${file} has ${formatCount(problems.length, "problem")}:`,
    ...lines,
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ];
}

/** Turns zod's issues into problems, whose messages are sentences without a subject. */
export function schemaProblems({ issues }: z.ZodError): Problem[] {
  return withoutMisspelt(withoutDuplicates(issues)).flatMap(issueProblems);
}

/** Keeps one issue per mistyped value: for a string in place of an array, zod also complains about its length. */
function withoutDuplicates(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const mistyped = new Set(
    issues.filter(({ code }) => code === "invalid_type").map(({ path }) => keyOf(path)),
  );
  return issues.filter(({ code, path }) => code === "invalid_type" || !mistyped.has(keyOf(path)));
}

/** Drops issues about missing keys that are present but misspelt. */
function withoutMisspelt(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const meant = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => keyOf([...issue.path, String(meantKey(key, issue.message))]))
      : [],
  );
  const isMissing = ({ code, message }: z.core.$ZodIssue): boolean =>
    code === "invalid_type" && message.endsWith("received undefined");
  return issues.filter((issue) => !isMissing(issue) || !meant.includes(keyOf(issue.path)));
}

function issueProblems(issue: z.core.$ZodIssue): Problem[] {
  const { path } = issue;
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: unknownKeyMessage(key, issue.message),
    }));
  const branch = issue.code === "invalid_union" ? branchOf(issue) : undefined;
  if (branch !== undefined)
    return withoutDuplicates(branch).flatMap((inner) =>
      issueProblems({ ...inner, path: [...path, ...inner.path] }),
    );
  return [{ path, message: sentence(issue) }];
}

/**
 * Returns the issues of the only union member that the value's type fits. Returns undefined if it fits none or several,
 * or if the union has its own message.
 */
function branchOf({
  errors,
  message,
}: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] | undefined {
  if (message !== "Invalid input") return undefined;
  const fitting = errors.filter(
    (issues) => !issues.some(({ code, path }) => code === "invalid_type" && path.length === 0),
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}

function sentence(issue: z.core.$ZodIssue): string {
  // Keep messages written for the schema. zod's own messages begin with Invalid or Too, and are replaced below.
  if (!/^(?:Invalid|Too) /.test(issue.message)) return issue.message;
  switch (issue.code) {
    case "invalid_type":
      return issue.message.endsWith("received undefined")
        ? `is missing; it must be ${article(issue.expected)}`
        : `must be ${article(issue.expected)}`;
    case "invalid_value":
      return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "too_small":
      return issue.origin === "array"
        ? "must not be empty; add an entry, or remove the key or the object around it"
        : `must be ${issue.minimum} or more`;
    case "too_big":
      return issue.origin === "array"
        ? `must have ${issue.maximum} entries or fewer`
        : `must be ${issue.maximum} or less`;
    case "invalid_key":
      return issue.issues[0]?.message ?? issue.message;
    default:
      return issue.message;
  }
}

function article(type: string): string {
  if (type === "int" || type === "number") return "a whole number";
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}
