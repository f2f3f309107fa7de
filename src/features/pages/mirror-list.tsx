import { formatCount, formatInteger, percent } from "../../core/base/text/count.ts";
import { mirrorStates } from "../../core/verdict/mirror-state.ts";
import { maxSections, nodePath, targetPath } from "../../core/feed/page-paths.ts";
import { nodesOf, type Target } from "../../core/feed/feed.ts";
import { bestOf, countryList, isRecommendable } from "../lists/lists.ts";
import { countryName } from "../layout/country-name.ts";
import { dayLink } from "./day-bars.tsx";
import { searchIndexPath } from "./search-document.ts";
import {
  evidenceNotes,
  rowAttributes,
  runNote,
  sinceNote,
  statesOf,
  stateWord,
  statusOf,
} from "../layout/node-status.tsx";
import { isOverview, link, type PageFeed } from "../layout/page-feed.ts";
import { joined, mirrorName, pageLink, reportAttributes, Shape } from "../layout/parts.tsx";
import { type Filter, formatFilter, noFilter, searchedStates, stateWords } from "../layout/search-filter.ts";
import { verdictShape } from "../layout/shapes.ts";
import { countFound } from "../layout/state-summary.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { verdictOf } from "../../core/feed/verdict.ts";

/** Shorter lists need no search. */
export function isSearched(nodes: readonly FeedNode[]): boolean {
  return nodes.length > maxSections;
}

export function searchLink(filter: Partial<Filter>): string {
  return `${formatFilter({ ...noFilter, ...filter })}#search`;
}

/**
 * If the list is long, renders the element to which the script adds a search. If the rows are not on the page, the
 * script shows mirrors of the index, of targets whose paths begin with `place`.
 */
export function searchSlot(feed: PageFeed, nodes: readonly FeedNode[], place?: string) {
  if (!isSearched(nodes)) return null;
  const found = nodes.flatMap((node) => statesOf(feed, node));
  const counts = countFound(searchedStates, found).filter(([state]) => state !== "online");
  const places = nodes.flatMap(({ country }) => country ?? []);
  const countries = countFound([...new Set(places)].sort(), places);
  const format = (counted: readonly (readonly [string, number])[]): string =>
    counted.map(([name, count]) => `${name}:${count}`).join(" ");
  return (
    <div
      id="search"
      class="search"
      data-total={nodes.length}
      data-counts={format(counts)}
      data-countries={format(countries)}
      data-index={link(feed, searchIndexPath)}
      data-place={place}
    />
  );
}

export function targetList(feed: PageFeed, targets: readonly Target[]) {
  const hasCountries = nodesOf(targets).some(({ country }) => country !== undefined);
  return (
    <>
      <div class="columns" aria-hidden="true">
        {hasCountries && <span>Country</span>}
        {[formatCount(Math.max(1, feed.daysKnown), "day"), "Uptime", "Latency, 7 days"].map((title) => (
          <span>{title}</span>
        ))}
      </div>
      <ul class="targets">
        {targets.map((target) => {
          const best = bestOf(feed, target);
          const isNotable = feed.everReached && verdictOf([target]).counts.online < target.nodes.length;
          return (
            <li class="target" data-group data-place={target.place}>
              <div>
                <h3>{pageLink(feed, targetPath(target), target.target)}</h3>
                {isNotable && <p class="quiet">{onlineText(target)}</p>}
              </div>
              <ul>{target.nodes.map((node) => nodeRow(feed, node, node === best))}</ul>
            </li>
          );
        })}
      </ul>
    </>
  );
}

export function compactList(feed: PageFeed, targets: readonly Target[]) {
  return (
    <ul class="compact">
      {targets.map((target) => (
        <li>
          <Shape name={verdictShape(verdictOf([target]))} />
          {pageLink(feed, targetPath(target), target.target)}
          <span>{onlineText(target)}</span>
        </li>
      ))}
    </ul>
  );
}

/**
 * Returns how many mirrors are online, and the worst state of the others: `2 of 4 online · Behind`. Leaves out the
 * state if it is offline.
 */
function onlineText(target: Target): string {
  const { counts, total } = verdictOf([target]);
  const worst = mirrorStates.find((state) => counts[state] > 0) ?? "online";
  const text = `${formatInteger(counts.online)} of ${formatInteger(total)} online`;
  return worst === "online" || worst === "offline" ? text : `${text} · ${stateWords[worst]}`;
}

function nodeRow(feed: PageFeed, node: FeedNode, isBest: boolean) {
  const isNow = isOverview(feed) && feed.everReached;
  const shown = [sinceNote(feed, node), ...evidenceNotes(feed, node), isNow && runNote(feed, node)];
  const notes = shown.filter(Boolean);
  const { country, mean_latency_ms } = node;
  return (
    <li class="node" {...rowAttributes(feed, node)} {...reportAttributes(feed, node.target)}>
      <Shape name={statusOf(feed, node).shape} />
      {mirrorName(feed, node, isBest ? (isRecommendable(node) ? "best" : "best reachable") : undefined)}
      <p class="notes">
        {stateWord(feed, node)}
        {notes.length > 0 && [<i> · </i>, <span>{joined(notes)}</span>]}
      </p>
      {country !== undefined && (
        <a
          class="country"
          href={link(feed, `/${countryList(node.target, country)}.txt`)}
          title={`Mirror list for ${countryName(country)}`}
        >
          {country}
        </a>
      )}
      {dayLink(node, link(feed, nodePath(node)), isNow ? node.today : undefined)}
      <span class="ratio">{uptimeOf(node)}</span>
      <span class="latency">
        <span>
          {mean_latency_ms !== undefined && (
            <>
              <span class="visually-hidden">Latency, 7 days </span>
              {mean_latency_ms} ms
            </>
          )}
        </span>
      </span>
    </li>
  );
}

function uptimeOf({ uptime }: FeedNode) {
  const { ratio } = uptime["90d"];
  return [
    <span class="visually-hidden">Uptime </span>,
    ratio === undefined ? (
      <>
        <span aria-hidden="true">–</span>
        <span class="visually-hidden">not known yet</span>
      </>
    ) : (
      percent(ratio)
    ),
  ];
}
