/** The value of a JSON text (RFC 8259); undefined, which no JSON text is, where it is none. */
export function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}
