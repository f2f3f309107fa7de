import { type ListEntry, type ListFormat, numberedLines } from "./list-format.ts";

const oneLine = /^deb(?:-src)?\s+(?:\[[^\]]*\]\s*)?(\S+)/;
const field = /^([A-Za-z][A-Za-z0-9-]*):\s*(.*)$/;

/**
 * Sources of apt, in the format of one line or of deb822 (sources.list(5)), or a list for `mirror+file:`
 * (apt-transport-mirror(1)). A URL that stands there for several suites is one mirror.
 */
export const apt: ListFormat = {
  title: "sources of apt, or its list of mirrors",
  kind: "apt",
  isLike: (_, text) =>
    /^[^\S\n]*deb(?:-src)?\s/m.test(text) ||
    (/^Types:/im.test(text) && /^URIs:/im.test(text)) ||
    /^[a-z][a-z0-9+.-]*:\/\/\S+\t\S*(?:priority|type|arch|codename|suite|component|lang):/m.test(text),
  parse: (text) => withoutRepeats(/^Types:/im.test(text) ? parseStanzas(text) : parseLines(text)),
};

function parseLines(text: string): ListEntry[] {
  return numberedLines(text).flatMap(({ line, text: content }) => {
    if (content.startsWith("#")) return [];
    const url = oneLine.exec(content)?.[1] ?? content.split(/\s/)[0] ?? "";
    return [{ line, url }];
  });
}

/** A stanza of deb822: its URLs with their lines. */
interface Stanza {
  urls: ListEntry[];
  isEnabled: boolean;
}

function parseStanzas(text: string): ListEntry[] {
  const stanzas: Stanza[] = [{ urls: [], isEnabled: true }];
  let name = "";
  for (const [index, content] of text.split(/\r?\n/).entries()) {
    if (content.startsWith("#")) continue;
    if (content.trim() === "") {
      stanzas.push({ urls: [], isEnabled: true });
      continue;
    }
    const [, key, first] = field.exec(content) ?? [];
    const value = first ?? content;
    if (key !== undefined) name = key.toLowerCase();
    const stanza = stanzas.at(-1);
    if (name === "uris")
      stanza?.urls.push(
        ...value.split(/\s+/).flatMap((url) => (url === "" ? [] : [{ line: index + 1, url }])),
      );
    if (name === "enabled" && stanza !== undefined)
      stanza.isEnabled = !/^(?:no|false|without|off|disable)$/i.test(value.trim());
  }
  return stanzas.flatMap(({ urls, isEnabled }) => (isEnabled ? urls : urls.map(disabled)));
}

function disabled({ line }: ListEntry): ListEntry {
  return { line, omitted: "its source is not enabled" };
}

function withoutRepeats(entries: readonly ListEntry[]): ListEntry[] {
  const seen = new Set<string>();
  return entries.filter((entry) => {
    if (!("url" in entry)) return true;
    const isNew = !seen.has(entry.url);
    seen.add(entry.url);
    return isNew;
  });
}
