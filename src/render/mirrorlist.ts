import { rank } from "../client/rank.ts";
import { LazyFile, type SiteFile } from "../files/site-file.ts";
import { type Feed, targetsOf } from "../model/feed.ts";

/**
 * Returns the lists of mirrors, one a target: the URLs of all its nodes, one a line and nothing else, the best first, as
 * clients rank them. If the prober was offline, nothing is known of them, and they stand in the order of the network.
 */
export function renderMirrorlists({ isKnown, systems }: Feed): SiteFile[] {
  return targetsOf(systems).map(
    ({ place, nodes }) =>
      new LazyFile(`mirrorlist/${place}.txt`, () =>
        (isKnown ? rank(nodes) : nodes).map(({ url }) => `${url}\n`).join(""),
      ),
  );
}
