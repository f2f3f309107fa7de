import * as z from "../../core/base/zod.ts";
import { InputError } from "../../core/base/errors.ts";
import { tryParseJson } from "../../core/base/text/json.ts";
import { quote } from "../../core/base/text/quote.ts";
import { parseUrl, urlKey, urlProblem, withoutUserInfo } from "../../core/base/text/url.ts";
import { childrenOf, ownText, parseXmlRoot, textOf } from "../../core/base/text/xml.ts";
import type { Override } from "../../core/config/config-schema.ts";

interface MirrorList {
  readonly urls: readonly string[];
  /** Probe settings for the mirrors, if the list implies any. */
  readonly probe?: Override;
  /** URLs of other mirrors, each with the reason why they are left out. */
  readonly notes?: readonly string[];
}

/** Returns undefined if the text is in another format. `lines` are trimmed, without empty ones and comments. */
type ReadList = (text: string, lines: readonly string[]) => MirrorList | undefined;

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
const cran: ReadList = (_, [header = "", ...rows]) => {
  const names = cellsOf(header);
  const [url, isRight] = [names.indexOf("URL"), names.indexOf("OK")];
  if (url < 0 || !names.includes("Maintainer")) return undefined;
  const mirrors = rows.map(cellsOf).filter((cells) => cells[isRight] !== "0");
  const urls = mirrors.map((cells) => cells[url] ?? "");
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

/** Returns a function for each stanza of a control file (deb822(5)) that returns the words of a field. */
function stanzasOf(text: string): ((field: string) => string[])[] {
  const plain = text.replaceAll(/\r|^#.*\n/gm, "");
  // A value continues on lines that begin with a space.
  return plain.split(/\n\s*\n/).map((stanza) => (field) => {
    const [, value = ""] = new RegExp(`^${field}:(.*(?:\n[ \t].*)*)`, "im").exec(stanza) ?? [];
    return value.split(/\s+/).filter(Boolean);
  });
}

/** A pacman mirror list (pacman.conf(5)). A mirror's URL ends before the first variable, `$repo` or `$arch`. */
const pacman: ReadList = (text, lines) => {
  if (!/^[# \t]*Server[ \t]*=/m.test(text)) return undefined;
  const servers = lines.flatMap((line) => /^Server\s*=\s*(\S+)/.exec(line)?.[1] ?? []);
  const pattern = servers.find((url) => url.includes("$repo")) ?? "";
  const variables = pattern.slice(beforeVariables(pattern).length);
  const folder = variables.replaceAll("$repo", "core").replaceAll("$arch", "x86_64");
  // By default, the kind pacman expects Arch Linux's layout.
  const isUsual = folder === "" || folder === "core/os/x86_64";
  const layout = isUsual ? {} : { pacman: { database: `${folder}/core.db` } };
  return { probe: { kind: "pacman", ...layout }, urls: servers.map(beforeVariables) };
};

function beforeVariables(url: string): string {
  const variable = url.indexOf("$");
  return variable < 0 ? url : url.slice(0, url.lastIndexOf("/", variable) + 1);
}

interface Source {
  readonly url: string;
  readonly suites: readonly string[];
  readonly components: readonly string[];
}

/**
 * Apt sources in one-line or deb822 format (sources.list(5)), or a `mirror+file:` list (apt-transport-mirror(1)). The
 * first suite in the list is probed. Only mirrors of the archive that this suite belongs to are imported.
 */
const apt: ReadList = (text, lines) => {
  const stanzas = stanzasOf(text).filter((wordsOf) => wordsOf("types").length > 0);
  const sources = stanzas.length > 0 ? stanzas.flatMap(sourcesOfStanza) : sourcesOfLines(lines);
  if (sources === undefined) return undefined;
  const http = /^https?:/i;
  // The suites of `cdrom:` sources are wrong, because their URLs contain spaces.
  const first = sources.find(({ url, suites }) => http.test(url) && suites.length > 0);
  const isOther = (source: Source): boolean =>
    first !== undefined && http.test(source.url) && !isSameArchive(source, first);
  const ours = new Set(sources.filter((source) => !isOther(source)).map(({ url }) => url));
  const others = new Set(sources.map(({ url }) => url).filter((url) => !ours.has(url)));
  const why = `belongs to another archive than ${quote(first?.url ?? "")}; import it from a separate list, with another --to`;
  return {
    probe: { kind: "apt", ...(first && { apt: { suite: first.suites[0] } }) },
    urls: [...ours],
    notes: [...others].map((url) => `${quote(url)} ${why}`),
  };
};

/** Leaves out disabled sources. */
function sourcesOfStanza(wordsOf: (field: string) => string[]): Source[] {
  if (/^(?:no|false|without|off|disable)$/i.test(wordsOf("enabled").join())) return [];
  const [suites, components] = [wordsOf("suites"), wordsOf("components")];
  return wordsOf("uris").map((url) => ({ url, suites, components }));
}

const oneLine = /^deb(?:-src)?\s+(?:\[[^\]]*\]\s*)?(\S+)(?:\s+(\S+)([^#]*))?/;
const withOptions = /^[a-z][a-z0-9+.-]*:\/\/\S+\t\S*(?:priority|type|arch|codename|suite|component|lang):/;

function sourcesOfLines(lines: readonly string[]): Source[] | undefined {
  if (!lines.some((line) => oneLine.test(line) || withOptions.test(line))) return undefined;
  return lines.map((line) => {
    const [, url = line.split(/\s/, 1)[0] ?? "", suite, rest = ""] = oneLine.exec(line) ?? [];
    return { url, suites: suite === undefined ? [] : [suite], components: rest.split(/\s+/).filter(Boolean) };
  });
}

/** Whether a source has the first suite of `first`, and a similar path and a common component. */
function isSameArchive({ url, suites, components }: Source, first: Source): boolean {
  const folders = [url, first.url].map((text) => text.split("/").slice(3).findLast(Boolean));
  return (
    suites.includes(first.suites[0] ?? "") &&
    new Set(folders.filter(Boolean)).size < 2 &&
    (components.length === 0 || components.some((one) => first.components.includes(one)))
  );
}

/** One URL on each line. A `#` after a space begins a comment. */
const urls: ReadList = (_, lines) => {
  if (!/^[a-z][a-z0-9+.-]*:\/\/\S/i.test(lines[0] ?? "")) return undefined;
  return { urls: lines.map((line) => line.replace(/\s#.*$/, "").trimEnd()) };
};

/** In the order in which they are tried. The most general format comes last. */
export const listFormats = { metalink, arch, cran, masterlist, pacman, apt, urls };

/**
 * Returns each mirror in a text of any format once, with a note for each URL that is left out. Throws InputError if the
 * text is not a list with mirrors.
 */
export function readMirrors(file: string, text: string) {
  const trimmed = text.split("\n").map((line) => line.trim());
  const lines = trimmed.filter((line) => line !== "" && !line.startsWith("#"));
  for (const [format, read] of Object.entries(listFormats)) {
    const list = read(text, lines);
    if (list === undefined) continue;
    const mirrors = new Map<string, { readonly url: string }>();
    const notes = [...(list.notes ?? [])];
    for (const written of list.urls) {
      const url = parseUrl(written)?.href ?? written;
      const problem = urlProblem(url);
      if (problem !== undefined) notes.push(problem);
      else if (!mirrors.has(urlKey(url))) mirrors.set(urlKey(url), { url });
    }
    const shown = notes.map((note) => `the URL ${withoutUserInfo(note)}`);
    if (mirrors.size === 0)
      throw new InputError(`${file} has no URL to import: ${shown[0] ?? "comments are left out"}.`);
    return { format, probe: list.probe, mirrors: [...mirrors.values()], notes: shown };
  }
  throw new InputError(`${file} is not a list of mirrors that mirrorfeed recognizes; write one URL a line.`);
}
