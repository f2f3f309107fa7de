import type { Override } from "../../core/config/config-schema.ts";

export interface ListEntry {
  readonly line: number;
  readonly url: string;
  /** Why the entry is left out, worded to follow "its URL". */
  readonly omitted?: string;
}

export interface ListFormat {
  readonly name: "pacman" | "apt" | "urls";
  readonly isLike: (text: string) => boolean;
  /** Returns the entries, and probe settings for the mirrors if the list implies any. */
  readonly parse: (text: string) => {
    readonly probe?: Override;
    readonly entries: readonly ListEntry[];
  };
}

/** Returns the non-empty lines, trimmed and numbered from 1. */
export function numberedLines(text: string): { readonly line: number; readonly text: string }[] {
  return text
    .split(/\r?\n/)
    .map((content, index) => ({ line: index + 1, text: content.trim() }))
    .filter((one) => one.text !== "");
}
