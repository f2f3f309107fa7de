import type { ComponentChildren } from "preact";
import type { FeedNode, Target } from "../../feed/feed.ts";
import type { Days } from "../../feed/uptime.ts";
import { isContentCode } from "../../state/content-rule.ts";
import { breakable, Shape } from "./parts.tsx";
import { dayBars, daysSummary } from "./days.tsx";
import { link, maxSections, nodePath, type PageFeed } from "./links.ts";
import { evidenceNotes, statusOf } from "./node-status.tsx";
import { ratioText, windowSum } from "./uptime-windows.tsx";
import { rowAttributes } from "./states.ts";

/** Larger tables are laid out row by row as they come into view. */
const maxRowsAtOnce = 50;

/**
 * Renders the mirrors of a target as a table, in the order of `nodes`, with the days of each, since each call of its `days`
 * unpacks them. Nothing in it changes with every run.
 */
export function mirrorTable(
  feed: PageFeed,
  target: Target,
  nodes: readonly FeedNode[],
  days: ReadonlyMap<FeedNode, Days | undefined>,
): preact.JSX.Element {
  const { mirrorTable: words, asOf } = feed.words.mirrors;
  return (
    <table class={nodes.length > maxRowsAtOnce ? "mirrors long" : "mirrors"}>
      <caption>
        {words.order} {words.counts} <span data-as-of="">{asOf.midnight}</span>.
      </caption>
      <thead>
        <tr>
          <th scope="col">{words.status}</th>
          <th scope="col">{words.mirror}</th>
          <th scope="col">{words.notes}</th>
          <th scope="col">{words.days}</th>
          <th scope="col">{words.uptime}</th>
          <th scope="col">{words.latency}</th>
        </tr>
      </thead>
      <tbody>{nodes.map((node) => mirrorRow(feed, node, days.get(node), target.size > maxSections))}</tbody>
    </table>
  );
}

/** Returns what the script needs to know of the days of a target: their report, and the day that they end before. */
export function reportAttributes(
  feed: PageFeed,
  { place }: Pick<Target, "place">,
): Readonly<Record<"data-report" | "data-day", string>> {
  return {
    "data-report": link(feed, `/v1/report/${place}/`),
    "data-day": feed.run.generated_at.slice(0, 10),
  };
}

function mirrorRow(
  feed: PageFeed,
  node: FeedNode,
  days: Days | undefined,
  isLarge: boolean,
): preact.JSX.Element {
  const { words } = feed;
  const href = isLarge ? link(feed, nodePath(node)) : `#node-${node.id}`;
  const { shape, word } = statusOf(feed, node);
  const isOffline = shape === "offline";
  const sums = { "data-sums": windowSum(days, 90) };
  const uptime = ratioText(words, node.uptime["90d"].ratio);
  return (
    // A small table is not searched.
    <tr {...(isLarge ? rowAttributes(feed, node) : { "data-item": "", "data-node": node.id })}>
      <td>
        <Shape name={shape} />
        <b class={shape}>{word}</b>
      </td>
      <th scope="row">
        <a href={href}>{breakable(node.name)}</a>
        {node.primary && <small> {words.mirrors.mirrorTable.primary}</small>}{" "}
        <a class="url" href={node.url} rel="noreferrer">
          {breakable(node.url)}
        </a>
      </th>
      <td>{joined([...evidenceNotes(feed, node), ...contentNotes(feed, node)])}</td>
      <td>
        <a class="days" href={href} aria-label={`${node.name}, ${daysSummary(words, node, days)}`}>
          {dayBars(days)}
        </a>
      </td>
      {isOffline ? (
        <td class="ratio">
          <span {...sums}>{uptime}</span>
          {/* Beside "Offline", a share says at once up to when it counts. */}
          <small data-as-of="">{words.mirrors.asOf.midnight}</small>
        </td>
      ) : (
        <td class="ratio" {...sums}>
          {uptime}
        </td>
      )}
      <td>{node.mean_latency_ms !== undefined && `${Math.round(node.mean_latency_ms)} ms`}</td>
    </tr>
  );
}

/** Returns a note on a mirror that is offline by its content: its days and its uptime count answers. */
function contentNotes({ words, everReached }: PageFeed, { status, code }: FeedNode): readonly string[] {
  return everReached && status === 0 && isContentCode(code) ? [words.mirrors.mirrorTable.answers] : [];
}

function joined(notes: readonly ComponentChildren[]): ComponentChildren {
  return notes.map((note, index) => (index === 0 ? note : [" · ", note]));
}
