// The kinds of mirrors, under their names in mirrors.json. Add a line for each new kind.
export { apt } from "./apt.ts";
export { git } from "./git.ts";
export { http } from "./http.ts";
export { index } from "./file-index.ts";
export { pacman } from "./pacman.ts";
export { rpm } from "./rpm.ts";
