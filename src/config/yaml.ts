import { Composer, type CST, type Document, isMap, isNode, isSeq, Lexer, LineCounter, Parser } from "yaml";
import * as z from "zod";
import { InputError } from "../base/errors.ts";
import { printable } from "../base/text/quote.ts";

/**
 * The parser takes a second per MiB. Thousands of nested levels overflow the parser's stack, or use up the memory for
 * regular expressions.
 */
const maxBytes = 1024 * 1024;
const maxDepth = 50;
const maxAliases = 10_000;

export interface YamlItem {
  readonly line: number;
  readonly value: unknown;
}

/**
 * A name. If it looks like a number, YAML reads it as a number, which is turned back into text. Any other value becomes
 * undefined.
 */
export const yamlText = z
  .union([z.string(), z.number().transform(String)])
  .optional()
  .catch(undefined);

/**
 * Reads a top-level list, resolving aliases and merge keys. Returns undefined if there is no such list. Throws
 * InputError if the text is not a single YAML document within the limits.
 */
export function parseYamlList(text: string, key: string, file: string): YamlItem[] | undefined {
  const { document, lines } = composeYaml(text, file);
  const list = isMap(document.contents) ? document.get(key) : undefined;
  if (!isSeq(list)) return undefined;
  const values: unknown = plainValue(() => list.toJS(document, { maxAliasCount: maxAliases }), file);
  return list.items.map((item, index) => {
    const at = isNode(item) ? item.range?.[0] : undefined;
    const value: unknown = Array.isArray(values) ? values[index] : undefined;
    return { line: lines.linePos(at ?? 0).line, value };
  });
}

/** Parses a short YAML document. Throws InputError in the same cases as `parseYamlList`, and if keys are repeated. */
export function parseYaml(text: string, file: string): unknown {
  const { document } = composeYaml(text, file, { uniqueKeys: true });
  return plainValue((): unknown => document.toJS({ maxAliasCount: 100 }), file);
}

function composeYaml(
  text: string,
  file: string,
  // Off by default, because checking a large map for repeated keys takes minutes.
  { uniqueKeys }: { readonly uniqueKeys: boolean } = { uniqueKeys: false },
): { document: Document.Parsed; lines: LineCounter } {
  if (Buffer.byteLength(text) > maxBytes)
    throw new InputError(`${file} is larger than 1 MiB, the limit for YAML files; split it.`);
  const lines = new LineCounter();
  const tokens = parseTokens(text, lines, file);
  const options = { merge: true, uniqueKeys, prettyErrors: false, logLevel: "error" } as const;
  const [document, ...more] = new Composer(options).compose(tokens, true, text.length);
  const [error] = document?.errors ?? [];
  if (document === undefined || error !== undefined) {
    const { line, col } = lines.linePos(error?.pos[0] ?? 0);
    throw new InputError(
      `${file} is not valid YAML; correct line ${line}, column ${col}: ${printable(error?.message ?? "no document")}`,
    );
  }
  if (more.length > 0)
    throw new InputError(`${file} contains several YAML documents; name a file with only one.`);
  return { document, lines };
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
        `${file} is nested more than ${maxDepth} levels deep; remove everything but the mirrors.`,
      );
  }
  return [...tokens, ...parser.end()];
}

/** Throws InputError if the library cannot resolve aliases or merge keys. */
function plainValue(resolve: () => unknown, file: string): unknown {
  try {
    return resolve();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new InputError(
      `${file} has aliases or merge keys that cannot be resolved (${printable(error.message)}); write out their values.`,
    );
  }
}
