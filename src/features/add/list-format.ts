import type { Override } from "../../core/config/config-schema.ts";

/** The formats of lists, in the order in which they are tried. The most general format comes last. */
export const formatNames = ["pacman", "apt", "urls"] as const;

export type FormatName = (typeof formatNames)[number];

/** An entry of a list: its URL, or the reason why the entry is left out (`omitted`). */
export type ListEntry =
  | { readonly line: number; readonly url: string }
  | { readonly line: number; readonly omitted: string };

export interface ListFormat {
  /** How error messages refer to a file in this format, with an article where it needs one. */
  readonly title: string;
  /** Returns probe settings for the mirrors, or undefined if the list implies none. */
  readonly probe: (text: string) => Override | undefined;
  readonly isLike: (text: string) => boolean;
  /** Throws InputError if the text is not in this format at all. */
  readonly parse: (text: string, file: string) => ListEntry[];
  /** Returns why a list has no mirrors and what to do about it, or undefined if the reason is not known. */
  readonly whyEmpty?: (text: string) => string | undefined;
}

/** Returns the non-empty lines, trimmed and numbered from 1. */
export function numberedLines(text: string): { readonly line: number; readonly text: string }[] {
  return text
    .split(/\r?\n/)
    .map((content, index) => ({ line: index + 1, text: content.trim() }))
    .filter((one) => one.text !== "");
}
