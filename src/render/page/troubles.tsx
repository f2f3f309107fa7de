import type { ComponentChildren } from "preact";
import { groupAlike } from "./alike.ts";
import { grouped } from "./count.ts";
import type { Feed, FeedNode, FeedTarget } from "./feed.ts";
import { link } from "./feed.ts";
import { Since } from "./moment.tsx";
import { Shape } from "./shape.tsx";
import { reachable } from "./summary.ts";
import { causeWords, certificateNote, evidenceNotes, freshnessNote, statusOf } from "./told.tsx";

/** A node with which something is wrong; the worst has the lowest rank. */
interface Trouble {
  readonly of: FeedNode;
  readonly rank: number;
}

/** The lines of troubles that a page has, and how many more there are. */
export interface Troubles {
  readonly lines: readonly preact.JSX.Element[];
  readonly more: number;
}

/** The troubles of some targets, the worst first, at most so many lines. Where nothing was ever reached there are none. */
export function troublesOf(feed: Feed, targets: readonly FeedTarget[], most: number): Troubles {
  if (!feed.everReached) return { lines: [], more: 0 };
  const troubles = targets
    .flatMap((target) => {
      const isReachable = reachable(target) > 0;
      return target.nodes.map((of): Trouble => ({ of, rank: rankOf(feed, of, isReachable) }));
    })
    .filter(({ rank }) => rank < fine)
    .sort((left, right) => left.rank - right.rank);
  const groups = groupAlike(troubles, ({ of: { node } }) =>
    node.status === 0 ? `${node.code ?? ""} ${node.since ?? ""}` : `node ${node.id}`,
  );
  return {
    lines: groups.slice(0, most).map(({ host, items }) => {
      const [{ of }] = items;
      return items.length === 1 ? nodeLine(feed, of) : hostLine(host, items.length, of);
    }),
    more: groups.slice(most).reduce((sum, { items }) => sum + items.length, 0),
  };
}

/** The troubles as a list with its heading; nothing where there are none. */
export function TroubleList({ lines, more }: Troubles): preact.JSX.Element | null {
  if (lines.length === 0) return null;
  return (
    <section class="troubles" aria-labelledby="troubles">
      <h2 id="troubles">Needs attention</h2>
      <ul>{lines}</ul>
      {more > 0 && <p class="quiet">And {grouped(more)} more.</p>}
    </section>
  );
}

const fine = 6;

function rankOf(feed: Feed, { node }: FeedNode, targetIsReachable: boolean): number {
  if (node.status === 0) return targetIsReachable ? 1 : 0;
  if (node.freshness === "behind") return 2;
  if (node.freshness === "differs") return 3;
  if (certificateNote(feed, node) !== undefined) return 4;
  return node.maintenance === undefined ? fine : 5;
}

function nodeLine(feed: Feed, one: FeedNode): preact.JSX.Element {
  const { node, target } = one;
  const { shape, word } = statusOf(feed, node);
  const notes = node.status === 0 ? evidenceNotes(feed, one) : onlineNotes(feed, one);
  return (
    <li>
      <Shape name={shape} />
      <a href={`${link(feed, target.path)}#node-${node.id}`}>{node.name}</a>
      <span>
        <b class={shape}>{word}</b>
        {notes.map((note) => [" · ", note])}
      </span>
    </li>
  );
}

function onlineNotes(feed: Feed, { node }: FeedNode): ComponentChildren[] {
  const maintenance =
    node.maintenance === undefined ? undefined : <b class="notice">in maintenance: {node.maintenance}</b>;
  return [freshnessNote(node), certificateNote(feed, node), maintenance].filter((note) => note !== undefined);
}

function hostLine(host: string, count: number, { node }: FeedNode): preact.JSX.Element {
  return (
    <li>
      <Shape name="offline" />
      <span>
        {grouped(count)} mirrors at {host}
      </span>
      <span>
        <b class="offline">Offline</b>
        {node.since !== undefined && [" · ", <Since at={node.since} />]}
        {node.code !== undefined && [" · ", causeWords(node.code)]}
      </span>
    </li>
  );
}
