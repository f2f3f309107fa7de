import { englishDays, englishScript, englishSearch } from "../words/english-script.ts";
import { germanDays, germanScript, germanSearch } from "../words/german-script.ts";

const { lang, dataset } = document.documentElement;
const isGerman = lang === "de";

export const timeZone = dataset["timezone"] ?? "UTC";

export const locale = isGerman ? "de" : "en-GB";
export const words = isGerman ? germanScript : englishScript;
export const dayWords = isGerman ? germanDays : englishDays;
export const searchWords = isGerman ? germanSearch : englishSearch;
