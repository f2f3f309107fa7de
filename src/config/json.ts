import {
  findNodeAtLocation,
  type Node,
  type ParseErrorCode,
  parseTree,
  printParseErrorCode,
  visit,
} from "jsonc-parser";
import { quote } from "../text/quote.ts";

/** A path into a JSON document: property names and array indexes. */
export type JsonPath = readonly (string | number)[];

/** What is wrong, and where: `path` is empty for a fault of the whole text. */
export interface Problem {
  readonly path: JsonPath;
  readonly message: string;
}

/** A place in a text; both count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A parsed text: either a value or the first fault of syntax, and where a path of it stands, as far as it is there. */
export interface ParsedJson {
  readonly value: unknown;
  readonly syntax: (Position & { readonly message: string }) | undefined;
  readonly repeated: readonly Problem[];
  readonly locate: (path: JsonPath) => Position;
}

/** More would be told of nobody, and take memory. */
const maxRepeated = 1000;

/** Deeper than any mirrors.json, and far from where the stack ends, here or in what follows a path. */
const deepest = 100;

/**
 * Strict JSON (RFC 8259) with positions: no comments, no trailing commas, and a name that stands twice in one object
 * is a fault, because a parser would drop the first one silently. Throws RangeError where the text is nested too
 * deeply.
 */
export function parseJson(text: string): ParsedJson {
  const position = positions(text);
  let syntax: ParsedJson["syntax"];
  const repeated: Problem[] = [];
  const names: Set<string>[] = [];
  let depth = 0;
  let root: Node | undefined;
  const goDown = (): void => {
    depth += 1;
    if (depth > deepest) throw new RangeError("The text is nested too deeply.");
  };
  visit(
    text,
    {
      onArrayBegin: goDown,
      onArrayEnd: () => {
        depth -= 1;
      },
      onObjectBegin: () => {
        goDown();
        names.push(new Set());
      },
      onObjectProperty: (name, _offset, _length, _line, _column, pathOfObject) => {
        const seen = names.at(-1);
        if (seen?.has(name) === true && repeated.length < maxRepeated)
          repeated.push({
            path: [...pathOfObject(), name],
            message: "stands twice in this object; remove one",
          });
        seen?.add(name);
      },
      onObjectEnd: () => {
        depth -= 1;
        names.pop();
      },
      onError: (error: ParseErrorCode, offset) => {
        syntax ??= {
          ...position(offset),
          message: sentences[printParseErrorCode(error)] ?? "is not JSON",
        };
      },
    },
    strict,
  );
  return {
    value: syntax === undefined ? JSON.parse(text) : undefined,
    syntax,
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

/** A path as people write it: `systems[0].projects[0].target`. */
export function formatPath(path: JsonPath): string {
  return path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`;
      if (!/^[\w$-]+$/.test(step)) return `[${quote(step)}]`;
      return index === 0 ? step : `.${step}`;
    })
    .join("");
}

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
  InvalidSymbol: "unexpected text; text stands in double quotes",
  InvalidNumberFormat: "this is not a number",
  PropertyNameExpected: "a name in double quotes is expected; is there a comma too many before it?",
  ValueExpected: "a value is expected; is there a comma too many before it?",
  ColonExpected: "a colon is expected after the name",
  CommaExpected: "a comma is expected before this",
  CloseBraceExpected: "a closing } is expected",
  CloseBracketExpected: "a closing ] is expected",
  EndOfFileExpected: "nothing more is expected after the end of the document",
  InvalidCommentToken: "JSON has no comments; remove it",
  UnexpectedEndOfComment: "JSON has no comments; remove it",
  UnexpectedEndOfString: "this text has no closing double quote",
  UnexpectedEndOfNumber: "this number is not complete",
  InvalidUnicode: "\\u is followed by four hexadecimal digits",
  InvalidEscapeCharacter: "this escape is not known; write a backslash as \\\\",
  InvalidCharacter: "control characters must be escaped, a tab as \\t",
};
