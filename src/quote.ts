const longest = 120;

/** Control, format (bidi overrides among them), surrogate, private and unassigned characters, line separators. */
const invisible = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Whether a text holds a character that a terminal, a log or a page might obey or hide. */
export function hasInvisible(text: string): boolean {
  return text.search(invisible) >= 0;
}

/** Untrusted text in double quotes, safe to print anywhere: what cannot be seen is escaped, long text is cut. */
export function quote(text: string): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text;
  const escaped = cut.replaceAll(/["\\]/g, "\\$&").replaceAll(invisible, escapeCharacter);
  return `"${escaped}"`;
}

function escapeCharacter(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  return point > 0xffff ? `\\u{${point.toString(16)}}` : `\\u${point.toString(16).padStart(4, "0")}`;
}
