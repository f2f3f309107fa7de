/**
 * A bracket that is not closed, and where that shows: at a bracket of another kind, at a key among the values of an array,
 * or at the end. Both are offsets.
 */
export interface Unclosed {
  readonly opened: number;
  readonly shownAt: number;
}

const closers: Readonly<Record<string, string>> = { "{": "}", "[": "]" };

/** Returns the first bracket of a JSON text that is not closed, or undefined. */
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

/** Returns the bracket that closes the one at an offset. */
export function closerOf(text: string, opened: number): string {
  return closers[text.charAt(opened)] ?? "";
}
