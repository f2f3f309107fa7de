import { InputError } from "../errors.ts";

export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

/** A JSON pointer (RFC 6901). The empty pointer refers to the whole document. */
export const jsonPointerPattern = /^(?:\/(?:[^~/]|~[01])*)*$/;

/** Returns the value at a JSON pointer, or undefined if the document has no such value. */
export function valueAt(document: unknown, pointer: string): unknown {
  const tokens = pointer.split("/").slice(1);
  return tokens.reduce<unknown>((value, token) => {
    const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
    // Object.entries gives array elements their index as a name.
    return new Map<string, unknown>(Object.entries(value ?? {})).get(name);
  }, document);
}

/** Throws InputError with the message `sentence` if deep nesting or a huge number of errors exhausts the stack. */
export function withinStack<Value>(parse: () => Value, sentence: string): Value {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new InputError(sentence);
  }
}
