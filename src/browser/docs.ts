import { markCurrent } from "./docs-contents.ts";
import { addFilter } from "./docs-filter.ts";

/** The script of the API reference. Without JavaScript the reference is complete, but has no search. */
addFilter();
markCurrent();
