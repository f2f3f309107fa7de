import { Composer, type CST, type Document, Lexer, LineCounter, Parser } from "yaml";
import { InputError } from "../base/errors.ts";
import { printable } from "../base/text/quote.ts";

/** Thousands of nested levels overflow the parser's stack, or use up the memory for regular expressions. */
const maxDepth = 50;

/**
 * Parses a short YAML document. Throws InputError if the text is not a single document within the limits, or if keys
 * are repeated.
 */
export function parseYaml(text: string, file: string): unknown {
  const document = composeYaml(text, file);
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new InputError(
      `${file} has aliases or merge keys that cannot be resolved (${printable(error.message)}); write out their values.`,
    );
  }
}

function composeYaml(text: string, file: string): Document.Parsed {
  const lines = new LineCounter();
  const tokens = parseTokens(text, lines, file);
  const options = { merge: true, uniqueKeys: true, prettyErrors: false, logLevel: "error" } as const;
  const [document, ...more] = new Composer(options).compose(tokens, true, text.length);
  const [error] = document?.errors ?? [];
  if (document === undefined || error !== undefined) {
    const { line, col } = lines.linePos(error?.pos[0] ?? 0);
    throw new InputError(
      `${file} is not valid YAML; correct line ${line}, column ${col}: ${printable(error?.message ?? "no document")}`,
    );
  }
  if (more.length > 0) throw new InputError(`${file} contains several YAML documents; write only one.`);
  return document;
}

/** Throws InputError as soon as a token is nested too deeply. */
function parseTokens(text: string, lines: LineCounter, file: string): CST.Token[] {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    // The parser's stack includes the document itself.
    if (parser.stack.length > maxDepth + 1)
      throw new InputError(
        `${file} is nested more than ${maxDepth} levels deep; write it with fewer levels.`,
      );
  }
  return [...tokens, ...parser.end()];
}
