import { englishSearch } from "../words/english-search.ts";
import { germanSearch } from "../words/german-search.ts";

/** The words of the search in the language of the page. */
export const words = document.documentElement.lang === "de" ? germanSearch : englishSearch;
