import { type JSONPath, type JSONVisitor, printParseErrorCode, visit } from "jsonc-parser";
import { quote } from "../base/text/quote.ts";

export type JsonPath = readonly PropertyKey[];

/** `path` is empty for a problem with the whole text. */
export interface Problem {
  readonly path: JsonPath;
  readonly message: string;
}

/** A problem with its place. `line` and `column` count from 1. */
export interface ConfigProblem {
  /** Such as `systems[0].system`; empty for a problem with the whole file. */
  readonly path: string;
  readonly line: number;
  /** Only set for a syntax error. */
  readonly column?: number;
  readonly message: string;
}

/** Error messages list fewer problems anyway. */
const maxRepeated = 1000;

/** More levels than any mirrors.json needs, and far fewer than would overflow the stack. */
const maxDepth = 100;

/** Parses strict JSON (RFC 8259), and reports repeated names. Throws RangeError if it is nested too deeply. */
export function parseJson(text: string) {
  let syntaxError: ConfigProblem | undefined;
  const repeated: Problem[] = [];
  // The names seen so far in each open object. Open arrays have an empty set.
  const open: Set<string>[] = [];
  const enter = (): void => {
    open.push(new Set());
    if (open.length > maxDepth) throw new RangeError("The text is nested too deeply.");
  };
  const leave = (): void => {
    open.pop();
  };
  const visitor: JSONVisitor = {
    ...{ onArrayBegin: enter, onArrayEnd: leave, onObjectBegin: enter, onObjectEnd: leave },
    onObjectProperty: (name, _offset, _length, _line, _column, pathOfObject) => {
      const names = open.at(-1);
      const message = "is repeated in this object; remove all but one";
      if (names?.has(name) === true && repeated.length < maxRepeated)
        repeated.push({ path: [...pathOfObject(), name], message });
      names?.add(name);
    },
    onError: (code, _offset, _length, line, column) => {
      const message = sentences[printParseErrorCode(code)] ?? "this is not valid JSON";
      syntaxError ??= { path: "", line: line + 1, column: column + 1, message };
    },
  };
  visit(text, visitor, { disallowComments: true, allowTrailingComma: false });
  let lines: Map<string, number> | undefined;
  return {
    value: syntaxError === undefined ? (JSON.parse(text) as unknown) : undefined,
    syntaxError,
    repeated,
    /** Returns the line (from 1) of the value at a path, or of its nearest existing parent. */
    lineOf: (path: JsonPath): number => {
      lines ??= linesOfValues(text);
      for (let depth = path.length; depth >= 0; depth -= 1) {
        const line = lines.get(keyOf(path.slice(0, depth)));
        if (line !== undefined) return line;
      }
      return 1;
    },
  };
}

/** Maps the path of every value to its line. For a repeated name, the first value counts. */
function linesOfValues(text: string): Map<string, number> {
  const lines = new Map<string, number>();
  const begin = (_offset: number, _length: number, line: number, _column: number, pathOf: () => JSONPath) => {
    const key = keyOf(pathOf());
    if (!lines.has(key)) lines.set(key, line + 1);
  };
  visit(text, {
    ...{ onObjectBegin: begin, onArrayBegin: begin },
    onLiteralValue: (_value, ...place) => {
      begin(...place);
    },
  });
  return lines;
}

export function keyOf(path: JsonPath): string {
  return JSON.stringify(path.map(String));
}

/** Formats a path as `systems[0].projects[0].target`. */
export function formatPath(path: JsonPath): string {
  return path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`;
      const name = String(step);
      if (!/^[\w$-]+$/.test(name)) return `[${quote(name)}]`;
      return index === 0 ? name : `.${name}`;
    })
    .join("");
}

const sentences: Partial<Record<string, string>> = {
  InvalidSymbol: "unexpected text; write strings in double quotes",
  PropertyNameExpected: "expected a name in double quotes; add one, or remove the preceding comma",
  ValueExpected: "expected a value; add one, or remove the preceding comma",
  ColonExpected: "expected a colon after the name",
  CommaExpected: "expected a comma before this",
  CloseBraceExpected: "expected a closing }",
  CloseBracketExpected: "expected a closing ]",
  EndOfFileExpected: "unexpected text after the end of the document; remove it",
  InvalidCommentToken: "JSON does not allow comments; remove this one",
  UnexpectedEndOfString: "this string has no closing double quote",
  InvalidEscapeCharacter: "this escape is not valid; write a backslash as \\\\",
  InvalidCharacter: "escape control characters; a tab is \\t",
};
