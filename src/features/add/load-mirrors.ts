import { InputError } from "../../core/base/errors.ts";
import { readText } from "../../core/base/files/read-text.ts";
import { parseUrl, urlKey, urlProblem, withoutUserInfo } from "../../core/base/text/url.ts";
import type { ListedUrls } from "./list-format.ts";
import { listFormats } from "./list-formats.ts";

/** About 60,000 mirrors. */
const maxBytes = 4 * 1024 * 1024;

/** Throws InputError if the file cannot be read or has no mirrors. */
export async function loadMirrors(file: string) {
  const list = readMirrors(file, await readText(file, maxBytes, "name a list of mirrors"));
  if (list.mirrors.length > 0) return list;
  throw new InputError(`${file} has no URL to import: ${list.notes[0] ?? "comments are left out"}.`);
}

/** Returns the mirrors in a text of any format. Throws InputError if the format is unknown. */
export function readMirrors(file: string, text: string) {
  for (const [format, read] of Object.entries(listFormats)) {
    const list = read(text);
    if (list !== undefined) return { format, probe: list.probe, ...collectMirrors(list) };
  }
  throw new InputError(`${file} is not a list of mirrors that mirrorfeed recognizes; write one URL a line.`);
}

/** Returns each mirror once, with a note for each URL that was left out. */
function collectMirrors({ urls, notes: known = [] }: ListedUrls) {
  const mirrors = new Map<string, { readonly url: string }>();
  const notes: string[] = [];
  for (const url of urls.map(normalUrl)) {
    const problem = urlProblem(url);
    if (problem === undefined) mirrors.set(urlKey(url), mirrors.get(urlKey(url)) ?? { url });
    else notes.push(problem);
  }
  return {
    mirrors: [...mirrors.values()],
    notes: [...known, ...notes].map((note) => `the URL ${withoutUserInfo(note)}`),
  };
}

/** Normalizes a URL, but adds no slash after a bare host. */
function normalUrl(text: string): string {
  const href = parseUrl(text)?.href;
  return href === undefined || href === `${text}/` ? text : href;
}
