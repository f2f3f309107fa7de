import { group } from "../../core/base/text/group.ts";
import { quote } from "../../core/base/text/quote.ts";
import { type ListEntry, type ListFormat, numberedLines } from "./list-format.ts";

const oneLine = /^deb(?:-src)?\s+(?:\[([^\]]*)\]\s*)?(\S+)(?:\s+(\S+)([^#]*))?/;
const withOptions = /^[a-z][a-z0-9+.-]*:\/\/\S+\t\S*(?:priority|type|arch|codename|suite|component|lang):/;
const field = /^([A-Za-z][A-Za-z0-9-]*):\s*(.*)$/;
const isStanzas = /^Types:/im;

/**
 * Apt sources in one-line or deb822 format (sources.list(5)), or a `mirror+file:` list (apt-transport-mirror(1)). A URL
 * listed for several suites is one mirror. The first suite in the list is probed. Only mirrors of the archive that this
 * suite belongs to are imported.
 */
export const apt: ListFormat = {
  title: "apt sources or an apt mirror list",
  probe: (text) => {
    const suite = firstSource(sourcesOf(text))?.suites[0];
    return { kind: "apt", ...(suite === undefined ? {} : { apt: { suite } }) };
  },
  isLike: (text) =>
    (isStanzas.test(text) && /^URIs:/im.test(text)) ||
    numberedLines(text).some(({ text: content }) => oneLine.test(content) || withOptions.test(content)),
  parse: (text) => {
    const sources = sourcesOf(text);
    const first = firstSource(sources);
    const byUrl = group(sources.filter((one) => one.isEnabled).map((one) => [one.url, one] as const));
    return sources.flatMap(({ line, url, isEnabled }): ListEntry[] => {
      if (!isEnabled) return [{ line, omitted: "its source is disabled" }];
      const found = byUrl.get(url);
      byUrl.delete(url);
      if (found === undefined) return [];
      const difference = first && differenceOf(found, first);
      if (difference === undefined) return [{ line, url }];
      const archive = `its archive is not the one on line ${String(first?.line)} (${difference})`;
      return [
        { line, omitted: `${archive}; put this source in a separate list, and import it with another --to` },
      ];
    });
  },
};

interface Source {
  readonly line: number;
  readonly url: string;
  readonly suites: readonly string[];
  readonly components: readonly string[];
  /** Empty if the source has no Signed-By option. */
  readonly signedBy: string;
  readonly isEnabled: boolean;
}

/** Skips `cdrom:` sources, because their URLs contain spaces and `sourcesOf` therefore reads wrong suites. */
function firstSource(sources: readonly Source[]): Source | undefined {
  return sources.find(({ url, suites }) => isHttp(url) && suites.length > 0);
}

function isHttp(url: string): boolean {
  return /^https?:/i.test(url);
}

/**
 * Returns how the archive of `sources`, which all have the same URL, differs from the archive of `first`, such as
 * `path "ubuntu", not "debian"`. Returns undefined if both are the same archive.
 */
function differenceOf(sources: readonly [Source, ...Source[]], first: Source): string | undefined {
  const [suite = ""] = first.suites;
  const [source] = sources;
  if (!isHttp(source.url)) return undefined;
  const own = sources.find(({ suites }) => suites.includes(suite)) ?? source;
  const differs = (what: string, one: string, other: string): string =>
    `${what} ${one === "" ? "none" : quote(one)}, not ${other === "" ? "none" : quote(other)}`;
  const [folder = "", usual = ""] = [own, first].map(({ url }) => url.split("/").slice(3).findLast(Boolean));
  if (folder !== usual && folder !== "" && usual !== "") return differs("path", folder, usual);
  if (!own.suites.includes(suite)) return differs("suites", own.suites.join(" "), suite);
  const isShared = own.components.some((one) => first.components.includes(one));
  if (!isShared && own.components.length + first.components.length > 0)
    return differs("components", own.components.join(" "), first.components.join(" "));
  return own.signedBy === first.signedBy ? undefined : differs("signed-by", own.signedBy, first.signedBy);
}

function sourcesOf(text: string): Source[] {
  return isStanzas.test(text) ? stanzasOf(text).flatMap(sourcesOfStanza) : sourcesOfLines(text);
}

function sourcesOfLines(text: string): Source[] {
  return numberedLines(text).flatMap(({ line, text: content }) => {
    if (content.startsWith("#")) return [];
    const [, options = "", url = content.split(/\s/, 1)[0] ?? "", suite, rest = ""] =
      oneLine.exec(content) ?? [];
    const [, signedBy = ""] = /(?:^|\s)signed-by=(\S+)/i.exec(options) ?? [];
    const suites = suite === undefined ? [] : [suite];
    return [{ line, url, suites, components: wordsIn(rest), signedBy, isEnabled: true }];
  });
}

/** Maps lowercase field names to the lines of their values. */
type Stanza = Map<string, { readonly line: number; readonly value: string }[]>;

function stanzasOf(text: string): Stanza[] {
  const empty = (): Stanza => new Map();
  const stanzas = [empty()];
  let name = "";
  for (const [index, content] of text.split(/\r?\n/).entries()) {
    if (content.startsWith("#")) continue;
    if (content.trim() === "") {
      stanzas.push(empty());
      continue;
    }
    const [, key, value = content] = field.exec(content) ?? [];
    if (key !== undefined) name = key.toLowerCase();
    const stanza = stanzas.at(-1);
    const values = stanza?.get(name) ?? [];
    stanza?.set(name, values);
    values.push({ line: index + 1, value: value.trim() });
  }
  return stanzas;
}

function sourcesOfStanza(stanza: Stanza): Source[] {
  const linesOf = (name: string) => stanza.get(name) ?? [];
  const wordsOf = (name: string) => linesOf(name).flatMap(({ value }) => wordsIn(value));
  const isEnabled = !wordsOf("enabled").some((word) => /^(?:no|false|without|off|disable)$/i.test(word));
  const suites = isEnabled ? wordsOf("suites") : [];
  const components = wordsOf("components");
  const signedBy = wordsOf("signed-by").join(" ");
  return linesOf("uris").flatMap(({ line, value }) =>
    wordsIn(value).map((url) => ({ line, url, suites, components, signedBy, isEnabled })),
  );
}

function wordsIn(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}
