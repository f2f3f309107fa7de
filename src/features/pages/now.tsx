import type { ComponentChildren } from "preact";
import { formatInteger } from "../../core/base/text/count.ts";
import { formatDuration } from "../../core/base/text/time.ts";
import { group } from "../../core/base/text/group.ts";
import { attentionStates } from "../../core/verdict/mirror-state.ts";
import { incidentPath } from "../../core/feed/page-paths.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { nodesOf, type Target } from "../../core/feed/feed.ts";
import {
  comingMaintenance,
  currentNotices,
  type Incident,
  type Maintenance,
  nodesOfIncident,
} from "../../core/feed/incidents.ts";
import { verdictOf } from "../../core/feed/verdict.ts";
import {
  endedIncidents,
  incidentCause,
  incidentTitle,
  noIncidentsText,
} from "../incidents/incident-list.tsx";
import {
  evidenceNotes,
  expiringCertificate,
  sinceNote,
  stateSince,
  stateWord,
  statusOf,
} from "../layout/node-status.tsx";
import { isOverview, type PageFeed } from "../layout/page-feed.ts";
import { joined, mirrorName, pageLink, Shape, time, timeRange, titleLink } from "../layout/parts.tsx";
import { isSearched, searchLink } from "./mirror-list.tsx";
import type { ShapeName } from "../layout/shapes.ts";
import { outagesOf, type Span, timeStrip } from "../incidents/time-strip.tsx";

const maxProblems = 10;
const maxMaintenance = 8;
const maxEnded = 5;

/** Mirrors at one host with the same problem share a line if there are at least this many. */
const minGroup = 3;

type ProblemGroup = readonly [FeedNode, ...FeedNode[]];

/**
 * Lists what is affected: the mirrors of `targets` with problems, maintenance and, on the overview, outages that ended in
 * the last 24 hours. With `nodes`, lists only their maintenance. Only the overview has pictures of the time around the
 * last run, because other pages don't change with every run.
 */
export function nowSection(feed: PageFeed, targets: readonly Target[], nodes?: readonly FeedNode[]) {
  const groups = problemGroups(feed, targets);
  const windows = comingMaintenance(feed, nodes);
  const ended = isOverview(feed) ? endedIncidents(feed, new Set(groups.flat())) : [];
  const rows = [
    ...groups.slice(0, maxProblems).map((own) => problemRow(feed, own, isSearched(nodesOf(targets)))),
    ...windows.slice(0, maxMaintenance).map((window) => maintenanceRow(feed, window)),
    ...ended.slice(0, maxEnded).map((own) => endedRow(feed, own)),
  ];
  if (rows.length === 0 && !(isOverview(feed) && feed.everReached)) return null;
  const more = groups.slice(maxProblems).flat().length;
  return (
    <section class="problems" aria-labelledby="problems">
      <div class="heading">
        <h2 id="problems">{isOverview(feed) || groups.length > 0 ? "Now" : "Maintenance"}</h2>
        {isOverview(feed) && rows.length > 0 && (
          <p class="axis" aria-hidden="true">
            <span>−24 h</span> <span>now</span> <span>+12 h</span>
          </p>
        )}
      </div>
      {rows.length === 0 ? (
        <p class="quiet">Nothing is affected. {feed.incidents.length === 0 && noIncidentsText(feed)}</p>
      ) : (
        <ul>{rows}</ul>
      )}
      <p class="files">
        {more > 0 && [
          <a href={searchLink({ states: [...attentionStates, "certificate"] })}>
            and {formatInteger(more)} more
          </a>,
          ". ",
        ]}
        {windows.length > maxMaintenance &&
          `And ${formatInteger(windows.length - maxMaintenance)} more maintenance windows. `}
        {joined(
          [
            isOverview(feed) && pageLink(feed, incidentPath(), "All incidents"),
            windows.length > 0 && pageLink(feed, "/maintenance.ics", "Maintenance as a calendar"),
          ].filter(Boolean),
        )}
      </p>
    </section>
  );
}

/** Returns the mirrors with problems, worst first. Many mirrors of a host with the same problem are one group. */
function problemGroups(feed: PageFeed, targets: readonly Target[]): ProblemGroup[] {
  const rated = targets.flatMap((target) => {
    const isReachable = verdictOf([target]).state !== "offline";
    return target.nodes.map((node) => ({ node, severity: severityOf(feed, node, isReachable) }));
  });
  const problems = rated
    .filter(({ severity }) => severity >= 0)
    .sort((left, right) => left.severity - right.severity)
    .map(({ node }) => node);
  return groupByHost(feed, problems);
}

/** Returns 0 for the worst problem, that no mirror of a target is reachable, and -1 if there is no problem. */
function severityOf(feed: PageFeed, node: FeedNode, isTargetReachable: boolean): number {
  return [
    node.state === "offline" && !isTargetReachable,
    ...attentionStates.map((state) => node.state === state),
    node.disagreement !== undefined,
    expiringCertificate(feed, node) !== undefined,
  ].indexOf(true);
}

export function groupByHost(feed: PageFeed, nodes: readonly FeedNode[]): ProblemGroup[] {
  const groups = group(nodes.map((node) => [`${node.host} ${faultOf(feed, node)}`, node] as const));
  return [...groups.values()].flatMap((own): ProblemGroup[] =>
    own.length < minGroup ? own.map((node) => [node]) : [own],
  );
}

function faultOf(feed: PageFeed, node: FeedNode): string {
  const { state, code, content_code, maintenance, disagreement } = node;
  const expiry = expiringCertificate(feed, node);
  // For wrong or different content, ignores the time, because runs can find the same problem at a different time on
  // each mirror.
  const since = state === "offline" || state === "behind" ? stateSince(node) : undefined;
  return JSON.stringify([state, code, content_code, since, maintenance, disagreement, expiry]);
}

type Row = Readonly<Record<"name" | "notes" | "strip", ComponentChildren>>;

/** On a narrow screen, the notes start on a new line, so that nothing moves when the script shortens the time. */
function row(feed: PageFeed, shape: ShapeName, { name, notes, strip }: Row) {
  return (
    <li>
      <Shape name={shape} />
      {name}
      <span>{notes}</span>
      {isOverview(feed) && strip}
    </li>
  );
}

function problemRow(feed: PageFeed, nodes: ProblemGroup, hasSearch: boolean) {
  const [node] = nodes;
  const { shape } = statusOf(feed, node);
  const status = stateWord(feed, node);
  const since = sinceNote(feed, node);
  const at = stateSince(node);
  // Leaves out details that can differ between the mirrors.
  const shared = { ...node, http_status: undefined, difference: undefined, last_freshness: undefined };
  const notes = evidenceNotes(feed, nodes.length === 1 ? node : shared);
  const lasting: Span[] = at === undefined || node.state === "online" ? [] : [{ shape, from: at }];
  const incidents = nodes.flatMap((one) => feed.incidentsByNode.get(one) ?? []);
  const { next } = currentNotices(feed).find((notice) => notice.nodes?.includes(node)) ?? {};
  return row(feed, shape, {
    name: nodes.length === 1 ? mirrorName(feed, node) : hostName(node, nodes.length, hasSearch),
    notes: [
      since === undefined ? (
        status
      ) : (
        <span>
          {status} · {since}
        </span>
      ),
      notes.length > 0 && (since === undefined ? " · " : <i> · </i>),
      joined(notes),
    ],
    strip: timeStrip(feed, [...outagesOf(incidents, nodes), ...lasting], incidents[0], next),
  });
}

function hostName({ host, state }: FeedNode, count: number, hasSearch: boolean) {
  const name = `${formatInteger(count)} mirrors at ${host}`;
  const search = searchLink({ query: host, states: [state] });
  return <div class="name">{hasSearch ? <a href={search}>{name}</a> : name}</div>;
}

function maintenanceRow(feed: PageFeed, { subject, from, to, reason }: Maintenance) {
  return row(feed, "unknown", {
    name: <bdi class="name">{subject}</bdi>,
    notes: [
      <span>
        <b>Maintenance</b> · {timeRange(feed, from, to)}
      </span>,
      <i> · </i>,
      <bdi>{reason}</bdi>,
    ],
    strip: timeStrip(feed, [{ shape: "unknown", from, to }]),
  });
}

function endedRow(feed: PageFeed, incidents: readonly [Incident, ...Incident[]]) {
  const [newest, ...earlier] = incidents;
  const { start, end = start } = newest;
  const lasted = formatDuration(Date.parse(end) - Date.parse(start));
  return row(feed, "online", {
    name: <div class="name">{titleLink(feed, incidentPath(newest.id), incidentTitle(newest))}</div>,
    notes: [
      <span>Back {time(feed, end)}</span>,
      <i> · </i>,
      incidentCause(feed, newest),
      `, for ${lasted}`,
      earlier.length > 0 && `, and ${formatInteger(earlier.length)} more in 24 hours`,
    ],
    strip: timeStrip(feed, outagesOf(incidents, nodesOfIncident(newest)), newest),
  });
}
