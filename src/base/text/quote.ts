const maxLength = 120;

/** Control, format (with bidi overrides), surrogate, private and unassigned characters, and line separators. */
const invisible = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Characters that a terminal, a log or a page might obey or hide. */
export function hasInvisible(text: string): boolean {
  return text.search(invisible) >= 0;
}

/**
 * Returns untrusted text in double quotes, safe to print anywhere. Invisible characters are escaped, and long text is
 * cut.
 */
export function quote(text: string): string {
  const escaped = cut(text, maxLength).replaceAll(/["\\]/g, "\\$&").replaceAll(invisible, escapeCharacter);
  return `"${escaped}"`;
}

/** Returns untrusted text on one line, as `quote` does, but without quotes. */
export function printable(text: string, maxLength = 200): string {
  return cut(text, maxLength).replaceAll(invisible, escapeCharacter);
}

function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/**
 * Returns text without commands of the GitHub Actions runner: `##[…]` anywhere and `::…` at the start of a line. In
 * JSON the escapes mean the same.
 */
export function withoutCommands(text: string): string {
  return text.replaceAll("##[", "#\\u0023[").replaceAll(/^([^\S\n]*):(?=:)/gm, "$1\\u003a");
}

/** Returns JSON of the same value with all invisible characters escaped, for a terminal or a log. */
export function visibleJson(json: string): string {
  return json.replaceAll(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      return `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
    }).join(""),
  );
}

function escapeCharacter(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  return point > 0xffff ? `\\u{${point.toString(16)}}` : `\\u${point.toString(16).padStart(4, "0")}`;
}

/** Returns a text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Returns a text escaped for XML elements and attributes. */
export function escapeXml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
