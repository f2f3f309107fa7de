import { kinds } from "../kinds/kinds.ts";
import type { Node, Target } from "../model/feed.ts";
import { copyLines, unknownUrl } from "./copy-lines.tsx";
import type { PageFeed } from "./links.ts";
import { freshnessNote } from "./node-status.tsx";
import { listLines } from "./use.tsx";

type Line = readonly [title: string, line: string];

/** Renders the answer to "which mirror do I take?": the URL of the best one, and how to use it. `nodes` begin with the best. */
export function bestMirror(feed: PageFeed, target: Target, nodes: readonly Node[]): preact.JSX.Element {
  const { best: words } = feed.words.mirrors;
  const [best] = nodes;
  const note = best && freshnessNote(feed, best);
  const site = feed.url ?? unknownUrl;
  const isReachable = feed.everReached && best?.status === 1;
  const lines: Line[] = [[words.pick, `mirrorfeed pick ${site} ${target.place}`]];
  if (best !== undefined && isReachable) {
    lines.unshift([titleOf(feed, target, best), best.url], ...usageOf(words.command, site, target, best));
  }
  return (
    <section class="best" aria-labelledby="best" data-best={isReachable ? "" : undefined}>
      <h2 id="best" class="visually-hidden">
        {words.heading}
      </h2>
      {!isReachable && <p class="notice">{feed.everReached ? words.noneReachable : words.nothingKnown}</p>}
      {isReachable && note !== undefined && (
        <p>
          {words.itIs} {note}
        </p>
      )}
      {copyLines(lines, feed.url !== undefined, feed.top)}
    </section>
  );
}

function titleOf({ words: { mirrors } }: PageFeed, { reference }: Target, best: Node): string {
  const { best: words } = mirrors;
  if (best.maintenance !== undefined) return words.inMaintenance;
  if (best.freshness === "in_sync") return words.inSync;
  // Without a reference there is nothing that a mirror could be in sync with.
  return reference === undefined ? words.reachable : words.notInSync;
}

/** Returns the line that a tool takes: with the URL of the best mirror, or with the list of all. */
function usageOf(title: string, site: string, target: Target, { kind, url }: Node): Line[] {
  const { usage } = kinds[kind];
  if (usage !== undefined) return [[title, usage.command(url)]];
  const [first] = listLines(site, target);
  return first === undefined ? [] : [[title, first[1]]];
}
