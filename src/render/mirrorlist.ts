import { rank } from "../client/rank.ts";
import { LazyFile, type SiteFile } from "../files/site-file.ts";
import { type Feed, targetsOf } from "../model/feed.ts";

/**
 * Returns a mirror list for each target: the URLs of all its nodes, one a line, best first in the ranking of `pick`. If the
 * prober was offline, they are in the order of the configuration.
 */
export function renderMirrorlists({ isKnown, systems }: Feed): SiteFile[] {
  return targetsOf(systems).map(
    ({ place, nodes }) =>
      new LazyFile(`mirrorlist/${place}.txt`, () =>
        (isKnown ? rank(nodes) : nodes).map(({ url }) => `${url}\n`).join(""),
      ),
  );
}
