import { InputError } from "../errors.ts";

/** Returns the value of a JSON text (RFC 8259), or undefined if the text is not valid JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

/** The pattern of a JSON pointer (RFC 6901). The empty one is the whole document. */
export const jsonPointerPattern = /^(?:\/(?:[^~/]|~[01])*)*$/;

/** Returns the value that a JSON pointer names in a document, or undefined if there is none. */
export function valueAt(document: unknown, pointer: string): unknown {
  const tokens = pointer.split("/").slice(1);
  return tokens.reduce<unknown>((value, token) => {
    const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
    // The members of an array have their places as names.
    return new Map<string, unknown>(Object.entries(value ?? {})).get(name);
  }, document);
}

/** Calls a parser. Throws InputError with this sentence if deep nesting or endless errors exhaust the stack. */
export function withinStack<Value>(parse: () => Value, sentence: string): Value {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new InputError(sentence);
  }
}
