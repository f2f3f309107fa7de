import type { ComponentChildren } from "preact";
import { shellWord } from "../../base/text/quote.ts";
import type { MirrorState } from "../../contract/mirror-state.ts";
import type { FeedNode, Target } from "../../feed/feed.ts";
import { toolLists } from "../../feed/lists.ts";
import { kinds } from "../../kinds/kinds.ts";
import { bestOf, countryList } from "./mirror-list.tsx";
import { olderText } from "./node-status.tsx";
import type { PageFeed } from "./page-feed.ts";
import { type CopyLine, copyLines, fileLinks, time, unknownUrl } from "./parts.tsx";
import { wrongContentOf } from "./conditions.ts";

/** `nodes` are in the order of the mirror list. */
export function bestMirror(feed: PageFeed, target: Target, nodes: readonly FeedNode[]) {
  const { best: words } = feed.words;
  const [first] = nodes;
  const best = bestOf(feed, target);
  const note = feed.everReached && first ? bestNotes[first.state](feed, first) : words.nothingKnown;
  const lines: CopyLine[] = [[words.pick, `mirrorfeed pick ${feed.url ?? unknownUrl} ${target.place}`]];
  if (best !== undefined) {
    const isInSync = best.state === "online" && best.freshness === "in_sync";
    lines.unshift([isInSync ? words.inSync : words.reachable, best.url], ...usageOf(feed, target, best));
  }
  return (
    <section class="best" aria-labelledby="best" data-best={best && ""}>
      <h2 id="best" class="visually-hidden">
        {words.heading}
      </h2>
      {note !== undefined && <p class="notice">{note}</p>}
      {copyLines(feed, lines, feed.url !== undefined)}
    </section>
  );
}

/** Warnings about the best mirror, by its state. */
const bestNotes: Readonly<Record<MirrorState, (feed: PageFeed, best: FeedNode) => ComponentChildren>> = {
  offline: ({ words }) => words.best.offline,
  wrong: ({ words }, best) => words.best.wrong[wrongContentOf(best)],
  differs: ({ words }) => words.best.differs,
  behind: (feed, { behind_since, lag_seconds }) => {
    const { behind, older } = feed.words.best;
    if (lag_seconds) return older(olderText(feed, lag_seconds));
    return behind_since && [behind[0], time(feed, behind_since, "since"), behind[1]];
  },
  maintenance: ({ words }) => words.best.maintenance,
  unknown: ({ words }) => words.best.unknown,
  // Without a reference, no mirror can be in sync.
  online: ({ words }, { freshness, target: { reference } }) =>
    freshness === "in_sync" ? undefined : reference && words.best.freshnessUnknown,
};

/**
 * Returns a command that uses the best mirror. If the mirror's kind has no such command, returns a line that uses the
 * mirror list.
 */
function usageOf(feed: PageFeed, target: Target, { kind, url }: FeedNode): CopyLine[] {
  const line = kinds[kind].usages?.[0]?.command(url) ?? listLines(feed, target)[0]?.[1];
  return line === undefined ? [] : [[feed.words.best.command, line]];
}

export function howToUse(feed: PageFeed, target: Target) {
  const { target: name, place, nodes } = target;
  const { use: words, terms } = feed.words;
  const url = feed.url ?? unknownUrl;
  const known = nodes.find(({ revision }) => revision !== undefined);
  const usages = (known && kinds[known.kind].usages) ?? [];
  const fallback = (nodes.find(({ primary }) => primary) ?? nodes[0])?.url ?? "";
  const best = `$(mirrorfeed pick ${url} ${place} --fallback ${shellWord(fallback)})`;
  const lines: CopyLine[] = [
    ...usages.map(({ title, command }) => [useTitle(feed, title), command(best)] as const),
    ...listLines(feed, target),
    [words.check, `mirrorfeed check ${url} ${place}`],
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
  ] as const;
  const countries = [...new Set(nodes.flatMap(({ country }) => country ?? []))].sort();
  return (
    <section class="use" aria-labelledby="use">
      <h2 id="use">{words.heading}</h2>
      {copyLines(feed, lines, feed.url !== undefined)}
      {fileLinks(feed, terms.asFiles, files)}
      {countries.length > 0 &&
        fileLinks(
          feed,
          words.byCountry,
          countries.map((country) => [feed.countryName(country), countryList(target, country)] as const),
        )}
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
