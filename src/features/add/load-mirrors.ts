import * as z from "zod";
import { InputError } from "../../core/base/errors.ts";
import { readText } from "../../core/base/files/read-text.ts";
import { tryParseJson } from "../../core/base/text/json.ts";
import { parseUrl, urlKey, urlProblem, withoutUserInfo } from "../../core/base/text/url.ts";
import { childrenOf, ownText, parseXmlRoot, textOf } from "../../core/base/text/xml.ts";
import { apt } from "./apt-list.ts";
import { linesOf, type ListedUrls, type ReadList, stanzasOf } from "./list-format.ts";

/** Metalinks (RFC 5854, and 3.0 as MirrorManager writes them). Only the mirrors of the first file are read. */
const metalink: ReadList = (text) => {
  const root = text.includes("<metalink") ? parseXmlRoot(text) : undefined;
  if (root?.name !== "metalink") return undefined;
  const [file] = [root, ...childrenOf(root, "files")].flatMap((parent) => childrenOf(parent, "file"));
  if (file === undefined) return undefined;
  const lists = [file, ...childrenOf(file, "resources")];
  const urls = lists.flatMap((list) => childrenOf(list, "url")).map(ownText);
  if (file.attributes["name"] === "repomd.xml")
    return { probe: { kind: "rpm" }, urls: urls.map((url) => url.replace(/repodata\/repomd\.xml$/, "")) };
  const digest = childrenOf(file, "hash").find(({ attributes }) => attributes["type"] === "sha-256");
  const size = Number(textOf(file, "size"));
  const content = digest && { sha256: ownText(digest), ...(size > 0 && { size }) };
  return { probe: { kind: "http", ...(content && { http: { content } }) }, urls };
};

const mirrorStatus = z.object({ urls: z.array(z.object({ url: z.string() })) });

/** Arch Linux's mirror status (archlinux.org/mirrors/status/json/). */
const arch: ReadList = (text) => {
  const { data } = mirrorStatus.safeParse(text.startsWith("{") ? tryParseJson(text) : undefined);
  return data && { probe: { kind: "pacman" }, urls: data.urls.map(({ url }) => url) };
};

/** R's list of its mirrors, without those that fail CRAN's own checks (`OK`). */
const cran: ReadList = (text) => {
  const [first = "", ...lines] = linesOf(text);
  const header = cellsOf(first);
  if (!["URL", "Maintainer"].every((name) => header.includes(name))) return undefined;
  const right = lines.map(cellsOf).filter((cells) => cells[header.indexOf("OK")] !== "0");
  const urls = right.map((cells) => cells[header.indexOf("URL")] ?? "");
  return { probe: { kind: "index", index: { format: "cran" } }, urls };
};

/** Returns the cells of a line of CSV (RFC 4180). */
function cellsOf(line: string): string[] {
  const cells = line.matchAll(/(?<=^|,)(?:"((?:[^"]|"")*)"|([^",]*))(?=,|$)/g);
  return [...cells].map(([, quoted, plain = ""]) => quoted ?? plain);
}

/** Debian's list of its mirrors (mirror-master.debian.org/status/Mirrors.masterlist). */
const masterlist: ReadList = (text) => {
  if (!/^Archive-https?:/im.test(text)) return undefined;
  const urls = stanzasOf(text).flatMap((wordsOf) => {
    const scheme = wordsOf("archive-https").length > 0 ? "https" : "http";
    const [[site], [path]] = [wordsOf("site"), wordsOf(`archive-${scheme}`)];
    return site === undefined || path === undefined ? [] : [`${scheme}://${site}${path}`];
  });
  return { probe: { kind: "apt" }, urls };
};

/** A pacman mirror list (pacman.conf(5)). A mirror's URL ends before the first variable, `$repo` or `$arch`. */
const pacman: ReadList = (text) => {
  if (!/^[# \t]*Server[ \t]*=/m.test(text)) return undefined;
  const servers = linesOf(text).flatMap((line) => /^Server\s*=\s*(\S+)/.exec(line)?.[1] ?? []);
  const pattern = servers.find((url) => url.includes("$repo")) ?? "";
  const folder = pattern
    .slice(beforeVariables(pattern).length)
    .replaceAll("$repo", "core")
    .replaceAll("$arch", "x86_64");
  // By default, the kind pacman expects Arch Linux's layout.
  const isUsual = folder === "" || folder === "core/os/x86_64";
  const layout = isUsual ? {} : { pacman: { database: `${folder}/core.db` } };
  return { probe: { kind: "pacman", ...layout }, urls: servers.map(beforeVariables) };
};

/** Cuts a URL before the path segment with the first variable. */
function beforeVariables(url: string): string {
  const variable = url.indexOf("$");
  return variable < 0 ? url : url.slice(0, url.lastIndexOf("/", variable) + 1);
}

/** One URL on each line. A `#` after a space begins a comment. */
const urls: ReadList = (text) => {
  const lines = linesOf(text).map((line) => line.replace(/\s#.*$/, "").trimEnd());
  return /^[a-z][a-z0-9+.-]*:\/\/\S/i.test(lines[0] ?? "") ? { urls: lines } : undefined;
};

/** In the order in which they are tried. The most general format comes last. */
export const listFormats = { metalink, arch, cran, masterlist, pacman, apt, urls };

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
function collectMirrors({ urls: all, notes: known = [] }: ListedUrls) {
  const mirrors = new Map<string, { readonly url: string }>();
  const notes: string[] = [];
  for (const written of all) {
    const url = parseUrl(written)?.href ?? written;
    const problem = urlProblem(url);
    if (problem === undefined) mirrors.set(urlKey(url), mirrors.get(urlKey(url)) ?? { url });
    else notes.push(problem);
  }
  return {
    mirrors: [...mirrors.values()],
    notes: [...known, ...notes].map((note) => `the URL ${withoutUserInfo(note)}`),
  };
}
