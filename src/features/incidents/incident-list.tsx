import type { ComponentChildren } from "preact";
import { incidentPath } from "../../core/feed/page-paths.ts";
import type { Feed } from "../../core/feed/feed.ts";
import { formatCount, formatInteger } from "../../core/base/text/count.ts";
import { dayMs, formatDuration } from "../../core/base/text/time.ts";
import { group } from "../../core/base/text/group.ts";
import {
  compare,
  type Incident,
  isCurrent,
  nodesOfIncident,
  type Notice,
} from "../../core/feed/incidents.ts";
import { pageDocument } from "../layout/layout.tsx";
import { causeText } from "../layout/node-status.tsx";
import { link, type PageFeed } from "../layout/page-feed.ts";
import { joined, Shape, time, titleLink } from "../layout/parts.tsx";
import { breadcrumbs } from "../layout/sections.tsx";
import type { FeedNode } from "../../core/feed/feed-node.ts";

type IncidentPhase = keyof typeof phases;

type IncidentLine = Readonly<ReturnType<typeof incidentLines>[number]>;

/** Shorter lists need no filter. */
const minFiltered = 9;

export function incidentsPage(feed: PageFeed): string {
  const all = incidentLines(feed);
  const inPhase = (phase?: IncidentPhase): IncidentLine[] => all.filter((line) => line.phase === phase);
  const announcements = inPhase();
  const count = all.length - announcements.length;
  const groups = [
    ["Now", inPhase("open")] as const,
    ["Planned", inPhase("planned").reverse()] as const,
    ...group(inPhase("ended").map((line) => [feed.format.month(line.from), line])),
    ["Announcements", announcements] as const,
  ].filter(([, own]) => own.length > 0);
  return pageDocument({
    feed,
    title: "Incidents",
    children: (
      <>
        {breadcrumbs(feed, "Incidents")}
        <div class="state">
          <h1>Incidents</h1>
          <p>
            {count === 0
              ? noIncidentsText(feed)
              : "Incidents stay here for 90 days after they end, or until there are 500 newer ones."}
          </p>
        </div>
        {count >= minFiltered && <div id="filter" />}
        {groups.map(([heading, own]) => (
          <section class="changes month">
            <h2>{heading}</h2>
            {incidentList(feed, own)}
          </section>
        ))}
      </>
    ),
  });
}

/** Returns incidents and notices: ongoing ones first, then the newest. Announcements have no phase. */
function incidentLines(feed: PageFeed) {
  const found = feed.incidents.map((incident) => ({
    path: incidentPath(incident.id),
    title: incidentTitle(incident),
    from: incident.start,
    to: incident.end,
    phase: incident.end === undefined ? ("open" as const) : ("ended" as const),
    /** The cause, or the state that the operator wrote. */
    note: incidentCause(feed, incident),
    /** If the same happens again, the new incident has the same subject. */
    subject: [incident.code, incident.host, ...nodesOfIncident(incident).map(({ id }) => id)].join(" "),
  }));
  const written = feed.notices.map((notice) => {
    const { name, title, from, to, state, nodes } = notice;
    const phase = nodes && phaseOf(feed, notice);
    const note = phase && state && state !== phase ? stateTitle(state) : undefined;
    return { path: incidentPath(name), title, from, to, phase, note, subject: undefined };
  });
  const rank = (phase: IncidentPhase | undefined): number => (phase === "open" ? 0 : 1);
  return [...found, ...written].sort(
    (one, other) => rank(one.phase) - rank(other.phase) || compare(other.from, one.from),
  );
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
  return causeText(feed.format, code, others.length === 0 ? { http_status } : {});
}

/** Returns incidents that ended in the last 24 hours, grouped by their mirrors, unless those have a row already. */
export function endedIncidents(
  feed: PageFeed,
  shown: ReadonlySet<FeedNode>,
): (readonly [Incident, ...Incident[]])[] {
  const start = new Date(Date.parse(feed.run.generated_at) - dayMs).toISOString();
  const ended = feed.incidents.filter(
    (incident) =>
      incident.end !== undefined &&
      incident.end > start &&
      nodesOfIncident(incident).some((node) => !shown.has(node)),
  );
  const idsOf = (incident: Incident): number[] => nodesOfIncident(incident).map(({ id }) => id);
  return [...group(ended.map((incident) => [idsOf(incident).join(), incident])).values()];
}

export const phases = {
  open: { word: "Ongoing", shape: "offline" },
  planned: { word: "Planned", shape: "unknown" },
  ended: { word: "Ended", shape: "online" },
} as const;

/** Lines with the same subject are one line, with the earlier ones below it. */
function incidentList(feed: PageFeed, lines: readonly IncidentLine[]): preact.JSX.Element {
  const bySubject = group(lines.map((line) => [line.subject ?? line.path, line]));
  return (
    <ol>
      {[...bySubject.values()].map(([line, ...earlier]) => (
        <li>
          {time(feed, line.from)}
          {line.phase !== undefined && <Shape name={phases[line.phase].shape} />}
          <div>
            {titleLink(feed, line.path, line.title)}
            <span class="quiet">
              {[line.note, phaseNote(line)]
                .filter((note) => note !== undefined)
                .map((note, index) => [index === 0 ? <i> · </i> : " · ", note])}
            </span>
            {earlier.length > 0 && (
              <details id={`earlier-${line.path.split("/")[2]}`}>
                <summary>
                  {earlier.length === 1
                    ? "and once before"
                    : `and ${formatInteger(earlier.length)} times before`}
                </summary>
                {incidentList(
                  feed,
                  earlier.map((one) => ({ ...one, subject: undefined })),
                )}
              </details>
            )}
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

const maxOfNode = 5;

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
