import type { z } from "zod";
import { InputError } from "../errors.ts";
import { withinStack } from "../within-stack.ts";
import { type Fault, formatPath, type JsonPath, parseJson, type ParsedJson } from "./json.ts";
import { ruleFaults } from "./rules.ts";
import { type Config, configSchema } from "./schema.ts";

const mostShown = 200;

/**
 * The configuration in a text of mirrors.json. `file` is its name in messages. Throws one InputError that holds every
 * fault, each with its path, its line and the remedy.
 */
export function validateConfig(text: string, file: string): Config {
  const endless = `${file} is nested too deeply or has too many faults to tell; it has systems, projects, targets and nodes, and no more.`;
  const parsed = withinStack(() => parseJson(text), endless);
  if (parsed.syntax !== undefined) {
    const { line, column, message } = parsed.syntax;
    throw new InputError(report(`${file} is not JSON`, [`line ${line}, column ${column}: ${message}`]));
  }
  const result = withinStack(() => configSchema.safeParse(parsed.value), endless);
  const faults = [
    ...parsed.repeated,
    ...(result.success ? [] : result.error.issues.flatMap(issueFaults)),
    ...ruleFaults(parsed.value),
  ];
  if (result.success && faults.length === 0) return result.data;
  const count = faults.length === 1 ? "1 fault" : `${faults.length} faults`;
  const lines = faults.slice(0, mostShown).map((fault) => formatFault(fault, parsed));
  const more = faults.length - lines.length;
  throw new InputError(report(`${file} has ${count}`, more > 0 ? [...lines, `… and ${more} more`] : lines));
}

function report(title: string, lines: readonly string[]): string {
  return `${title}:\n${lines.map((line) => `  ${line}`).join("\n")}`;
}

function formatFault({ path, message }: Fault, parsed: ParsedJson): string {
  const place = path.length === 0 ? "the file" : formatPath(path);
  return `${place}: ${message} (line ${parsed.locate(path).line})`;
}

function issueFaults(issue: z.core.$ZodIssue): Fault[] {
  const path: JsonPath = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: [...path, key], message: issue.message }));
  }
  return [{ path, message: sentence(issue) }];
}

function sentence(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      if (!issue.message.startsWith("Invalid input")) return issue.message;
      return issue.message.endsWith("received undefined")
        ? `is missing; it must be ${article(issue.expected)}`
        : `must be ${article(issue.expected)}`;
    case "invalid_value":
      return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "too_small":
      return issue.origin === "array"
        ? "must not be empty; add an entry or remove it"
        : `must be ${issue.minimum} or more`;
    case "too_big":
      return issue.origin === "array"
        ? `must not be longer than ${issue.maximum}`
        : `must be ${issue.maximum} or less`;
    default:
      return issue.message;
  }
}

function article(type: string): string {
  if (type === "int" || type === "number") return "a whole number";
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}
