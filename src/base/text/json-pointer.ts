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
