// The kinds of mirrors by their names in mirrors.json: add a line for a new one.
export { apt } from "./apt.ts";
export { git } from "./git.ts";
export { http } from "./http.ts";
export { pacman } from "./pacman.ts";
export { rpm } from "./rpm.ts";
