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

/**
 * Text in which the runner of GitHub Actions finds no command: neither `##[…]`, which it obeys wherever that stands, nor
 * `::…` at the start of a line. In JSON the escapes mean the same.
 */
export function withoutCommands(text: string): string {
  return text.replaceAll("##[", "#\\u0023[").replaceAll(/^([^\S\n]*):(?=:)/gm, "$1\\u003a");
}

/** JSON in which everything that cannot be seen is escaped, for a terminal or a log; it means the same. */
export function visibleJson(json: string): string {
  return json.replaceAll(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, place) => {
      return `\\u${character.charCodeAt(place).toString(16).padStart(4, "0")}`;
    }).join(""),
  );
}

function escapeCharacter(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  return point > 0xffff ? `\\u{${point.toString(16)}}` : `\\u${point.toString(16).padStart(4, "0")}`;
}
