import type { ComponentChildren } from "preact";
import { formatCount, formatInteger, percent } from "../../core/base/text/count.ts";
import { shellWord } from "../../core/base/text/quote.ts";
import type { MirrorState } from "../../core/verdict/mirror-state.ts";
import type { Target } from "../../core/feed/feed.ts";
import { bestNearby, bestOf, countriesOf, countryList, isRecommendable, toolLists } from "../lists/lists.ts";
import { kinds } from "../../core/kinds/kinds.ts";
import type { ContentCode } from "../../core/kinds/mirror-content.ts";
import { nodePath } from "../../core/feed/page-paths.ts";
import { countryName } from "../layout/country-name.ts";
import { olderText } from "../layout/node-status.tsx";
import type { PageFeed } from "../layout/page-feed.ts";
import { copyLines, fileLinks, joined, time, titleLink, unknownUrl } from "../layout/parts.tsx";
import { wrongContentOf } from "../layout/state-summary.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";

/** A reader should know what is still good if the best mirror is not for them. */
const maxOthers = 3;

/** `nodes` are in the order of the mirror list. */
export function bestMirror(feed: PageFeed, target: Target, nodes: readonly FeedNode[]) {
  const best = bestOf(feed, target);
  const others = nodes.filter((node) => node !== best && isRecommendable(node)).slice(0, maxOthers);
  const nearby = bestNearby(feed, target);
  const subject = best ?? nodes[0];
  const note =
    feed.everReached && subject
      ? bestNotes[subject.state](feed, subject)
      : "No mirror has ever been reached, so none can be recommended.";
  return (
    <section class="best" aria-labelledby="best" data-best={best && ""}>
      <h2 id="best" class="visually-hidden">
        Use it now
      </h2>
      {note !== undefined && <p class="notice">{note}</p>}
      {best !== undefined && [
        copyLines(feed, [[isRecommendable(best) ? "Use this one" : "Best reachable mirror", best.url]], true),
        <p class="reasons" data-url={best.url} data-id={best.id}>
          {joined(recommendation(best))}
        </p>,
      ]}
      {nearby.map(({ country, node }) => (
        <p class="reasons" data-url={node.url} data-near={country} data-id={node.id} hidden>
          {joined([`In your browser’s region (${countryName(country)})`, ...recommendation(node)])}
        </p>
      ))}
      {others.length > 0 && (
        <p class="reasons others">
          Also good:
          {(nearby.length > 0 && best ? [best, ...others] : others).map((node) => (
            <span data-other={node.id} hidden={node === best}>
              {" "}
              {titleLink(feed, nodePath(node), node.name)}
              {node.country !== undefined && ` (${countryName(node.country)})`}
            </span>
          ))}
        </p>
      )}
      {commands(feed, target, best)}
    </section>
  );
}

/** Says why a mirror is recommended. */
function recommendation(node: FeedNode): string[] {
  const days = node.days();
  const { freshness, uptime, mean_latency_ms: latency, today } = node;
  const { ratio } = uptime["90d"];
  const since = days.length - 1 - days.findLastIndex(({ failed }) => failed > 0);
  const reasons = [
    freshness === "in_sync" && "In sync",
    ratio !== undefined && `${percent(ratio)} uptime`,
    since > 0 && today.failed === 0 && `no failure for ${formatCount(since, "day")}`,
    latency !== undefined && `${formatInteger(latency)} ms`,
  ];
  return reasons.filter((reason) => typeof reason === "string");
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

/** Says why the best mirror is not recommended without reserve, by its state. */
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
  online: (_, best) => {
    // Without a reference, no mirror can be in sync.
    if (best.freshness === "unknown" && best.target.reference)
      return "It is not known whether this mirror is up to date.";
    if (isRecommendable(best)) return undefined;
    return best.notice === undefined
      ? "The best mirror of this target has failed in at least every third run of the last week."
      : "The operator’s notice is about this mirror too, but no other is better.";
  },
};

function commands(feed: PageFeed, target: Target, best: FeedNode | undefined) {
  const { place, nodes } = target;
  const url = feed.url ?? unknownUrl;
  const fallback = best ?? nodes.find(({ primary }) => primary) ?? nodes[0];
  const pick = `mirrorfeed pick ${url} ${place} --fallback ${shellWord(fallback?.url ?? "")}`;
  const usages = (best && kinds[best.kind].usages) ?? [];
  const lists = toolLists(nodes);
  const lines = [
    ...usages.map(({ title, command }) => [title, command(best?.url ?? "")] as const),
    ...lists.flatMap(({ list: { usage, extension }, nodes: [first] }) => {
      const file = `${url}/mirrorlist/${place}.${extension}`;
      return usage === undefined ? [] : [[usage.title, usage.line(file, first?.options ?? {})] as const];
    }),
    ["Pick the best mirror in a script", pick],
    ["Stop a script if no mirror is reachable", `mirrorfeed check ${url} ${place}`],
  ] as const;
  const files = [
    ["statuses", `/v1/network/${place}/`],
    ["reachable mirrors", `/v1/network/${place}/1/`],
    ["evidence", `/v1/report/${place}/`],
    ["mirror list", `/mirrorlist/${place}.txt`],
    ...lists.map(
      ({ list: { tool, extension } }) => [`list for ${tool}`, `/mirrorlist/${place}.${extension}`] as const,
    ),
    ["badge", `/badge/${place}.svg`],
  ] as const;
  const byCountry = countriesOf([target]).map(
    (country) => [countryName(country), `/${countryList(target, country)}.txt`] as const,
  );
  return (
    <details id="commands">
      <summary>Commands and files</summary>
      {copyLines(feed, lines, feed.url !== undefined)}
      {fileLinks(feed, "Files:", files)}
      {byCountry.length > 0 && fileLinks(feed, "Mirror lists by country:", byCountry)}
    </details>
  );
}
