import { group } from "../../core/base/text/group.ts";
import { type ListEntry, type ListFormat, numberedLines } from "./list-format.ts";

const oneLine = /^deb(?:-src)?\s+(?:\[[^\]]*\]\s*)?(\S+)(?:\s+(\S+)([^#]*))?/;
const http = /^https?:/i;
const withOptions = /^[a-z][a-z0-9+.-]*:\/\/\S+\t\S*(?:priority|type|arch|codename|suite|component|lang):/;

/**
 * Apt sources in one-line or deb822 format (sources.list(5)), or a `mirror+file:` list (apt-transport-mirror(1)). A URL
 * listed for several suites is one mirror. The first suite in the list is probed. Only mirrors of the archive that this
 * suite belongs to are imported.
 */
export const apt: ListFormat = {
  name: "apt",
  isLike: (text) =>
    isStanzas(text) ||
    numberedLines(text).some(({ text: content }) => oneLine.test(content) || withOptions.test(content)),
  parse: (text) => {
    const sources = isStanzas(text) ? sourcesOfStanzas(text) : sourcesOfLines(text);
    // The suites of `cdrom:` sources are wrong, because their URLs contain spaces.
    const first = sources.find(({ url, suites }) => http.test(url) && suites.length > 0);
    const [suite] = first?.suites ?? [];
    const byUrl = group(sources.map((source) => [source.url, source] as const));
    const entries = [...byUrl].map(([url, found]): ListEntry => {
      const { line } = found[0];
      const isSame = first === undefined || found.some((source) => isSameArchive(source, first));
      if (isSame || !http.test(url)) return { line, url };
      const why = `belongs to another archive than line ${first.line}`;
      return { line, url, omitted: `${why}; import it from a separate list, with another --to` };
    });
    return { probe: { kind: "apt", ...(suite === undefined ? {} : { apt: { suite } }) }, entries };
  },
};

interface Source {
  readonly line: number;
  readonly url: string;
  readonly suites: readonly string[];
  readonly components: readonly string[];
}

function isStanzas(text: string): boolean {
  return /^Types:/im.test(text) && /^URIs:/im.test(text);
}

/** Whether a source has the first suite of `first`, and a similar path and a common component. */
function isSameArchive(source: Source, first: Source): boolean {
  const [folder, usual] = [source, first].map(({ url }) => url.split("/").slice(3).findLast(Boolean));
  const hasComponents = source.components.length + first.components.length > 0;
  return (
    source.suites.includes(first.suites[0] ?? "") &&
    (folder === usual || folder === undefined || usual === undefined) &&
    (!hasComponents || source.components.some((one) => first.components.includes(one)))
  );
}

function sourcesOfLines(text: string): Source[] {
  return numberedLines(text).flatMap(({ line, text: content }) => {
    if (content.startsWith("#")) return [];
    const [, url = content.split(/\s/, 1)[0] ?? "", suite, rest = ""] = oneLine.exec(content) ?? [];
    return [{ line, url, suites: suite === undefined ? [] : [suite], components: wordsIn(rest) }];
  });
}

/** Leaves out disabled sources. */
function sourcesOfStanzas(text: string): Source[] {
  let end = 1;
  const stanzas = text
    .replaceAll("\r\n", "\n")
    .replaceAll(/^#.*/gm, "#")
    .split(/\n[ \t]*\n/);
  return stanzas.flatMap((stanza) => {
    const start = end;
    end += stanza.split("\n").length + 1;
    // A value continues on lines that begin with a space, with comments in between.
    const wordsOf = (name: string): string[] =>
      wordsIn(new RegExp(`^${name}:(.*(?:\n[ \t#].*)*)`, "im").exec(stanza)?.[1] ?? "");
    if (/^(?:no|false|without|off|disable)$/i.test(wordsOf("enabled").join())) return [];
    const line = start + stanza.slice(0, stanza.search(/^uris:/im)).split("\n").length - 1;
    const [suites, components] = [wordsOf("suites"), wordsOf("components")];
    return wordsOf("uris").map((url) => ({ line, url, suites, components }));
  });
}

function wordsIn(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "" && word !== "#");
}
