import { InputError } from "../../core/base/errors.ts";
import { formatList } from "../../core/base/text/count.ts";
import { readText } from "../../core/base/files/read-text.ts";
import { parseUrl, urlKey, urlProblem, withoutUserInfo } from "../../core/base/text/url.ts";
import type { Addition } from "./edit-nodes.ts";
import type { Override } from "../../core/config/config-schema.ts";
import { apt } from "./apt-list.ts";
import {
  type FormatName,
  formatNames,
  type ListEntry,
  type ListFormat,
  numberedLines,
} from "./list-format.ts";
import { pacman } from "./pacman-list.ts";

/** A list with one URL on each line. A `#` at the start of a line or after a space begins a comment. */
const urls: ListFormat = {
  title: "a list with one URL a line",
  probe: () => undefined,
  isLike: (text) => {
    const first = numberedLines(text).find((one) => !one.text.startsWith("#"));
    return first !== undefined && /^[a-z][a-z0-9+.-]*:\/\/\S/i.test(first.text);
  },
  parse: (text) =>
    numberedLines(text).flatMap(({ line, text: content }) => {
      const url = content.replace(/(?:^|\s)#.*$/, "").trimEnd();
      return url === "" ? [] : [{ line, url }];
    }),
};

export const formats: Readonly<Record<FormatName, ListFormat>> = { pacman, apt, urls };

export function findFormat(file: string, text: string): FormatName {
  const found = formatNames.find((name) => formats[name].isLike(text));
  if (found !== undefined) return found;
  throw new InputError(
    `${file} is not a list of mirrors that mirrorfeed recognizes; name its format with --format ${formatList(formatNames, "or")}.`,
  );
}

/** About 60,000 mirrors. */
const maxBytes = 4 * 1024 * 1024;

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

/** Throws InputError if the file cannot be read or has no mirrors. */
export async function loadMirrors(file: string, given: FormatName | undefined): Promise<ImportedList> {
  const text = await readText(file, maxBytes, "name a list of mirrors");
  const name = given ?? findFormat(file, text);
  const format = formats[name];
  const list = collectMirrors(format.parse(text, file));
  if (list.mirrors.length > 0) return { format: name, probe: format.probe(text), ...list };
  const why = format.whyEmpty?.(text) ?? firstNote(list.notes) ?? `it was read as ${format.title}`;
  throw new InputError(`${file} has no URL to import: ${why}.`);
}

/** Returns each mirror once, with a note for each entry that was left out. */
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
      mirrors.push({ url });
    }
  }
  return { mirrors, notes };
}

/** Normalizes a URL, but adds no slash after a bare host. */
function normalUrl(text: string): string {
  const href = parseUrl(text)?.href;
  return href === undefined || href === `${text}/` ? text : href;
}

function firstNote(notes: readonly ImportNote[]): string | undefined {
  const [first] = notes;
  return first === undefined ? undefined : `line ${first.line} is ${first.message}`;
}
