import { english, type Words } from "./english.ts";
import { german } from "./german.ts";

/** The languages of the pages, by their tags (RFC 5646). */
export const languages = { en: english, de: german } as const satisfies Readonly<Record<string, Words>>;

export type { Words };

export type Language = keyof typeof languages;

/** The tags of the languages, the default first. */
export const languageNames = ["en", "de"] as const satisfies readonly Language[];

/** Returns the words of the pages in a language. */
export function wordsOf(language: Language): Words {
  return languages[language];
}
