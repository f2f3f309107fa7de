import { shellWord } from "../../base/text/quote.ts";
import type { FeedNode, Target } from "../../feed/feed.ts";
import { toolLists } from "../../feed/lists.ts";
import { kinds } from "../../kinds/kinds.ts";
import { freshnessNote } from "./node-status.tsx";
import type { PageFeed } from "./page-feed.ts";
import { type CopyLine, copyLines, fileLinks, unknownUrl } from "./parts.tsx";

/** Renders the URL of the best mirror, the first of `nodes`, and how to use it. */
export function bestMirror(feed: PageFeed, target: Target, nodes: readonly FeedNode[]) {
  const { best: words } = feed.words;
  const [first] = nodes;
  const best = feed.everReached && first?.status === 1 ? first : undefined;
  const note = best && freshnessNote(feed, best);
  const lines: CopyLine[] = [[words.pick, `mirrorfeed pick ${feed.url ?? unknownUrl} ${target.place}`]];
  if (best !== undefined)
    lines.unshift([titleOf(feed, target, best), best.url], ...usageOf(feed, target, best));
  return (
    <section class="best" aria-labelledby="best" data-best={best && ""}>
      <h2 id="best" class="visually-hidden">
        {words.heading}
      </h2>
      {best === undefined && (
        <p class="notice">{feed.everReached ? words.noneReachable : words.nothingKnown}</p>
      )}
      {note !== undefined && (
        <p>
          {words.itIs} {note}
        </p>
      )}
      {copyLines(feed, lines, feed.url !== undefined)}
    </section>
  );
}

function titleOf({ words: { best: words } }: PageFeed, { reference }: Target, best: FeedNode): string {
  if (best.maintenance !== undefined) return words.inMaintenance;
  if (best.freshness === "in_sync") return words.inSync;
  // Without a reference there is nothing that a mirror could be in sync with.
  return reference === undefined ? words.reachable : words.notInSync;
}

/** Returns the command with the URL of the best mirror, or with the list of all. */
function usageOf(feed: PageFeed, target: Target, { kind, url }: FeedNode): CopyLine[] {
  const line = kinds[kind].usage?.command(url) ?? listLines(feed, target)[0]?.[1];
  return line === undefined ? [] : [[feed.words.best.command, line]];
}

export function howToUse(feed: PageFeed, target: Target) {
  const { target: name, place, nodes } = target;
  const { use: words, terms } = feed.words;
  const url = feed.url ?? unknownUrl;
  const known = nodes.find(({ revision }) => revision !== undefined);
  const usage = known && kinds[known.kind].usage;
  const fallback = (nodes.find(({ primary }) => primary) ?? nodes[0])?.url ?? "";
  const best = `$(mirrorfeed pick ${url} ${place} --fallback ${shellWord(fallback)})`;
  const lines: CopyLine[] = [
    ...(usage === undefined ? [] : [[useTitle(feed, usage.title), usage.command(best)] as const]),
    ...listLines(feed, target),
    [words.check, `mirrorfeed check ${url} ${place}`],
    [words.embed, `<iframe src="${url}/embed/${place}/" title="${name}" height="160"></iframe>`],
    [words.badge, `[![${name}](${url}/badge/${place}.svg)](${url}/status/${place}/)`],
  ];
  const files = [
    [terms.statuses, `/v1/network/${place}/`],
    [words.reachable, `/v1/network/${place}/1/`],
    [terms.evidence, `/v1/report/${place}/`],
    [words.mirrorlist, `/mirrorlist/${place}.txt`],
    ...toolLists(target.nodes).map(
      ({ list: { tool, extension } }) => [words.listFor(tool), `/mirrorlist/${place}.${extension}`] as const,
    ),
    [words.badgeFile, `/badge/${place}.svg`],
    [words.embedFile, `/embed/${place}/`],
  ] as const;
  return (
    <section class="use" aria-labelledby="use">
      <h2 id="use">{words.heading}</h2>
      {copyLines(feed, lines, feed.url !== undefined)}
      {fileLinks(feed, terms.asFiles, files)}
    </section>
  );
}

function listLines(feed: PageFeed, target: Target): CopyLine[] {
  return toolLists(target.nodes).flatMap(({ list: { usage, extension }, nodes }): CopyLine[] => {
    const file = `${feed.url ?? unknownUrl}/mirrorlist/${target.place}.${extension}`;
    return usage === undefined
      ? []
      : [[useTitle(feed, usage.title), usage.line(file, nodes[0]?.options ?? {})]];
  });
}

function useTitle({ words }: PageFeed, title: string): string {
  return words.sentence.uses[title] ?? title;
}
