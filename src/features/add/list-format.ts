import type { Override } from "../../core/config/config-schema.ts";

/** What a list of mirrors has. */
export interface ListedUrls {
  readonly urls: readonly string[];
  /** Probe settings for the mirrors, if the list implies any. */
  readonly probe?: Override;
  /** URLs that are left out, each with the reason. */
  readonly notes?: readonly string[];
}

/** Returns undefined if the text is in another format. */
export type ReadList = (text: string) => ListedUrls | undefined;

/** Returns the trimmed lines, without empty ones and comments. */
export function linesOf(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}

/** Returns a function for each stanza of a control file (deb822(5)) that returns the words of a field. */
export function stanzasOf(text: string): ((field: string) => string[])[] {
  const stanzas = text
    .replaceAll("\r\n", "\n")
    .replaceAll(/^#.*\n/gm, "")
    .split(/\n\s*\n/);
  return stanzas.map((stanza) => (field) => {
    // A value continues on lines that begin with a space.
    const [, value = ""] = new RegExp(`^${field}:(.*(?:\n[ \t].*)*)`, "im").exec(stanza) ?? [];
    return value.split(/\s+/).filter(Boolean);
  });
}
