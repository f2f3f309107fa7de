import type { ComponentChildren } from "preact";
import { incidentPath, nodePath } from "../../core/feed/page-paths.ts";
import type { Feed } from "../../core/feed/feed.ts";
import { formatCount, formatInteger } from "../../core/base/text/count.ts";
import { formatDuration } from "../../core/base/text/duration.ts";
import { group } from "../../core/base/text/group.ts";
import { isCurrent, nodesOfIncident, type Incident, type Notice } from "../../core/feed/incidents.ts";
import { causeText } from "../layout/node-status.tsx";
import { link, type PageFeed } from "../layout/page-feed.ts";
import { joined, Shape, time, titleLink } from "../layout/parts.tsx";
import type { ShapeName } from "../layout/shapes.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";

export type IncidentPhase = "open" | "planned" | "ended";

export interface IncidentLine {
  readonly path: string;
  readonly title: string;
  readonly from: string;
  readonly to: string | undefined;
  /** Undefined for an announcement. */
  readonly phase?: IncidentPhase;
  /** The cause, or the state that the operator wrote. */
  readonly note?: string | undefined;
  /** An incident's code, host and mirrors. If the same happens again, the new incident has the same subject. */
  readonly subject?: string;
  readonly earlier?: readonly IncidentLine[];
}

const maxOfNode = 5;

/** Returns incidents and notices about mirrors: ongoing ones first, then the newest. */
export function incidentLines(feed: PageFeed): IncidentLine[] {
  const found = feed.incidents.map((incident): IncidentLine => ({
    path: incidentPath(incident.id),
    title: incidentTitle(incident),
    from: incident.start,
    to: incident.end,
    phase: incident.end === undefined ? "open" : "ended",
    note: incidentCause(feed, incident),
    subject: [incident.code, incident.host, ...nodesOfIncident(incident).map(({ id }) => id)].join(" "),
  }));
  const written = feed.notices
    .filter(({ nodes }) => nodes !== undefined)
    .map((notice): IncidentLine => {
      const phase = phaseOf(feed, notice);
      const { state } = notice;
      return {
        ...announcementLine(notice),
        phase,
        note: state && state !== phase ? stateTitle(state) : undefined,
      };
    });
  const rank = ({ phase }: IncidentLine): number => (phase === "open" ? 0 : 1);
  return [...found, ...written].sort(
    (one, other) => rank(one) - rank(other) || (one.from < other.from ? 1 : one.from > other.from ? -1 : 0),
  );
}

/**
 * Merges lines with the same subject: returns the first line of each subject, with the other lines in its `earlier`.
 */
export function foldRepeats(lines: readonly IncidentLine[]): IncidentLine[] {
  const bySubject = group(lines.map((line) => [line.subject ?? line.path, line] as const));
  return [...bySubject.values()].map(([first, ...earlier]) => ({ ...first, earlier }));
}

export function announcementLine({ name, title, from, to }: Notice): IncidentLine {
  return { path: incidentPath(name), title, from, to };
}

export function phaseOf({ run }: Feed, notice: Notice): IncidentPhase {
  if (isCurrent(notice, run.generated_at)) return "open";
  return run.generated_at < notice.from ? "planned" : "ended";
}

/** Returns a title such as `3 mirrors at git.example.org were offline`. */
export function incidentTitle(incident: Incident): string {
  const nodes = nodesOfIncident(incident);
  const [first] = nodes;
  const count = nodes.length + incident.gone;
  const subject =
    first === undefined || count > 1 ? `${formatCount(count, "mirror")} at ${incident.host}` : first.name;
  const [singular, plural] = incident.end === undefined ? ["is", "are"] : ["was", "were"];
  return `${subject} ${count === 1 ? singular : plural} offline`;
}

/** Includes the HTTP status if all mirrors that are still offline have the same status. */
export function incidentCause(feed: PageFeed, { code, outages }: Incident): string {
  const lasting = outages.filter(({ node, to }) => to === undefined && node.code === code);
  const [http_status, ...others] = new Set(lasting.map(({ node }) => node.http_status));
  return causeText(feed, code, others.length === 0 ? { http_status } : {});
}

export const phaseShapes: Readonly<Record<IncidentPhase, ShapeName>> = {
  open: "offline",
  planned: "unknown",
  ended: "online",
};

/** `below` renders the earlier incidents of a line. */
export function incidentList(
  feed: PageFeed,
  lines: readonly IncidentLine[],
  below: (earlier: readonly IncidentLine[], line: IncidentLine) => ComponentChildren,
): preact.JSX.Element {
  return (
    <ol>
      {lines.map((line) => (
        <li>
          {time(feed, line.from)}
          {line.phase !== undefined && <Shape name={phaseShapes[line.phase]} />}
          <div>
            {titleLink(feed, line.path, line.title)}
            <span class="quiet">
              {[line.note, phaseNote(line)]
                .filter((note) => note !== undefined)
                .map((note, index) => [index === 0 ? <i> · </i> : " · ", note])}
            </span>
            {line.earlier?.length ? below(line.earlier, line) : null}
          </div>
        </li>
      ))}
    </ol>
  );
}

function phaseNote({ phase, from, to }: IncidentLine): ComponentChildren {
  if (phase === "open") return <b class="offline">ongoing</b>;
  return phase === "ended" && to !== undefined
    ? `lasted ${formatDuration(Date.parse(to) - Date.parse(from))}`
    : undefined;
}

/** Returns the state that the operator wrote, as a title. */
export function stateTitle(state: NonNullable<Notice["state"]>): string {
  return state.charAt(0).toUpperCase() + state.slice(1);
}

export function noIncidentsText({ daysKnown }: Feed): string {
  if (daysKnown < 2) return "No incidents yet.";
  return `No incidents in the ${formatInteger(daysKnown)} days observed.`;
}

export function earlierText(count: number): string {
  return count === 1 ? "and once before" : `and ${formatInteger(count)} times before`;
}

export function incidentLinks(feed: PageFeed, node: FeedNode) {
  const incidents = feed.incidentsByNode.get(node) ?? [];
  if (incidents.length === 0) return null;
  const links = incidents.slice(0, maxOfNode).map((incident) => (
    <a href={link(feed, incidentPath(incident.id))}>
      {incidentCause(feed, incident)},{" "}
      {incident.end === undefined ? time(feed, incident.start, "since") : feed.format.date(incident.start)}
    </a>
  ));
  return (
    <p class="quiet incident-links">
      Incidents: {joined(links, ", ")}
      {incidents.length > maxOfNode && `, and ${formatInteger(incidents.length - maxOfNode)} more`}
    </p>
  );
}

/** One step of a timeline names at most this many mirrors. */
const maxNamed = 5;
const maxSteps = 100;

export function timeline(feed: PageFeed, { outages }: Incident) {
  const changes = outages.flatMap(({ node, from, to }) => [
    [`${from} 1`, node] as const,
    ...(to === undefined ? [] : [[`${to} 2`, node] as const]),
  ]);
  const steps = [...group(changes)].sort(([one], [other]) => (one < other ? 1 : -1));
  return (
    <>
      <ol>
        {steps.slice(0, maxSteps).map(([key, nodes]) => {
          const [at = "", direction] = key.split(" ");
          const isOnline = direction === "2";
          const links = nodes.slice(0, maxNamed).map((node) => titleLink(feed, nodePath(node), node.name));
          return (
            <li>
              {time(feed, at, "exact")}
              <Shape name={isOnline ? "online" : "offline"} />
              <span>
                {formatCount(nodes.length, "mirror")} {isOnline ? "came back online" : "went offline"}:{" "}
                {joined(links, ", ")}
                {nodes.length > maxNamed && `, and ${formatInteger(nodes.length - maxNamed)} more`}
              </span>
            </li>
          );
        })}
      </ol>
      {steps.length > maxSteps && <p class="quiet">and {formatInteger(steps.length - maxSteps)} more</p>}
    </>
  );
}
