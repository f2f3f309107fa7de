import type { ComponentChildren } from "preact";
import { type FeedNode, nodesOf, type Target } from "../../feed/feed.ts";
import { group } from "../../base/text/group.ts";
import type { PageFeed } from "./links.ts";
import { isSearched, searchLink } from "./mirror-list.tsx";
import { sinceTime } from "./timestamp.tsx";
import { Shape } from "./parts.tsx";
import { mirrorName } from "./node-row.tsx";
import { countReachable, type UpdatedWith } from "./summary.ts";
import {
  causeText,
  certificateNote,
  evidenceNotes,
  freshnessNote,
  runNote,
  statusOf,
} from "./node-status.tsx";
import { statesOf, verdictOf } from "./states.ts";

/** A node that needs attention. Severity 0 is the worst. */
interface Problem {
  readonly node: FeedNode;
  readonly severity: number;
}

/** How many lines of problems a page shows. */
const maxLines = 10;

/** The states that need attention, as the page can be filtered by them. */
const problemStates = ["offline", "behind", "differs", "certificate", "maintenance"] as const;

/**
 * Renders the first lines of problems, the worst first, and the number of mirrors that are not shown. Renders nothing
 * if there are none, or if no mirror was ever reached.
 */
export function problemList(
  feed: PageFeed,
  targets: readonly Target[],
  updatedWith: UpdatedWith,
): preact.JSX.Element | null {
  const { problems: words } = feed.words;
  const problems = problemsOf(feed, targets, updatedWith);
  if (problems.length === 0) return null;
  const isListSearched = isSearched(nodesOf(targets));
  const groups = groupByOrigin(problems, ({ node }) =>
    node.status === 0 ? `${node.code ?? ""} ${node.since ?? ""}` : `node ${node.id}`,
  );
  const more = groups.slice(maxLines).reduce((sum, { items }) => sum + items.length, 0);
  return (
    <section class="problems" aria-labelledby="problems">
      <h2 id="problems">{words.heading}</h2>
      <ul>
        {groups.slice(0, maxLines).map(({ host, items }) => {
          const [{ node }] = items;
          if (items.length === 1) return nodeLine(feed, node, updatedWith);
          const name = words.mirrorsAt(items.length, host);
          const search = searchLink({ query: host, states: ["offline"] });
          return hostLine(feed, isListSearched ? <a href={search}>{name}</a> : name, node);
        })}
      </ul>
      {more > 0 && (
        <p>
          <a href={searchLink({ states: problemStates })}>{words.more(more)}</a>
        </p>
      )}
    </section>
  );
}

function problemsOf(feed: PageFeed, targets: readonly Target[], updatedWith: UpdatedWith): Problem[] {
  if (!feed.everReached) return [];
  return targets
    .flatMap((target) => {
      const isReachable = countReachable(feed, target) > 0;
      return target.nodes.map((node): Problem => ({
        node,
        severity: severityOf(feed, node, isReachable, updatedWith),
      }));
    })
    .filter(({ severity }) => severity < noProblem)
    .sort((left, right) => left.severity - right.severity);
}

const noProblem = 7;

function severityOf(
  feed: PageFeed,
  node: FeedNode,
  targetIsReachable: boolean,
  updatedWith: UpdatedWith,
): number {
  const [worst] = statesOf(feed, node);
  if (worst === "offline") return targetIsReachable ? 1 : 0;
  if (worst === "behind") return 2;
  if (worst === "differs") return 3;
  if (updatedWith === "run" && node.observed.votes !== undefined) return 4;
  const states = statesOf(feed, node);
  if (states.includes("certificate")) return 5;
  return states.includes("maintenance") ? 6 : noProblem;
}

function nodeLine(feed: PageFeed, node: FeedNode, updatedWith: UpdatedWith): preact.JSX.Element {
  const { shape, word } = statusOf(feed, node);
  const isOffline = verdictOf(feed, node) === "offline";
  const notes = isOffline ? evidenceNotes(feed, node) : onlineNotes(feed, node);
  const since = isOffline && node.since !== undefined ? notes.shift() : undefined;
  const isDisputed = updatedWith === "run" && node.observed.votes !== undefined;
  return (
    <li>
      <Shape name={shape} />
      {mirrorName(feed, node)}
      {evidenceLine(<b class={shape}>{word}</b>, since, [
        ...notes,
        ...(isDisputed ? [runNote(feed.words, node)] : []),
      ])}
    </li>
  );
}

function onlineNotes(feed: PageFeed, node: FeedNode): ComponentChildren[] {
  const { maintenance } = node;
  return [
    freshnessNote(feed, node),
    certificateNote(feed, node),
    maintenance !== undefined && <b class="notice">{feed.words.problems.maintenance(maintenance)}</b>,
  ].filter((note) => note !== undefined && note !== false);
}

function hostLine(feed: PageFeed, name: ComponentChildren, node: FeedNode): preact.JSX.Element {
  const { shape, word } = statusOf(feed, node);
  const { code, cause, since, tls_expires_at } = node;
  return (
    <li>
      <Shape name={shape} />
      <div class="name">{name}</div>
      {evidenceLine(
        <b class={shape}>{word}</b>,
        since && sinceTime(feed, since),
        code === undefined ? [] : [causeText(feed.words, code, { cause, tls_expires_at })],
      )}
    </li>
  );
}

/** Renders a status, since when, and notes. On a narrow screen the notes begin a line, so that nothing moves as the time is shortened. */
function evidenceLine(
  status: preact.JSX.Element,
  since: ComponentChildren,
  notes: readonly ComponentChildren[],
): preact.JSX.Element {
  const rest = notes.map((note, index) => (index === 0 ? note : [" · ", note]));
  const dot = since === undefined ? " · " : <i> · </i>;
  return (
    <span>
      {since === undefined ? (
        status
      ) : (
        <span>
          {status} · {since}
        </span>
      )}
      {rest.length > 0 && dot}
      {rest}
    </span>
  );
}

/** The same event on nodes of one host, so that a host that fails takes one line on a page and not one for each node. */
export interface OriginGroup<Item> {
  readonly host: string;
  readonly items: readonly [Item, ...Item[]];
}

/** Smaller groups are shown as single items. */
const minGroup = 3;

/** Returns groups of the items with the same host and key. Items with fewer than two equals stay single. Keeps the order. */
export function groupByOrigin<Item extends { readonly node: FeedNode }>(
  items: readonly Item[],
  key: (item: Item) => string,
): OriginGroup<Item>[] {
  const groups = group(items.map((item) => [`${item.node.host} ${key(item)}`, item]));
  return [...groups.values()].flatMap((own): OriginGroup<Item>[] => {
    const { host } = own[0].node;
    return own.length < minGroup ? own.map((item) => ({ host, items: [item] })) : [{ host, items: own }];
  });
}
