import * as z from "../base/zod.ts";
import { InputError } from "../base/errors.ts";
import { formatCount } from "../base/text/count.ts";
import { withinStack } from "../base/text/json.ts";
import { closestName } from "../base/text/name.ts";
import { type Config, configSchema } from "./config-schema.ts";
import {
  type ConfigProblem,
  formatPath,
  type JsonPath,
  keyOf,
  parseJson,
  type Problem,
} from "./json-document.ts";
import { ruleProblems } from "./rules.ts";

const maxShown = 200;

export type CheckedConfig =
  | { readonly config: Config; readonly lineOf: (path: JsonPath) => number }
  | { readonly problems: readonly ConfigProblem[] };

/** Returns all problems or, if there are none, the configuration. Throws InputError if it is nested too deeply. */
export function checkConfig(text: string, file: string): CheckedConfig {
  return withinStack(
    () => checkText(text),
    `${file} is nested too deeply or has too many problems; remove all levels except systems, projects, targets and mirrors.`,
  );
}

function checkText(text: string): CheckedConfig {
  const { value, syntaxError, repeated, lineOf } = parseJson(text);
  if (syntaxError !== undefined) return { problems: [syntaxError] };
  const result = safeParse(configSchema, value);
  const problems = [...repeated, ...(result.problems ?? []), ...ruleProblems(value)];
  if (result.problems === undefined && problems.length === 0) return { config: result.data, lineOf };
  return { problems: locate(problems, lineOf) };
}

export function locate(problems: readonly Problem[], lineOf: (path: JsonPath) => number): ConfigProblem[] {
  return problems.map(({ path, message }) => ({ path: formatPath(path), line: lineOf(path), message }));
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

/** Validates a value. The problems' messages are sentences without a subject. */
export function safeParse<Schema extends z.ZodType>(schema: Schema, value: unknown) {
  const result = schema.safeParse(value, { error: messageOf });
  if (result.success) return { data: result.data };
  return { problems: withoutMisspelt(withoutDuplicates(result.error.issues)).flatMap(issueProblems) };
}

/** Messages that are written in a schema take precedence over these. */
function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return `${issue.input === undefined ? missing : ""}must be ${article(issue.expected)}`;
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
      return issue.issues[0]?.message;
    case "unrecognized_keys":
      // The list of known keys. `issueProblems` makes a message for each unknown key.
      return issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape).join(", ") : undefined;
    default:
      return undefined;
  }
}

const missing = "is missing; it ";

function article(type: string): string {
  if (type === "int" || type === "number") return "a whole number";
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
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
      ? issue.keys.map((key) => keyOf([...issue.path, String(closestName(key, issue.message.split(", ")))]))
      : [],
  );
  return issues.filter(({ path, message }) => !message.startsWith(missing) || !meant.includes(keyOf(path)));
}

function issueProblems(issue: z.core.$ZodIssue): Problem[] {
  const { path, message } = issue;
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => {
      const meant = closestName(key, message.split(", "));
      const remedy = meant === undefined ? "; known" : `; did you mean ${meant}? Known`;
      return { path: [...path, key], message: `is not a known key${remedy} keys: ${message}` };
    });
  const branch = issue.code === "invalid_union" ? branchOf(issue) : undefined;
  if (branch === undefined) return [{ path, message }];
  return withoutDuplicates(branch).flatMap((inner) =>
    issueProblems({ ...inner, path: [...path, ...inner.path] }),
  );
}

/** Returns the issues of the only union member that fits the value's type, unless the union has its own message. */
function branchOf(union: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] | undefined {
  if (union.message !== "Invalid input") return undefined;
  const fitting = union.errors.filter(
    (issues) => !issues.some(({ code, path }) => code === "invalid_type" && path.length === 0),
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}
