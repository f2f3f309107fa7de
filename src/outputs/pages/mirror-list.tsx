import type { ComponentChildren } from "preact";
import { bareUrl } from "../../base/text/url.ts";
import { maxSections, nodePath, targetPath } from "../../contract/page-paths.ts";
import { type Feed, type FeedNode, type Target, targetsOf } from "../../feed/feed.ts";
import { dayBars, daysSummary, sparkline } from "./days.tsx";
import {
  countStates,
  evidenceNotes,
  notice,
  rowAttributes,
  runNote,
  statesOf,
  statusOf,
} from "./node-status.tsx";
import { isOverview, link, type PageFeed } from "./page-feed.ts";
import { mirrorName, pageLink, Shape } from "./parts.tsx";
import { type Filter, formatFilter, noFilter, stateNames } from "./search-filter.ts";
import { targetShape } from "./summary.ts";

/** Shorter lists are read faster than searched. */
export function isSearched(nodes: readonly FeedNode[]): boolean {
  return nodes.length > maxSections;
}

export function searchLink(filter: Partial<Filter>): string {
  return `${formatFilter({ ...noFilter, ...filter })}#mirrors`;
}

/**
 * Above a long list the script adds a search. `place` is given if the rows are not on the page: it is the start of their
 * paths in the search index.
 */
export function mirrorList(
  feed: PageFeed,
  nodes: readonly FeedNode[],
  rows: ComponentChildren,
  place?: string,
) {
  const counts = countStates(feed, nodes);
  const shown = stateNames.filter((state) => state !== "online" && counts[state] > 0);
  return (
    <>
      {isSearched(nodes) && (
        <div
          id="search"
          class="search"
          data-total={nodes.length}
          data-counts={shown.map((state) => `${state}:${counts[state]}`).join(" ")}
          data-index={place === undefined ? undefined : link(feed, searchIndexPath)}
          data-place={place}
        />
      )}
      <div id="mirrors" class="projects">
        {rows}
      </div>
    </>
  );
}

export const searchIndexPath = "/search.json";

/**
 * Returns every mirror of a feed for the search, by the path of its target. A name that is the URL without its scheme is
 * empty. In targets with more nodes than `sections`, each mirror has its own page.
 */
export function searchIndex(feed: Feed): string {
  const targets = targetsOf(feed.systems).map(({ place, nodes }) => [
    place,
    ...nodes.map((node) => [
      node.id,
      node.name === bareUrl(node.url) ? "" : node.name,
      node.url,
      statesOf(feed, node).join(" "),
      node.uptime["90d"].ratio ?? null,
      node.mean_latency_ms === undefined ? null : Math.round(node.mean_latency_ms),
    ]),
  ]);
  return `${JSON.stringify({ sections: maxSections, targets })}\n`;
}

export function targetList(feed: PageFeed, targets: readonly Target[]) {
  const { columns } = feed.words.nodeRow;
  return (
    <>
      <div class="columns" aria-hidden="true">
        {columns[isOverview(feed) ? "run" : "day"].map((title) => (
          <span>{title}</span>
        ))}
      </div>
      <ul class="targets">
        {targets.map((target) => (
          <li class="target" data-group data-place={target.place}>
            <div>
              <h3>{pageLink(feed, targetPath(target), target.target)}</h3>
              {targetShape(feed, target) !== "online" && feed.everReached && (
                <p class="quiet">{reachableText(feed, target)}</p>
              )}
            </div>
            <ul>{target.nodes.map((node) => nodeRow(feed, node))}</ul>
          </li>
        ))}
      </ul>
    </>
  );
}

export function compactList(feed: PageFeed, targets: readonly Target[]) {
  return (
    <ul class="compact">
      {targets.map((target) => (
        <li>
          <Shape name={targetShape(feed, target)} />
          {pageLink(feed, targetPath(target), target.target)}
          <span>{reachableText(feed, target)}</span>
          {worstNote(feed, target)}
        </li>
      ))}
    </ul>
  );
}

function reachableText(feed: PageFeed, { nodes }: Target): string {
  return feed.words.nodeRow.reachable(countStates(feed, nodes).online, nodes.length);
}

function worstNote(feed: PageFeed, { nodes }: Target) {
  const counts = countStates(feed, nodes);
  const worst = (["behind", "differs", "maintenance"] as const).find((state) => counts[state] > 0);
  const { terms, nodeRow } = feed.words;
  return worst && notice(worst === "behind" ? terms.behind : nodeRow[worst]);
}

function nodeRow(feed: PageFeed, node: FeedNode) {
  const { shape, word } = statusOf(feed, node);
  const days = node.days();
  const notes = evidenceNotes(feed, node);
  let today: FeedNode["today"] | undefined;
  let latency = days?.latency_ms.mean.at(-1);
  if (isOverview(feed)) {
    latency = node.observed.code === "ok" ? node.observed.latency_ms : undefined;
    if (feed.everReached) {
      today = node.today;
      const note = runNote(feed.words, node);
      if (note !== undefined) notes.push(note);
    }
  }
  return (
    <li class="node" {...rowAttributes(feed, node)}>
      <Shape name={shape} />
      {mirrorName(feed, node, node.primary && <small> {feed.words.terms.primary}</small>)}
      <p class="notes">
        <b class={shape}>{word}</b>
        {notes.map((note) => [" · ", note])}
      </p>
      <a
        class="days"
        href={link(feed, nodePath(node))}
        aria-label={`${node.name}, ${daysSummary(feed.words, node, days, today)}`}
      >
        {dayBars(days, today)}
      </a>
      <span class="ratio">{uptimeOf(feed, node, shape === "online")}</span>
      <span class="latency">
        {sparkline(days)}
        <span>
          {latency != null && (
            <>
              <span class="visually-hidden">{feed.words.terms.latency} </span>
              {latency} ms
            </>
          )}
        </span>
      </span>
    </li>
  );
}

/** The uptime ends at midnight, so it may contradict a row that is not online, which then says so. */
function uptimeOf({ words: { nodeRow, terms, number } }: PageFeed, node: FeedNode, isOnline: boolean) {
  const { ratio } = node.uptime["90d"];
  const value =
    ratio === undefined ? (
      <>
        <span aria-hidden="true">–</span>
        <span class="visually-hidden">{nodeRow.notKnown}</span>
      </>
    ) : (
      <>
        {number.percent(ratio)}{" "}
        <small class={isOnline ? "visually-hidden" : undefined}>{terms.toMidnight}</small>
      </>
    );
  return [<span class="visually-hidden">{terms.uptime} </span>, value];
}
