import type { ComponentChildren } from "preact";
import { groupByOrigin } from "./group-by-origin.ts";
import { formatInteger } from "../text/count.ts";
import type { Feed, Node, Target } from "../model/feed.ts";
import { link, type PageFeed, targetPath } from "./links.ts";
import { Since } from "./timestamp.tsx";
import { Shape } from "./shape.tsx";
import { countReachable } from "./summary.ts";
import { causeText, certificateNote, evidenceNotes, freshnessNote, statusOf } from "./node-status.tsx";

/** A node that needs attention. Severity 0 is the worst. */
interface Problem {
  readonly node: Node;
  readonly severity: number;
}

/** The lines of problems on a page, and the number of nodes that are not shown. */
export interface Problems {
  readonly lines: readonly preact.JSX.Element[];
  readonly more: number;
}

/** Returns at most `max` lines of problems, the worst first. There are none if no mirror was ever reached. */
export function problemsOf(feed: PageFeed, targets: readonly Target[], max: number): Problems {
  if (!feed.everReached) return { lines: [], more: 0 };
  const problems = targets
    .flatMap((target) => {
      const isReachable = countReachable(target) > 0;
      return target.nodes.map((node): Problem => ({ node, severity: severityOf(feed, node, isReachable) }));
    })
    .filter(({ severity }) => severity < noProblem)
    .sort((left, right) => left.severity - right.severity);
  const groups = groupByOrigin(problems, ({ node }) =>
    node.status === 0 ? `${node.code ?? ""} ${node.since ?? ""}` : `node ${node.id}`,
  );
  return {
    lines: groups.slice(0, max).map(({ host, items }) => {
      const [{ node }] = items;
      return items.length === 1 ? nodeLine(feed, node) : hostLine(host, items.length, node);
    }),
    more: groups.slice(max).reduce((sum, { items }) => sum + items.length, 0),
  };
}

/** Renders the problems as a list with a heading, or nothing if there are none. */
export function ProblemList({ lines, more }: Problems): preact.JSX.Element | null {
  if (lines.length === 0) return null;
  return (
    <section class="problems" aria-labelledby="problems">
      <h2 id="problems">Needs attention</h2>
      <ul>{lines}</ul>
      {more > 0 && <p class="quiet">And {formatInteger(more)} more.</p>}
    </section>
  );
}

const noProblem = 6;

function severityOf(feed: Feed, node: Node, targetIsReachable: boolean): number {
  if (node.status === 0) return targetIsReachable ? 1 : 0;
  if (node.freshness === "behind") return 2;
  if (node.freshness === "differs") return 3;
  if (certificateNote(feed, node) !== undefined) return 4;
  return node.maintenance === undefined ? noProblem : 5;
}

function nodeLine(feed: PageFeed, node: Node): preact.JSX.Element {
  const { shape, word } = statusOf(feed, node);
  const notes = node.status === 0 ? evidenceNotes(feed, node) : onlineNotes(feed, node);
  return (
    <li>
      <Shape name={shape} />
      <a href={`${link(feed, targetPath(node.target))}#node-${node.id}`}>{node.name}</a>
      <span>
        <b class={shape}>{word}</b>
        {notes.map((note) => [" · ", note])}
      </span>
    </li>
  );
}

function onlineNotes(feed: Feed, node: Node): ComponentChildren[] {
  const maintenance =
    node.maintenance === undefined ? undefined : <b class="notice">in maintenance: {node.maintenance}</b>;
  return [freshnessNote(node), certificateNote(feed, node), maintenance].filter((note) => note !== undefined);
}

function hostLine(host: string, count: number, node: Node): preact.JSX.Element {
  return (
    <li>
      <Shape name="offline" />
      <span>
        {formatInteger(count)} mirrors at {host}
      </span>
      <span>
        <b class="offline">Offline</b>
        {node.since !== undefined && [" · ", <Since at={node.since} />]}
        {node.code !== undefined && [
          " · ",
          causeText(node.code, { cause: node.cause, tls_expires_at: node.tls_expires_at }),
        ]}
      </span>
    </li>
  );
}
