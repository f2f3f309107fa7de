import { quote } from "../../core/base/text/quote.ts";
import { linesOf, type ReadList, stanzasOf } from "./list-format.ts";

const oneLine = /^deb(?:-src)?\s+(?:\[[^\]]*\]\s*)?(\S+)(?:\s+(\S+)([^#]*))?/;
const http = /^https?:/i;
const withOptions = /^[a-z][a-z0-9+.-]*:\/\/\S+\t\S*(?:priority|type|arch|codename|suite|component|lang):/;

/**
 * Apt sources in one-line or deb822 format (sources.list(5)), or a `mirror+file:` list (apt-transport-mirror(1)). The
 * first suite in the list is probed. Only mirrors of the archive that this suite belongs to are imported.
 */
export const apt: ReadList = (text) => {
  const sources = sourcesOfStanzas(text) ?? sourcesOfLines(text);
  if (sources === undefined) return undefined;
  // The suites of `cdrom:` sources are wrong, because their URLs contain spaces.
  const first = sources.find(({ url, suites }) => http.test(url) && suites.length > 0);
  const [suite] = first?.suites ?? [];
  const isOurs = (source: Source): boolean =>
    first === undefined || !http.test(source.url) || isSameArchive(source, first);
  const urls = new Set(sources.filter(isOurs).map(({ url }) => url));
  const others = new Set(sources.map(({ url }) => url).filter((url) => !urls.has(url)));
  const why = `belongs to another archive than ${quote(first?.url ?? "")}; import it from a separate list, with another --to`;
  return {
    probe: { kind: "apt", ...(suite !== undefined && { apt: { suite } }) },
    urls: [...urls],
    notes: [...others].map((url) => `${quote(url)} ${why}`),
  };
};

interface Source {
  readonly url: string;
  readonly suites: readonly string[];
  readonly components: readonly string[];
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

function sourcesOfLines(text: string): Source[] | undefined {
  const lines = linesOf(text);
  if (!lines.some((line) => oneLine.test(line) || withOptions.test(line))) return undefined;
  return lines.map((line) => {
    const [, url = line.split(/\s/, 1)[0] ?? "", suite, rest = ""] = oneLine.exec(line) ?? [];
    const components = rest.split(/\s+/).filter(Boolean);
    return { url, suites: suite === undefined ? [] : [suite], components };
  });
}

/** Leaves out disabled sources. */
function sourcesOfStanzas(text: string): Source[] | undefined {
  const stanzas = stanzasOf(text).filter((wordsOf) => wordsOf("types").length > 0);
  const enabled = stanzas.filter(
    (wordsOf) => !/^(?:no|false|without|off|disable)$/i.test(wordsOf("enabled").join()),
  );
  if (stanzas.length === 0) return undefined;
  return enabled.flatMap((wordsOf) => {
    const [suites, components] = [wordsOf("suites"), wordsOf("components")];
    return wordsOf("uris").map((url) => ({ url, suites, components }));
  });
}
