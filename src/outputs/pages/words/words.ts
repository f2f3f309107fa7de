import { english, type Words } from "./english.ts";
import { german } from "./german.ts";
import type { Language } from "../../../config/site.ts";

const catalogues: Readonly<Record<Language, Words>> = { en: english, de: german };

export type { Words };

/** Returns the words of the pages in a language. */
export function wordsOf(language: Language): Words {
  return catalogues[language];
}
