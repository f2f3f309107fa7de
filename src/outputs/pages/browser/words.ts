import { englishDays, englishScript, englishSearch } from "../words/english-script.ts";

export const timeZone = document.documentElement.dataset["timezone"] ?? "UTC";

export const locale = "en-GB";
export const words = englishScript;
export const dayWords = englishDays;
export const searchWords = englishSearch;
