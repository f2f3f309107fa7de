import type { ComponentChildren } from "preact";
import { percent } from "./count.ts";
import { DayBars, daysSummary } from "./days.tsx";
import type { Feed, FeedNode, FeedTarget } from "./feed.ts";
import { link, nodesOf } from "./feed.ts";
import { Sparkline } from "./latency.tsx";
import { Shape } from "./shape.tsx";
import { reachable, targetShape } from "./summary.ts";
import { evidenceNotes, runNote, statusOf } from "./told.tsx";

/** Whether rows show what changes with every run: only the overview's do. */
export type Moment = "run" | "day";

/** The targets of a project, each with all its nodes. */
export function TargetList({
  feed,
  targets,
  of,
}: {
  readonly feed: Feed;
  readonly targets: readonly FeedTarget[];
  readonly of: Moment;
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
                <a href={link(feed, target.path)}>{target.target}</a>
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
  readonly feed: Feed;
  readonly targets: readonly FeedTarget[];
}): preact.JSX.Element {
  return (
    <ul class="compact">
      {targets.map((target) => (
        <li data-item>
          <Shape name={targetShape(feed, target)} />
          <a href={link(feed, target.path)}>{target.target}</a>
          <span>{reachableWords(target)}</span>
          {worstWords(target)}
        </li>
      ))}
    </ul>
  );
}

/** How many nodes of a target are reachable, in words: `2 of 3 reachable`. */
function reachableWords(target: FeedTarget): string {
  return `${reachable(target)} of ${target.nodes.length} reachable`;
}

/** What is least well with the nodes of a target, where something is. */
function worstWords(target: FeedTarget): ComponentChildren {
  const has = (test: (node: FeedNode["node"]) => boolean): boolean =>
    nodesOf([target]).some(({ node }) => test(node));
  const worst = [
    has(({ freshness }) => freshness === "behind") && "behind",
    has(({ freshness }) => freshness === "differs") && "differs",
    has(({ maintenance }) => maintenance !== undefined) && "in maintenance",
  ].find((word) => word !== false);
  return worst === undefined ? null : <b class="notice">{worst}</b>;
}

function nodeRow(feed: Feed, one: FeedNode, of: Moment): preact.JSX.Element {
  const { node, target, today, seen } = one;
  const { shape, word } = statusOf(feed, node);
  const notes = evidenceNotes(feed, one);
  const run = of === "run" && feed.everReached ? runNote(one) : undefined;
  const summary = of === "run" && feed.everReached ? daysSummary(node, today) : daysSummary(node);
  const latency =
    of === "day" ? node.days?.latency_ms.mean.at(-1) : seen?.code === "ok" ? seen.latency_ms : undefined;
  return (
    <li class="node">
      <Shape name={shape} />
      <div class="name">
        <a href={node.url} rel="noreferrer">
          {node.name}
        </a>
        {node.id === target.primary && <small> primary</small>}
      </div>
      <p class="told">
        <b class={shape}>{word}</b>
        {[...notes, ...(run === undefined ? [] : [run])].map((note) => [" · ", note])}
      </p>
      <a class="days" href={`${link(feed, target.path)}#days-${node.id}`} aria-label={summary}>
        <DayBars days={node.days} today={of === "run" && feed.everReached ? today : undefined} />
      </a>
      <span class="ratio">
        <span class="unseen">Uptime </span>
        {ratioWords(node)}
      </span>
      <span class="latency">
        <Sparkline days={node.days} />
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

function ratioWords({ uptime }: FeedNode["node"]): ComponentChildren {
  const { ratio } = uptime["90d"];
  if (ratio !== undefined) return percent(ratio);
  return (
    <>
      <span aria-hidden="true">–</span>
      <span class="unseen">not known yet</span>
    </>
  );
}
