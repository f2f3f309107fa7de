import { formatInteger } from "../../core/base/text/count.ts";
import { group } from "../../core/base/text/group.ts";
import { attentionStates } from "../../core/verdict/mirror-state.ts";
import { nodesOf, type Target } from "../../core/feed/feed.ts";
import { isSearched, searchLink } from "./mirror-list.tsx";
import {
  evidenceNotes,
  sinceNote,
  stateSince,
  stateWord,
  statesOf,
  statusOf,
} from "../layout/node-status.tsx";
import type { PageFeed } from "../layout/page-feed.ts";
import { joined, mirrorName, Shape } from "../layout/parts.tsx";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { verdictOf } from "../../core/feed/verdict.ts";

const maxLines = 10;

/** Mirrors at one host with the same problem share a line if there are at least this many. */
const minGroup = 3;

const problemStates = [...attentionStates, "certificate"];

export function problemList(feed: PageFeed, targets: readonly Target[]) {
  const lines = groupByHost(feed, problemsOf(feed, targets));
  if (lines.length === 0) return null;
  const more = lines.slice(maxLines).flat().length;
  const hasSearch = isSearched(nodesOf(targets));
  return (
    <section class="problems" aria-labelledby="problems">
      <h2 id="problems">Needs attention</h2>
      <ul>{lines.slice(0, maxLines).map((nodes) => problemLine(feed, nodes, hasSearch))}</ul>
      {more > 0 && (
        <p>
          <a href={searchLink({ states: problemStates })}>and {formatInteger(more)} more</a>
        </p>
      )}
    </section>
  );
}

/** Returns mirrors with problems, worst first. The worst are offline mirrors of targets without a reachable mirror. */
function problemsOf(feed: PageFeed, targets: readonly Target[]): FeedNode[] {
  const rated = targets.flatMap((target) => {
    const isReachable = verdictOf([target]).state !== "offline";
    return target.nodes.map((node) => ({ node, severity: severityOf(feed, node, isReachable) }));
  });
  return rated
    .filter(({ severity }) => severity >= 0)
    .sort((left, right) => left.severity - right.severity)
    .map(({ node }) => node);
}

/** Returns 0 for the worst problem, and -1 if there is no problem. */
function severityOf(feed: PageFeed, node: FeedNode, isTargetReachable: boolean): number {
  return [
    node.state === "offline" && !isTargetReachable,
    ...attentionStates.map((state) => node.state === state),
    node.disagreement !== undefined,
    statesOf(feed, node).includes("certificate"),
  ].indexOf(true);
}

export function groupByHost(feed: PageFeed, nodes: readonly FeedNode[]): [FeedNode, ...FeedNode[]][] {
  const groups = group(nodes.map((node) => [`${node.host} ${faultOf(feed, node)}`, node] as const));
  return [...groups.values()].flatMap((own): [FeedNode, ...FeedNode[]][] =>
    own.length < minGroup ? own.map((node) => [node]) : [own],
  );
}

function faultOf(feed: PageFeed, node: FeedNode): string {
  const { state, code, content_code, maintenance, disagreement, tls_expires_at } = node;
  const expiry = statesOf(feed, node).includes("certificate") ? tls_expires_at : undefined;
  // For wrong or different content, ignores the time, because runs can find the same problem at a different time on
  // each mirror.
  const since = state === "offline" || state === "behind" ? stateSince(node) : undefined;
  return JSON.stringify([state, code, content_code, since, maintenance, disagreement, expiry]);
}

/** On a narrow screen, the notes start on a new line, so that nothing moves when the script shortens the time. */
function problemLine(feed: PageFeed, nodes: readonly [FeedNode, ...FeedNode[]], hasSearch: boolean) {
  const [node] = nodes;
  const { shape } = statusOf(feed, node);
  const status = stateWord(feed, node);
  const since = sinceNote(feed, node);
  const dot = since === undefined ? " · " : <i> · </i>;
  // Leaves out details that can differ between the mirrors.
  const shared = { ...node, http_status: undefined, difference: undefined, last_freshness: undefined };
  const notes = evidenceNotes(feed, nodes.length === 1 ? node : shared);
  return (
    <li>
      <Shape name={shape} />
      {nodes.length === 1 ? mirrorName(feed, node) : hostName(node, nodes.length, hasSearch)}
      <span>
        {since === undefined ? (
          status
        ) : (
          <span>
            {status} · {since}
          </span>
        )}
        {notes.length > 0 && dot}
        {joined(notes)}
      </span>
    </li>
  );
}

function hostName({ host, state }: FeedNode, count: number, hasSearch: boolean) {
  const name = `${formatInteger(count)} mirrors at ${host}`;
  const search = searchLink({ query: host, states: [state] });
  return <div class="name">{hasSearch ? <a href={search}>{name}</a> : name}</div>;
}
