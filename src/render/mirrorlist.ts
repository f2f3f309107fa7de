import { rank } from "../client/rank.ts";
import { LazyFile, type SiteFile } from "../files/site-file.ts";
import { type Feed, type Node, nodesOf, targetsOf } from "../model/feed.ts";

/**
 * Returns a mirror list for each target: the URLs of all its nodes, one a line, best first in the ranking of `pick`. If the
 * prober was offline, they are in the order of the configuration. A target with a node in a country has the same list for
 * each country of the feed.
 */
export function renderMirrorlists(feed: Feed): SiteFile[] {
  const countries = countriesOf(feed);
  return targetsOf(feed.systems).flatMap(({ place, nodes }) => {
    const listFor = (path: string, country?: string): SiteFile =>
      new LazyFile(path, () =>
        inOrder(feed, nodes, country)
          .map(({ url }) => `${url}\n`)
          .join(""),
      );
    const hasCountry = nodes.some(({ country }) => country !== undefined);
    return [
      listFor(`mirrorlist/${place}.txt`),
      ...(hasCountry ? countries : []).map((country) =>
        listFor(`country/${country.toLowerCase()}/${place}.txt`, country),
      ),
    ];
  });
}

/** Returns the countries of all nodes, in alphabetical order. */
function countriesOf({ systems }: Feed): string[] {
  const all = nodesOf(targetsOf(systems)).flatMap(({ country }) => country ?? []);
  return [...new Set(all)].sort();
}

function inOrder({ isKnown }: Feed, nodes: readonly Node[], country?: string): readonly Node[] {
  return isKnown ? rank(nodes, country) : nodes;
}
