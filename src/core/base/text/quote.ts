const maxLength = 120;

/** Control, format (including bidi override), surrogate, private-use and unassigned characters, and line separators. */
const invisible = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Returns whether a text contains characters that a terminal, log or page might hide or take as commands. */
export function hasInvisible(text: string): boolean {
  return text.search(invisible) >= 0;
}

/** Makes untrusted text safe to print: quotes it, escapes invisible characters and truncates it. */
export function quote(text: string): string {
  const escaped = cut(text, maxLength).replaceAll(/["\\]/g, "\\$&").replaceAll(invisible, escapeCharacter);
  return `"${escaped}"`;
}

/** Like `quote`, but without the quotes. */
export function printable(text: string, maxLength = 200): string {
  return cut(text, maxLength).replaceAll(invisible, escapeCharacter);
}

export function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/** Escapes GitHub Actions commands: `##[…]` anywhere and `::…` at the start of a line. JSON keeps its meaning. */
export function withoutCommands(text: string): string {
  return text.replaceAll("##[", "#\\u0023[").replaceAll(/^([^\S\n]*):(?=:)/gm, "$1\\u003a");
}

/** Makes a whole output safe for a terminal or CI log, except for its line ends and tabs. JSON keeps its meaning. */
export function visible(text: string): string {
  return withoutCommands(text.replaceAll(/[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu, escapeCharacter));
}

function escapeCharacter(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** Quotes text as one word for a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

export function escapeXml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
