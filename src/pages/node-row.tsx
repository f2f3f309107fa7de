import type { ComponentChildren } from "preact";
import { percent } from "../text/count.ts";
import { DayBars, daysSummary } from "./days.tsx";
import type { Node, Target } from "../model/feed.ts";
import { link, type PageFeed, targetPath } from "./links.ts";
import { Sparkline } from "./latency.tsx";
import { Shape } from "./shape.tsx";
import { reachable, targetShape } from "./summary.ts";
import { evidenceNotes, runNote, statusOf } from "./node-status.tsx";

/** Whether rows show what changes with every run: only the overview's do. */
export type Timestamp = "run" | "day";

/** The targets of a project, each with all its nodes. */
export function TargetList({
  feed,
  targets,
  of,
}: {
  readonly feed: PageFeed;
  readonly targets: readonly Target[];
  readonly of: Timestamp;
}): preact.JSX.Element {
  return (
    <>
      <div class="heads" aria-hidden="true">
        <span>{of === "run" ? "90 days and today" : "90 days"}</span>
        <span>uptime</span>
        <span>{of === "run" ? "latency" : "mean latency"}</span>
      </div>
      <ul class="targets">
        {targets.map((target) => (
          <li class="target" data-item>
            <div>
              <h3>
                <a href={link(feed, targetPath(target))}>{target.target}</a>
              </h3>
              {reachable(target) < target.nodes.length && feed.everReached && (
                <p class="quiet">{reachableWords(target)}</p>
              )}
            </div>
            <ul>{target.nodes.map((node) => nodeRow(feed, node, of))}</ul>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The targets of a project in a line each, for lists of hundreds: the name, how many are reachable, the worst. */
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
          <span>{reachableWords(target)}</span>
          {worstWords(target)}
        </li>
      ))}
    </ul>
  );
}

/** How many nodes of a target are reachable, in words: `2 of 3 reachable`. */
function reachableWords(target: Target): string {
  return `${reachable(target)} of ${target.nodes.length} reachable`;
}

/** What is least well with the nodes of a target, where something is. */
function worstWords({ nodes }: Target): ComponentChildren {
  const has = (test: (node: Node) => boolean): boolean => nodes.some(test);
  const worst = [
    has(({ freshness }) => freshness === "behind") && "behind",
    has(({ freshness }) => freshness === "differs") && "differs",
    has(({ maintenance }) => maintenance !== undefined) && "in maintenance",
  ].find((word) => word !== false);
  return worst === undefined ? null : <b class="notice">{worst}</b>;
}

function nodeRow(feed: PageFeed, node: Node, of: Timestamp): preact.JSX.Element {
  const { today, observed } = node;
  const days = node.days();
  const { shape, word } = statusOf(feed, node);
  const notes = evidenceNotes(feed, node);
  const run = of === "run" && feed.everReached ? runNote(node) : undefined;
  const summary = of === "run" && feed.everReached ? daysSummary(node, days, today) : daysSummary(node, days);
  const latency =
    of === "day" ? days?.latency_ms.mean.at(-1) : observed.code === "ok" ? observed.latency_ms : undefined;
  return (
    <li class="node">
      <Shape name={shape} />
      <div class="name">
        <a href={node.url} rel="noreferrer">
          {node.name}
        </a>
        {node.primary && <small> primary</small>}
      </div>
      <p class="told">
        <b class={shape}>{word}</b>
        {[...notes, ...(run === undefined ? [] : [run])].map((note) => [" · ", note])}
      </p>
      <a class="days" href={`${link(feed, targetPath(node.target))}#days-${node.id}`} aria-label={summary}>
        <DayBars days={days} today={of === "run" && feed.everReached ? today : undefined} />
      </a>
      <span class="ratio">
        <span class="unseen">Uptime </span>
        {ratioWords(node)}
      </span>
      <span class="latency">
        <Sparkline days={days} />
        <span>
          {latency != null && (
            <>
              <span class="unseen">Latency </span>
              {latency} ms
            </>
          )}
        </span>
      </span>
    </li>
  );
}

function ratioWords({ uptime }: Node): ComponentChildren {
  const { ratio } = uptime["90d"];
  if (ratio !== undefined) return percent(ratio);
  return (
    <>
      <span aria-hidden="true">–</span>
      <span class="unseen">not known yet</span>
    </>
  );
}
