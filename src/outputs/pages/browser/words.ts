import { englishDays, englishScript, englishSearch } from "../words/english-script.ts";
import { germanDays, germanScript, germanSearch } from "../words/german-script.ts";

const isGerman = document.documentElement.lang === "de";

export const locale = isGerman ? "de" : "en-GB";
export const words = isGerman ? germanScript : englishScript;
export const dayWords = isGerman ? germanDays : englishDays;
export const searchWords = isGerman ? germanSearch : englishSearch;
