import type { Override } from "../schema.ts";

/** The formats of lists of mirrors, in the order in which they are tried: a plain list is the most general. */
export const formatNames = ["upptime", "gatus", "pacman", "apt", "urls"] as const;

export type FormatName = (typeof formatNames)[number];

/**
 * An entry of a list: a URL as it is written there, with its name and the settings that are not imported, or why it is
 * left out.
 */
export type ListEntry =
  | {
      readonly line: number;
      readonly url: string;
      readonly name?: string | undefined;
      readonly lost?: readonly string[];
    }
  | { readonly line: number; readonly omitted: string };

export interface ListFormat {
  /** What such a file is, for people. */
  readonly title: string;
  /** Returns how the mirrors of a list are probed, or undefined if the list does not tell. */
  readonly probe: (text: string) => Override | undefined;
  /** Returns whether a file is probably of this format. */
  readonly isLike: (fileName: string, text: string) => boolean;
  /** Returns the entries of a list in their order. Throws InputError if it is not of this format at all. */
  readonly parse: (text: string, file: string) => ListEntry[];
  /** Returns why a list of this format has no mirror, and the remedy, if that is known. */
  readonly whyEmpty?: (text: string) => string | undefined;
}

/** Returns whether a text has a variable of the environment, as `$NAME` or `${NAME}`. */
export function hasVariable(text: string): boolean {
  return /\$(?:[A-Z_]|\{)/.test(text);
}

/** Returns the lines of a text that are not empty, with their numbers and without white space at their ends. */
export function numberedLines(text: string): { readonly line: number; readonly text: string }[] {
  return text
    .split(/\r?\n/)
    .map((content, index) => ({ line: index + 1, text: content.trim() }))
    .filter((one) => one.text !== "");
}
