import type { ComponentChildren } from "preact";
import { percent } from "../text/count.ts";
import { DayBars, daysSummary } from "./days.tsx";
import type { Node, Target } from "../model/feed.ts";
import { link, type PageFeed, targetPath } from "./links.ts";
import { Sparkline } from "./latency.tsx";
import { Shape } from "./shape.tsx";
import { countReachable, targetShape } from "./summary.ts";
import { evidenceNotes, runNote, statusOf } from "./node-status.tsx";

/** How often the rows change: with every run on the overview, at most once a day without news on other pages. */
export type UpdatedWith = "run" | "day";

/** Renders the targets of a project, each with all its nodes. */
export function TargetList({
  feed,
  targets,
  updatedWith,
}: {
  readonly feed: PageFeed;
  readonly targets: readonly Target[];
  readonly updatedWith: UpdatedWith;
}): preact.JSX.Element {
  return (
    <>
      <div class="columns" aria-hidden="true">
        <span>{updatedWith === "run" ? "90 days and today" : "90 days"}</span>
        <span>uptime</span>
        <span>{updatedWith === "run" ? "latency" : "mean latency"}</span>
      </div>
      <ul class="targets">
        {targets.map((target) => (
          <li class="target" data-item>
            <div>
              <h3>
                <a href={link(feed, targetPath(target))}>{target.target}</a>
              </h3>
              {countReachable(target) < target.nodes.length && feed.everReached && (
                <p class="quiet">{reachableText(target)}</p>
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
export function CompactList({
  feed,
  targets,
}: {
  readonly feed: PageFeed;
  readonly targets: readonly Target[];
}): preact.JSX.Element {
  return (
    <ul class="compact">
      {targets.map((target) => (
        <li data-item>
          <Shape name={targetShape(feed, target)} />
          <a href={link(feed, targetPath(target))}>{target.target}</a>
          <span>{reachableText(target)}</span>
          {worstNote(target)}
        </li>
      ))}
    </ul>
  );
}

/** Returns how many nodes of a target are reachable, such as `2 of 3 reachable`. */
function reachableText(target: Target): string {
  return `${countReachable(target)} of ${target.nodes.length} reachable`;
}

/** Returns the worst problem of a target's reachable nodes, if there is one. */
function worstNote({ nodes }: Target): ComponentChildren {
  const has = (test: (node: Node) => boolean): boolean => nodes.some(test);
  const worst = [
    has(({ freshness }) => freshness === "behind") && "behind",
    has(({ freshness }) => freshness === "differs") && "differs",
    has(({ maintenance }) => maintenance !== undefined) && "in maintenance",
  ].find((word) => word !== false);
  return worst === undefined ? null : <b class="notice">{worst}</b>;
}

function nodeRow(feed: PageFeed, node: Node, updatedWith: UpdatedWith): preact.JSX.Element {
  const { today, observed } = node;
  const days = node.days();
  const { shape, word } = statusOf(feed, node);
  const notes = evidenceNotes(feed, node);
  const showsRun = updatedWith === "run" && feed.everReached;
  const run = showsRun ? runNote(node) : undefined;
  const shownToday = showsRun ? today : undefined;
  const currentLatency = observed.code === "ok" ? observed.latency_ms : undefined;
  const latency = updatedWith === "run" ? currentLatency : days?.latency_ms.mean.at(-1);
  return (
    <li class="node">
      <Shape name={shape} />
      <div class="name">
        <a href={node.url} rel="noreferrer">
          {node.name}
        </a>
        {node.primary && <small> primary</small>}
      </div>
      <p class="notes">
        <b class={shape}>{word}</b>
        {[...notes, ...(run === undefined ? [] : [run])].map((note) => [" · ", note])}
      </p>
      <a
        class="days"
        href={`${link(feed, targetPath(node.target))}#days-${node.id}`}
        aria-label={daysSummary(node, days, shownToday)}
      >
        <DayBars days={days} today={shownToday} />
      </a>
      <span class="ratio">
        <span class="visually-hidden">Uptime </span>
        {ratioText(node)}
      </span>
      <span class="latency">
        <Sparkline days={days} />
        <span>
          {latency != null && (
            <>
              <span class="visually-hidden">Latency </span>
              {latency} ms
            </>
          )}
        </span>
      </span>
    </li>
  );
}

function ratioText({ uptime }: Node): ComponentChildren {
  const { ratio } = uptime["90d"];
  if (ratio !== undefined) return percent(ratio);
  return (
    <>
      <span aria-hidden="true">–</span>
      <span class="visually-hidden">not known yet</span>
    </>
  );
}
