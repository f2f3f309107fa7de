import type { ComponentChildren } from "preact";
import { shellWord } from "../../core/base/text/quote.ts";
import type { MirrorState } from "../../core/verdict/mirror-state.ts";
import type { Target } from "../../core/feed/feed.ts";
import { toolLists } from "../lists/lists.ts";
import { kinds } from "../../core/kinds/kinds.ts";
import type { ContentCode } from "../../core/kinds/mirror-content.ts";
import { bestOf, countryList, countryName } from "./mirror-list.tsx";
import { olderText } from "../layout/node-status.tsx";
import type { PageFeed } from "../layout/page-feed.ts";
import { type CopyLine, copyLines, fileLinks, time, unknownUrl } from "../layout/parts.tsx";
import { wrongContentOf } from "../layout/count-conditions.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";

/** `nodes` are in the order of the mirror list. */
export function bestMirror(feed: PageFeed, target: Target, nodes: readonly FeedNode[]) {
  const [first] = nodes;
  const best = bestOf(feed, target);
  const note =
    feed.everReached && first
      ? bestNotes[first.state](feed, first)
      : "No mirror has ever been reached, so none can be recommended.";
  const lines: CopyLine[] = [
    ["Pick the best mirror in a script", `mirrorfeed pick ${feed.url ?? unknownUrl} ${target.place}`],
  ];
  if (best !== undefined) {
    const isInSync = best.state === "online" && best.freshness === "in_sync";
    lines.unshift(
      [isInSync ? "Best mirror, in sync" : "Best reachable mirror", best.url],
      ...usageOf(feed, target, best),
    );
  }
  return (
    <section class="best" aria-labelledby="best" data-best={best && ""}>
      <h2 id="best" class="visually-hidden">
        Use it now
      </h2>
      {note !== undefined && <p class="notice">{note}</p>}
      {copyLines(feed, lines, feed.url !== undefined)}
    </section>
  );
}

/** Follows “No mirror of this target has the right content.” */
const wrongContent: Readonly<Record<ContentCode | "wrong", string>> = {
  missing_file: "This one is missing a file that it should have.",
  wrong_size: "This one has a file of the wrong size.",
  half_synced: "This one's last sync was interrupted.",
  expired: "This one's index has expired.",
  no_fetch: "This one does not serve what it lists.",
  wrong: "",
};

/** Warnings about the best mirror, by its state. */
const bestNotes: Readonly<Record<MirrorState, (feed: PageFeed, best: FeedNode) => ComponentChildren>> = {
  offline: () => "No mirror of this target is reachable now.",
  wrong: (_, best) =>
    `No mirror of this target has the right content. ${wrongContent[wrongContentOf(best)]}`.trimEnd(),
  differs: () => "No mirror of this target matches its reference. This one differs too, but is reachable.",
  behind: (feed, { behind_since, lag_seconds }) => {
    const none = "No mirror of this target is up to date. This one";
    if (lag_seconds) return `${none} is ${olderText(lag_seconds)}.`;
    return behind_since && [`${none} has been behind `, time(feed, behind_since, "since"), "."];
  },
  maintenance: () => "Every reachable mirror of this target is in maintenance, including this one.",
  unknown: () => "It is not known yet whether a mirror of this target is reachable.",
  // Without a reference, no mirror can be in sync.
  online: (_, { freshness, target: { reference } }) =>
    freshness === "unknown" ? reference && "It is not known whether this mirror is up to date." : undefined,
};

/**
 * Returns a command that uses the best mirror. If the mirror's kind has no such command, returns a line that uses the
 * mirror list.
 */
function usageOf(feed: PageFeed, target: Target, { kind, url }: FeedNode): CopyLine[] {
  const line = kinds[kind].usages?.[0]?.command(url) ?? listLines(feed, target)[0]?.[1];
  return line === undefined ? [] : [["Use it like this", line]];
}

export function howToUse(feed: PageFeed, target: Target) {
  const { target: name, place, nodes } = target;
  const url = feed.url ?? unknownUrl;
  const known = nodes.find(({ revision }) => revision !== undefined);
  const usages = (known && kinds[known.kind].usages) ?? [];
  const fallback = (nodes.find(({ primary }) => primary) ?? nodes[0])?.url ?? "";
  const best = `$(mirrorfeed pick ${url} ${place} --fallback ${shellWord(fallback)})`;
  const lines: CopyLine[] = [
    ...usages.map(({ title, command }) => [title, command(best)] as const),
    ...listLines(feed, target),
    ["Stop a script if no mirror is reachable", `mirrorfeed check ${url} ${place}`],
    ["Show a badge in Markdown", `[![${name}](${url}/badge/${place}.svg)](${url}/status/${place}/)`],
  ];
  const files = [
    ["statuses", `/v1/network/${place}/`],
    ["reachable mirrors", `/v1/network/${place}/1/`],
    ["evidence", `/v1/report/${place}/`],
    ["mirror list", `/mirrorlist/${place}.txt`],
    ...toolLists(target.nodes).map(
      ({ list: { tool, extension } }) => [`list for ${tool}`, `/mirrorlist/${place}.${extension}`] as const,
    ),
    ["badge", `/badge/${place}.svg`],
  ] as const;
  const countries = [...new Set(nodes.flatMap(({ country }) => country ?? []))].sort();
  return (
    <section class="use" aria-labelledby="use">
      <h2 id="use">Use it</h2>
      {copyLines(feed, lines, feed.url !== undefined)}
      {fileLinks(feed, "Files:", files)}
      {countries.length > 0 &&
        fileLinks(
          feed,
          "Mirror lists by country:",
          countries.map((country) => [countryName(country), countryList(target, country)] as const),
        )}
    </section>
  );
}

function listLines(feed: PageFeed, target: Target): CopyLine[] {
  return toolLists(target.nodes).flatMap(({ list: { usage, extension }, nodes }): CopyLine[] => {
    const file = `${feed.url ?? unknownUrl}/mirrorlist/${target.place}.${extension}`;
    return usage === undefined ? [] : [[usage.title, usage.line(file, nodes[0]?.options ?? {})]];
  });
}
