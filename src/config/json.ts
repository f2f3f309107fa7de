import {
  findNodeAtLocation,
  type Node,
  type ParseErrorCode,
  parseTree,
  printParseErrorCode,
  visit,
} from "jsonc-parser";
import { quote } from "../base/text/quote.ts";

export type JsonPath = readonly (string | number)[];

/** A problem and its path, which is empty for a problem of the whole text. */
export interface Problem {
  readonly path: JsonPath;
  readonly message: string;
}

/** A position in a text. Both numbers count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface ParsedJson {
  /** Undefined if there is a syntax error. */
  readonly value: unknown;
  readonly syntaxError: (Position & { readonly message: string }) | undefined;
  readonly repeated: readonly Problem[];
  /** Returns the position of a path, or of the deepest part of it that exists. */
  readonly locate: (path: JsonPath) => Position;
}

/** Bounds the memory. Reports show fewer. */
const maxRepeated = 1000;

/** More than any mirrors.json has, and far less than the stack takes. */
const maxDepth = 100;

/**
 * Parses strict JSON (RFC 8259). A name that is repeated in one object is a problem, since JSON.parse silently drops all
 * but the last. Throws RangeError if the text is nested too deeply.
 */
export function parseJson(text: string): ParsedJson {
  const position = positions(text);
  let firstError: SyntaxProblem | undefined;
  const repeated: Problem[] = [];
  // The names in each array or object that is open.
  const open: Set<string>[] = [];
  const enter = (): void => {
    open.push(new Set());
    if (open.length > maxDepth) throw new RangeError("The text is nested too deeply.");
  };
  const leave = (): void => {
    open.pop();
  };
  let root: Node | undefined;
  visit(
    text,
    {
      ...{ onArrayBegin: enter, onArrayEnd: leave, onObjectBegin: enter, onObjectEnd: leave },
      onObjectProperty: (name, _offset, _length, _line, _column, pathOfObject) => {
        const names = open.at(-1);
        const message = "is repeated in this object; remove all but one";
        if (names?.has(name) === true && repeated.length < maxRepeated)
          repeated.push({ path: [...pathOfObject(), name], message });
        names?.add(name);
      },
      onError: (error: ParseErrorCode, offset) => {
        firstError ??= { offset, message: sentences[printParseErrorCode(error)] ?? "is not JSON" };
      },
    },
    strict,
  );
  const error = firstError === undefined ? undefined : namingBracket(firstError, text, position);
  return {
    value: error === undefined ? JSON.parse(text) : undefined,
    syntaxError: error && { ...position(error.offset), message: error.message },
    repeated,
    locate: (path) => {
      root ??= parseTree(text, [], strict);
      let node = root;
      for (const step of path) {
        const next = node && findNodeAtLocation(node, [step]);
        if (next === undefined) break;
        node = next;
      }
      return position(node?.offset ?? 0);
    },
  };
}

interface SyntaxProblem {
  readonly offset: number;
  readonly message: string;
}

/** Returns the problem of a bracket that is not closed instead, if a syntax error comes from one. */
function namingBracket(
  error: SyntaxProblem,
  text: string,
  position: (offset: number) => Position,
): SyntaxProblem {
  const unclosed = findUnclosed(text);
  if (unclosed === undefined || error.offset < unclosed.shownAt) return error;
  const { opened, shownAt } = unclosed;
  const { line, column } = position(opened);
  const before = text.charAt(shownAt).trim();
  const key = /^"[^"\n]*"(?=\s*:)/.exec(text.slice(shownAt))?.[0];
  const where = before === "" ? "" : ` before ${key ?? `this ${before}`}`;
  const message = `the ${text.charAt(opened)} of line ${line}, column ${column} is not closed; add ${closerOf(text, opened)}${where}`;
  return { offset: before === "" ? error.offset : shownAt, message };
}

export function jsonPath(path: readonly PropertyKey[]): JsonPath {
  return path.map((step) => (typeof step === "symbol" ? String(step) : step));
}

/** Returns a path in the form `systems[0].projects[0].target`. */
export function formatPath(path: JsonPath): string {
  return path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`;
      if (!/^[\w$-]+$/.test(step)) return `[${quote(step)}]`;
      return index === 0 ? step : `.${step}`;
    })
    .join("");
}

/** Returns a function that finds the position of an offset. */
function positions(text: string): (offset: number) => Position {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

const strict = { disallowComments: true, allowTrailingComma: false };

const sentences: Partial<Record<string, string>> = {
  InvalidSymbol: "unexpected text; write strings in double quotes",
  InvalidNumberFormat: "this is not a number",
  PropertyNameExpected: "a name in double quotes is expected; add it, or remove the comma before",
  ValueExpected: "a value is expected; add it, or remove the comma before",
  ColonExpected: "a colon is expected after the name",
  CommaExpected: "a comma is expected before this",
  CloseBraceExpected: "a closing } is expected",
  CloseBracketExpected: "a closing ] is expected",
  EndOfFileExpected: "unexpected text after the end of the document; remove it",
  InvalidCommentToken: "JSON has no comments; remove it",
  UnexpectedEndOfComment: "JSON has no comments; remove it",
  UnexpectedEndOfString: "this string has no closing double quote",
  UnexpectedEndOfNumber: "this number is not complete",
  InvalidUnicode: "\\u needs four hexadecimal digits",
  InvalidEscapeCharacter: "this escape is not valid; write a backslash as \\\\",
  InvalidCharacter: "control characters must be escaped, a tab as \\t",
};

/**
 * A bracket that is not closed, and where that shows: at a bracket of another kind, at a key among the values of an array,
 * or at the end. Both are offsets.
 */
export interface Unclosed {
  readonly opened: number;
  readonly shownAt: number;
}

const closers: Readonly<Record<string, string>> = { "{": "}", "[": "]" };

export function findUnclosed(text: string): Unclosed | undefined {
  const open: number[] = [];
  for (const { 0: token, 1: colon, index } of text.matchAll(/"(?:[^"\\\n]|\\.)*"?(\s*:)?|[[\]{}]/g)) {
    const last = open.at(-1);
    if (colon !== undefined && last !== undefined && hasValues(text, last, index))
      return { opened: last, shownAt: index };
    if (token === "{" || token === "[") open.push(index);
    if (token !== "}" && token !== "]") continue;
    const opened = open.pop();
    if (opened === undefined) return undefined;
    if (closerOf(text, opened) !== token) return { opened, shownAt: index };
  }
  const opened = open.at(-1);
  return opened === undefined ? undefined : { opened, shownAt: text.trimEnd().length };
}

/** Whether the bracket at an offset begins an array that has anything before another offset. */
function hasValues(text: string, opened: number, end: number): boolean {
  return text.charAt(opened) === "[" && text.slice(opened + 1, end).trim() !== "";
}

export function closerOf(text: string, opened: number): string {
  return closers[text.charAt(opened)] ?? "";
}
