import { quote } from "../../base/text/quote.ts";
import { type ListEntry, type ListFormat, numberedLines } from "./list-format.ts";

const oneLine = /^deb(?:-src)?\s+(?:\[[^\]]*\]\s*)?(\S+)(?:\s+(\S+))?/;
const withOptions = /^[a-z][a-z0-9+.-]*:\/\/\S+\t\S*(?:priority|type|arch|codename|suite|component|lang):/;
const field = /^([A-Za-z][A-Za-z0-9-]*):\s*(.*)$/;
const isStanzas = /^Types:/im;

/**
 * Sources of apt, in the format of one line or of deb822 (sources.list(5)), or a list for `mirror+file:`
 * (apt-transport-mirror(1)). A URL that stands there for several suites is one mirror. The first suite is probed.
 */
export const apt: ListFormat = {
  title: "sources of apt, or its list of mirrors",
  probe: (text) => {
    const suite = firstSuite(sourcesOf(text));
    return { kind: "apt", ...(suite === undefined ? {} : { apt: { suite } }) };
  },
  isLike: (_, text) =>
    (isStanzas.test(text) && /^URIs:/im.test(text)) ||
    numberedLines(text).some(({ text: content }) => oneLine.test(content) || withOptions.test(content)),
  parse: (text) => {
    const sources = sourcesOf(text);
    const suite = firstSuite(sources);
    const complete = new Set(
      sources.flatMap(({ url, suites }) => (suites.includes(suite ?? "") ? [url] : [])),
    );
    const seen = new Set<string>();
    return sources.flatMap(({ line, url, isEnabled }): ListEntry[] => {
      if (!isEnabled) return [{ line, omitted: "its source is not enabled" }];
      if (seen.has(url)) return [];
      seen.add(url);
      const isOther = suite !== undefined && !complete.has(url);
      const doubt = `the list does not take the suite ${quote(String(suite))} from it; a target has mirrors of the same content`;
      return [{ line, url, doubt: isOther ? doubt : undefined }];
    });
  },
};

interface Source {
  readonly line: number;
  readonly url: string;
  readonly suites: readonly string[];
  readonly isEnabled: boolean;
}

/** Returns the first suite that is taken over HTTP. A cdrom has spaces in its URL. */
function firstSuite(sources: readonly Source[]): string | undefined {
  return sources.find(({ url, suites }) => /^https?:/i.test(url) && suites.length > 0)?.suites[0];
}

function sourcesOf(text: string): Source[] {
  return isStanzas.test(text) ? stanzasOf(text).flatMap(sourcesOfStanza) : linesOf(text);
}

function linesOf(text: string): Source[] {
  return numberedLines(text).flatMap(({ line, text: content }) => {
    if (content.startsWith("#")) return [];
    const [, url = content.split(/\s/, 1)[0] ?? "", suite] = oneLine.exec(content) ?? [];
    return [{ line, url, suites: suite === undefined ? [] : [suite], isEnabled: true }];
  });
}

/** The values of the fields of a stanza by their names in lower case, each line of a value with its number. */
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
  const wordsOf = (name: string) =>
    (stanza.get(name) ?? []).flatMap(({ line, value }) => value.split(/\s+/).map((word) => ({ line, word })));
  const isEnabled = !wordsOf("enabled").some(({ word }) => /^(?:no|false|without|off|disable)$/i.test(word));
  const suites = isEnabled ? wordsOf("suites").flatMap(({ word }) => (word === "" ? [] : [word])) : [];
  return wordsOf("uris").flatMap(({ line, word: url }) =>
    url === "" ? [] : [{ line, url, suites, isEnabled }],
  );
}
