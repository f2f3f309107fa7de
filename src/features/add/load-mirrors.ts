import { InputError } from "../../core/base/errors.ts";
import { readText } from "../../core/base/files/read-text.ts";
import { parseUrl, urlKey, urlProblem, withoutUserInfo } from "../../core/base/text/url.ts";
import { apt } from "./apt-list.ts";
import { type ListEntry, type ListFormat, numberedLines } from "./list-format.ts";

/** A list with one URL on each line. A `#` at the start of a line or after a space begins a comment. */
const urls: ListFormat = {
  name: "urls",
  isLike: (text) => /^[a-z][a-z0-9+.-]*:\/\/\S/i.test(urls.parse(text).entries[0]?.url ?? ""),
  parse: (text) => ({
    entries: numberedLines(text)
      .map(({ line, text: content }) => ({ line, url: content.replace(/(?:^|\s)#.*$/, "").trimEnd() }))
      .filter(({ url }) => url !== ""),
  }),
};

/**
 * A pacman mirror list (pacman.conf(5)). A mirror's URL ends before the first variable, `$repo` or `$arch`.
 * Commented-out servers are left out.
 */
export const pacman: ListFormat = {
  name: "pacman",
  isLike: (text) => /^[# \t]*Server[ \t]*=/m.test(text),
  parse: (text) => {
    const servers = numberedLines(text).flatMap(({ line, text: content }) => {
      const [, url] = /^Server\s*=\s*(\S+)/.exec(content) ?? [];
      return url === undefined ? [] : [{ line, url }];
    });
    const entries = servers.map(({ line, url }) => ({ line, url: beforeVariables(url) }));
    const pattern = servers.find(({ url }) => url.includes("$repo"))?.url ?? "";
    const folder = pattern
      .slice(beforeVariables(pattern).length)
      .replaceAll("$repo", "core")
      .replaceAll("$arch", "x86_64");
    // By default, the kind pacman expects Arch Linux's layout.
    const isUsual = folder === "" || folder === "core/os/x86_64";
    const layout = isUsual ? {} : { pacman: { database: `${folder}/core.db` } };
    return { probe: { kind: "pacman", ...layout }, entries };
  },
};

/** Cuts a URL before the path segment with the first variable. */
function beforeVariables(url: string): string {
  const variable = url.indexOf("$");
  return variable < 0 ? url : url.slice(0, url.lastIndexOf("/", variable) + 1);
}

/** In the order in which they are tried. The most general format comes last. */
export const formats = [pacman, apt, urls];

export function findFormat(file: string, text: string): ListFormat {
  const found = formats.find((format) => format.isLike(text));
  if (found !== undefined) return found;
  throw new InputError(`${file} is not a list of mirrors that mirrorfeed recognizes; write one URL a line.`);
}

/** About 60,000 mirrors. */
const maxBytes = 4 * 1024 * 1024;

/** Throws InputError if the file cannot be read or has no mirrors. */
export async function loadMirrors(file: string) {
  const text = await readText(file, maxBytes, "name a list of mirrors");
  const { name, parse } = findFormat(file, text);
  const { probe, entries } = parse(text);
  const { mirrors, notes } = collectMirrors(entries);
  if (mirrors.length > 0) return { format: name, probe, mirrors, notes };
  const [first] = notes;
  const why = first === undefined ? "comments are left out" : `line ${first.line} is ${first.message}`;
  throw new InputError(`${file} has no URL to import: ${why}.`);
}

/** Returns each mirror once, with a note for each entry that was left out. */
export function collectMirrors(entries: readonly ListEntry[]) {
  const mirrors = new Map<string, { readonly url: string }>();
  const notes: { readonly line: number; readonly message: string }[] = [];
  for (const { line, url: written, omitted } of entries) {
    const url = normalUrl(written);
    const problem = omitted ?? urlProblem(url);
    if (problem === undefined) mirrors.set(urlKey(url), mirrors.get(urlKey(url)) ?? { url });
    else notes.push({ line, message: `left out, since its URL ${withoutUserInfo(problem)}` });
  }
  return { mirrors: [...mirrors.values()], notes };
}

/** Normalizes a URL, but adds no slash after a bare host. */
function normalUrl(text: string): string {
  const href = parseUrl(text)?.href;
  return href === undefined || href === `${text}/` ? text : href;
}
