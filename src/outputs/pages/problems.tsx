import type { ComponentChildren } from "preact";
import { group } from "../../base/text/group.ts";
import { type FeedNode, nodesOf, type Target } from "../../feed/feed.ts";
import { isSearched, searchLink } from "./mirror-list.tsx";
import {
  causeText,
  certificateNote,
  countStates,
  evidenceNotes,
  freshnessNote,
  notice,
  runNote,
  statesOf,
  statusOf,
} from "./node-status.tsx";
import { isOverview, type PageFeed } from "./page-feed.ts";
import { joined, mirrorName, Shape, time } from "./parts.tsx";
import { isDisputed } from "./summary.ts";

const maxLines = 10;

/** As many mirrors of a host with the same problem are one line. */
const minGroup = 3;

const problemStates = ["offline", "behind", "differs", "certificate", "maintenance"] as const;

/** Renders the worst problems, and counts the mirrors that are not shown. */
export function problemList(feed: PageFeed, targets: readonly Target[]) {
  const { problems: words } = feed.words;
  const lines = groupByHost(problemsOf(feed, targets));
  if (!feed.everReached || lines.length === 0) return null;
  const more = lines.slice(maxLines).flat().length;
  return (
    <section class="problems" aria-labelledby="problems">
      <h2 id="problems">{words.heading}</h2>
      <ul>
        {lines.slice(0, maxLines).map((nodes) => {
          const [node] = nodes;
          if (nodes.length === 1) return nodeLine(feed, node);
          const name = words.mirrorsAt(nodes.length, node.host);
          const search = searchLink({ query: node.host, states: ["offline"] });
          return hostLine(feed, isSearched(nodesOf(targets)) ? <a href={search}>{name}</a> : name, node);
        })}
      </ul>
      {more > 0 && (
        <p>
          <a href={searchLink({ states: problemStates })}>{feed.words.terms.more(more)}</a>
        </p>
      )}
    </section>
  );
}

function problemsOf(feed: PageFeed, targets: readonly Target[]): FeedNode[] {
  const rated = targets.flatMap((target) => {
    const isReachable = countStates(feed, target.nodes).online > 0;
    return target.nodes.map((node) => ({ node, severity: severityOf(feed, node, isReachable) }));
  });
  return rated
    .filter(({ severity }) => severity >= 0)
    .sort((left, right) => left.severity - right.severity)
    .map(({ node }) => node);
}

/** Returns how bad a problem is: 0 is the worst, and -1 is none. */
function severityOf(feed: PageFeed, node: FeedNode, isTargetReachable: boolean): number {
  const states = statesOf(feed, node);
  return [
    states.includes("offline") && !isTargetReachable,
    states.includes("offline"),
    states.includes("behind"),
    states.includes("differs"),
    isOverview(feed) && isDisputed(node),
    states.includes("certificate"),
    states.includes("maintenance"),
  ].indexOf(true);
}

/** Joins three or more mirrors of a host that went offline at once for one reason. */
export function groupByHost(nodes: readonly FeedNode[]): [FeedNode, ...FeedNode[]][] {
  const groups = group(
    nodes.map((node) => {
      const event = node.status === 0 ? `${node.code ?? ""} ${node.since ?? ""}` : `node ${node.id}`;
      return [`${node.host} ${event}`, node] as const;
    }),
  );
  return [...groups.values()].flatMap((own): [FeedNode, ...FeedNode[]][] =>
    own.length < minGroup ? own.map((node) => [node]) : [own],
  );
}

function nodeLine(feed: PageFeed, node: FeedNode) {
  const isOffline = statusOf(feed, node).shape === "offline";
  const notes = isOffline ? evidenceNotes(feed, node) : onlineNotes(feed, node);
  const since = isOffline && node.since !== undefined ? notes.shift() : undefined;
  if (isOverview(feed) && isDisputed(node)) notes.push(runNote(feed.words, node));
  return problemLine(feed, node, mirrorName(feed, node), since, notes);
}

function onlineNotes(feed: PageFeed, node: FeedNode): ComponentChildren[] {
  const { maintenance } = node;
  return [
    freshnessNote(feed, node),
    certificateNote(feed, node),
    maintenance && notice(feed.words.problems.maintenance(maintenance)),
  ].filter((note) => note !== undefined);
}

function hostLine(feed: PageFeed, name: ComponentChildren, node: FeedNode) {
  const { code, cause, since, tls_expires_at } = node;
  const notes = code === undefined ? [] : [causeText(feed.words, code, { cause, tls_expires_at })];
  return problemLine(feed, node, <div class="name">{name}</div>, since && time(feed, since, "since"), notes);
}

/** On a narrow screen the notes begin a line, so that nothing moves as the script shortens the time. */
function problemLine(
  feed: PageFeed,
  node: FeedNode,
  name: ComponentChildren,
  since: ComponentChildren,
  notes: readonly ComponentChildren[],
) {
  const { shape, word } = statusOf(feed, node);
  const status = <b class={shape}>{word}</b>;
  const dot = since === undefined ? " · " : <i> · </i>;
  return (
    <li>
      <Shape name={shape} />
      {name}
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
