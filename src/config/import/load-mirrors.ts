import { basename } from "node:path";
import { InputError } from "../../base/errors.ts";
import { formatList } from "../../base/text/count.ts";
import { readText } from "../../base/files/read-text.ts";
import { labelProblem } from "../../base/text/name.ts";
import { parseUrl, urlKey, urlProblem, withoutUserInfo } from "../../base/text/url.ts";
import type { Addition } from "../edit-nodes.ts";
import type { Override } from "../schema.ts";
import { apt } from "./apt.ts";
import {
  type FormatName,
  formatNames,
  type ListEntry,
  type ListFormat,
  numberedLines,
} from "./list-format.ts";
import { gatus, upptime } from "./monitors.ts";
import { pacman } from "./pacman.ts";

/** A plain list: one URL a line. A line that begins with # is a comment, and so is the rest behind a space and #. */
const urls: ListFormat = {
  title: "a list with one URL a line",
  probe: () => undefined,
  isLike: (_, text) => {
    const first = numberedLines(text).find((one) => !one.text.startsWith("#"));
    return first !== undefined && /^[a-z][a-z0-9+.-]*:\/\/\S/i.test(first.text);
  },
  parse: (text) =>
    numberedLines(text).flatMap(({ line, text: content }) => {
      const url = content.replace(/(?:^|\s)#.*$/, "").trimEnd();
      return url === "" ? [] : [{ line, url }];
    }),
};

export const formats: Readonly<Record<FormatName, ListFormat>> = { upptime, gatus, pacman, apt, urls };

export function findFormat(file: string, text: string): FormatName {
  const found = formatNames.find((name) => formats[name].isLike(basename(file), text));
  if (found !== undefined) return found;
  throw new InputError(
    `${file} is not a list of mirrors that mirrorfeed recognizes; name its format with --format ${formatList(formatNames, "or")}.`,
  );
}

/** About 60,000 mirrors. */
const maxBytes = 4 * 1024 * 1024;

/** A remark about a mirror that is not imported exactly as listed. */
export interface ImportNote {
  readonly line: number;
  readonly message: string;
}

export interface ImportedList {
  readonly format: FormatName;
  readonly probe: Override | undefined;
  readonly mirrors: Addition["mirrors"];
  readonly notes: readonly ImportNote[];
}

/** Returns the mirrors in a file. Throws InputError if it cannot be read, or has no mirror. */
export async function loadMirrors(file: string, given: FormatName | undefined): Promise<ImportedList> {
  const text = await readText(file, maxBytes, "name a list of mirrors");
  const name = given ?? findFormat(file, text);
  const format = formats[name];
  const list = collectMirrors(format.parse(text, file));
  if (list.mirrors.length > 0) return { format: name, probe: format.probe(text), ...list };
  const why = format.whyEmpty?.(text) ?? firstNote(list.notes) ?? `it has none as ${format.title}`;
  throw new InputError(`${file} has no URL to import: ${why}.`);
}

/**
 * Returns the mirrors among the entries of a list, each once, with a note for each entry that is left out or changed.
 */
export function collectMirrors(entries: readonly ListEntry[]): Pick<ImportedList, "mirrors" | "notes"> {
  const lines = new Map<string, number>();
  const mirrors: ImportedList["mirrors"][number][] = [];
  const notes: ImportNote[] = [];
  for (const entry of entries) {
    const { line } = entry;
    if ("omitted" in entry) {
      notes.push({ line, message: `left out, since ${entry.omitted}` });
      continue;
    }
    const url = normalUrl(entry.url);
    const problem = urlProblem(url);
    const first = lines.get(urlKey(url));
    if (problem !== undefined)
      notes.push({ line, message: `left out, since its URL ${withoutUserInfo(problem)}` });
    else if (first !== undefined)
      notes.push({ line, message: `left out, since it repeats the mirror on line ${first}` });
    else {
      lines.set(urlKey(url), line);
      const name = entry.name?.trim();
      const nameProblem = name === undefined ? undefined : labelProblem(name);
      if (nameProblem !== undefined)
        notes.push({ line, message: `imported without its name, which ${nameProblem}` });
      const lost = formatList(entry.lost ?? [], "and");
      if (lost !== "") notes.push({ line, message: `imported without these settings: ${lost}` });
      mirrors.push({ url, name: nameProblem === undefined ? name : undefined });
    }
  }
  return { mirrors, notes };
}

/** Returns a URL in its normal form, in which the slash after a bare host may be missing. */
function normalUrl(text: string): string {
  const href = parseUrl(text)?.href;
  return href === undefined || href === `${text}/` ? text : href;
}

function firstNote(notes: readonly ImportNote[]): string | undefined {
  const [first] = notes;
  return first === undefined ? undefined : `line ${first.line} is ${first.message}`;
}
