import type { ComponentChildren } from "preact";
import { breakable, Shape } from "./parts.tsx";
import { dayBars, daysSummary } from "./days.tsx";
import type { FeedNode, Target } from "../../feed/feed.ts";
import { titleLink } from "./incident-list.tsx";
import { link, nodePath, type PageFeed, targetPath } from "./links.ts";
import { sparkline } from "./latency.tsx";
import { countReachable, targetShape, type UpdatedWith } from "./summary.ts";
import { evidenceNotes, runNote, statusOf } from "./node-status.tsx";
import { rowAttributes } from "./states.ts";

/** Renders the targets of a project, each with all its nodes. */
export function targetList(
  feed: PageFeed,
  targets: readonly Target[],
  updatedWith: UpdatedWith,
): preact.JSX.Element {
  const { nodeRow: words } = feed.words;
  return (
    <>
      <div class="columns" aria-hidden="true">
        {words.columns[updatedWith].map((title) => (
          <span>{title}</span>
        ))}
      </div>
      <ul class="targets">
        {targets.map((target) => (
          <li class="target" data-group data-place={target.place}>
            <div>
              <h3>
                <a href={link(feed, targetPath(target))}>{target.target}</a>
              </h3>
              {countReachable(feed, target) < target.nodes.length && feed.everReached && (
                <p class="quiet">{reachableText(feed, target)}</p>
              )}
            </div>
            <ul>{target.nodes.map((node) => nodeRow(feed, node, updatedWith))}</ul>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Renders one line for each target, for long lists: its name, its number of reachable mirrors and its worst problem. */
export function compactList(feed: PageFeed, targets: readonly Target[]): preact.JSX.Element {
  return (
    <ul class="compact">
      {targets.map((target) => (
        <li>
          <Shape name={targetShape(feed, target)} />
          <a href={link(feed, targetPath(target))}>{target.target}</a>
          <span>{reachableText(feed, target)}</span>
          {worstNote(feed, target)}
        </li>
      ))}
    </ul>
  );
}

/** Renders the name of a mirror, which leads to its place on the site, and its URL, which leads to the mirror. */
export function mirrorName(feed: PageFeed, node: FeedNode, note?: ComponentChildren): preact.JSX.Element {
  return (
    <div class="name">
      {titleLink(feed, nodePath(node), breakable(node.name))}
      {note}{" "}
      <a class="url" href={node.url} rel="noreferrer">
        {breakable(node.url)}
      </a>
    </div>
  );
}

/** Returns how many nodes of a target are reachable, such as `2 of 3 reachable`. */
function reachableText(feed: PageFeed, target: Target): string {
  return feed.words.nodeRow.reachable(countReachable(feed, target), target.nodes.length);
}

/** Returns the worst problem of a target's reachable nodes, if there is one. */
function worstNote({ words: { nodeRow: words } }: PageFeed, { nodes }: Target): ComponentChildren {
  const has = (test: (node: FeedNode) => boolean): boolean => nodes.some(test);
  const worst = [
    has(({ freshness }) => freshness === "behind") && words.behind,
    has(({ freshness }) => freshness === "differs") && words.differs,
    has(({ maintenance }) => maintenance !== undefined) && words.maintenance,
  ].find((word) => word !== false);
  return worst === undefined ? null : <b class="notice">{worst}</b>;
}

function nodeRow(feed: PageFeed, node: FeedNode, updatedWith: UpdatedWith): preact.JSX.Element {
  const { today, observed } = node;
  const { nodeRow: words } = feed.words;
  const days = node.days();
  const { shape, word } = statusOf(feed, node);
  const notes = evidenceNotes(feed, node);
  const showsRun = updatedWith === "run" && feed.everReached;
  const run = showsRun ? runNote(feed.words, node) : undefined;
  const shownToday = showsRun ? today : undefined;
  const currentLatency = observed.code === "ok" ? observed.latency_ms : undefined;
  const latency = updatedWith === "run" ? currentLatency : days?.latency_ms.mean.at(-1);
  return (
    <li class="node" {...rowAttributes(feed, node)}>
      <Shape name={shape} />
      {mirrorName(feed, node, node.primary && <small> {words.primary}</small>)}
      <p class="notes">
        <b class={shape}>{word}</b>
        {[...notes, ...(run === undefined ? [] : [run])].map((note) => [" · ", note])}
      </p>
      <a
        class="days"
        href={link(feed, nodePath(node))}
        aria-label={words.days(node.name, daysSummary(feed.words, node, days, shownToday))}
      >
        {dayBars(days, shownToday)}
      </a>
      <span class="ratio">{ratioOf(feed, node, shape === "online")}</span>
      <span class="latency">
        {sparkline(days)}
        <span>
          {latency != null && (
            <>
              <span class="visually-hidden">{words.latency} </span>
              {latency} ms
            </>
          )}
        </span>
      </span>
    </li>
  );
}

/** Returns the uptime, which ends at midnight. A row that is not online says so in plain sight, since they may differ. */
function ratioOf(
  { words: { nodeRow: words, number } }: PageFeed,
  node: FeedNode,
  isOnline: boolean,
): ComponentChildren {
  const { ratio } = node.uptime["90d"];
  const term = <span class="visually-hidden">{words.uptime} </span>;
  if (ratio === undefined) {
    return (
      <>
        {term}
        <span aria-hidden="true">–</span>
        <span class="visually-hidden">{words.notKnown}</span>
      </>
    );
  }
  return (
    <>
      {term}
      {number.percent(ratio)}{" "}
      <small class={isOnline ? "visually-hidden" : undefined}>{words.toMidnight}</small>
    </>
  );
}
