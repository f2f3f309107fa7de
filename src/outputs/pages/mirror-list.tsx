import type { ComponentChildren } from "preact";
import type { FeedNode } from "../../feed/feed.ts";
import { link, maxSections, type PageFeed } from "./links.ts";
import { searchIndexPath } from "./search-index.ts";
import { type Filter, formatFilter, noFilter } from "../../base/text/search-filter.ts";
import { stateNames } from "../../base/text/state-names.ts";
import { countStates } from "./states.ts";

/** Returns whether a list of these mirrors has a search. Shorter lists are read faster than searched. */
export function isSearched(nodes: readonly FeedNode[]): boolean {
  return nodes.length > maxSections;
}

/** Returns the link that filters the list of the same page. */
export function searchLink(filter: Partial<Filter>): string {
  return `${formatFilter({ ...noFilter, ...filter })}#mirrors`;
}

/**
 * Renders the list of mirrors of a page. Above a long one the script adds a search, from the counts of its states. `place`
 * is given if the rows are not on the page: it is the start of their paths, and the script then reads the search index.
 */
export function mirrorList(
  feed: PageFeed,
  nodes: readonly FeedNode[],
  rows: ComponentChildren,
  place?: string,
): preact.JSX.Element {
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
