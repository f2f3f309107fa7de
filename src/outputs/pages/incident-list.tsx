import type { ComponentChildren } from "preact";
import type { Feed, Incident, FeedNode, Notice } from "../../feed/feed.ts";
import { nodesOfIncident } from "../../feed/incidents.ts";
import { isCurrent } from "../../feed/notices.ts";
import { incidentPath, link, type PageFeed } from "./links.ts";
import { causeText } from "./node-status.tsx";
import { Shape, type ShapeName } from "./parts.tsx";
import { sinceTime, timestamp, untilTime } from "./timestamp.tsx";

export type IncidentPhase = "open" | "planned" | "ended";

/** A line of a list of incidents: one that mirrorfeed found, or one that the operator wrote about. */
export interface IncidentLine {
  readonly path: string;
  readonly title: string;
  readonly from: string;
  readonly to: string | undefined;
  /** Undefined for an announcement. */
  readonly phase: IncidentPhase | undefined;
  /** The cause, or the state that the operator gives. */
  readonly note: string | undefined;
}

const maxRecent = 8;
const maxOfNode = 5;

/** Returns a line for each incident and each notice about mirrors: those that last, then the others, newest first. */
export function incidentLines(feed: PageFeed): IncidentLine[] {
  const { words } = feed;
  const found = feed.incidents.map((incident): IncidentLine => ({
    path: incidentPath(incident.id),
    title: incidentTitle(feed, incident),
    from: incident.start,
    to: incident.end,
    phase: incident.end === undefined ? "open" : "ended",
    note: incidentCause(feed, incident),
  }));
  const written = feed.notices
    .filter(({ nodes }) => nodes !== undefined)
    .map((notice): IncidentLine => {
      const { name, title, from, to, state } = notice;
      const phase = phaseOf(feed, notice);
      const note = state === undefined || state === phase ? undefined : words.incidents.states[state];
      return { path: incidentPath(name), title, from, to, phase, note };
    });
  const rank = ({ phase }: IncidentLine): number => (phase === "open" ? 0 : 1);
  return [...found, ...written].sort(
    (one, other) => rank(one) - rank(other) || (one.from < other.from ? 1 : one.from > other.from ? -1 : 0),
  );
}

/** Returns whether a notice is still to come, lasts or has ended, at the time of the last run. */
export function phaseOf({ run }: Pick<Feed, "run">, notice: Notice): IncidentPhase {
  if (isCurrent(notice, run.generated_at)) return "open";
  return run.generated_at < notice.from ? "planned" : "ended";
}

/** Returns the title of an incident, such as `3 mirrors at git.example.org were offline`. */
export function incidentTitle({ words: { incidents: words } }: PageFeed, incident: Incident): string {
  const [first, ...others] = nodesOfIncident(incident);
  const count = (first === undefined ? 0 : 1) + others.length + incident.gone;
  const subject = first === undefined || count > 1 ? words.mirrorsAt(count, incident.host) : first.name;
  return words.title(subject, count, incident.end === undefined);
}

/** Returns the cause of an incident, with the HTTP status that all of its mirrors answer with while it lasts. */
export function incidentCause({ words }: PageFeed, { code, outages }: Incident): string {
  const lasting = outages.filter(({ node, to }) => to === undefined && node.code === code);
  const [http_status, ...others] = new Set(lasting.map(({ node }) => node.http_status));
  return causeText(words, code, others.length === 0 ? { http_status } : {});
}

/** Renders a link to a page by its title, whose direction does not change the order of what is around it. */
export function titleLink(feed: PageFeed, path: string, title: ComponentChildren): preact.JSX.Element {
  return (
    <a href={link(feed, path)}>
      <bdi>{title}</bdi>
    </a>
  );
}

/** Renders lines of incidents, each with a link to its page. */
export function incidentList(feed: PageFeed, lines: readonly IncidentLine[]): preact.JSX.Element {
  return (
    <ol>
      {lines.map(({ path, title, from, to, phase, note }) => (
        <li>
          {timestamp(feed, from)}
          {phase !== undefined && <Shape name={phaseShapes[phase]} />}
          <span>
            {titleLink(feed, path, title)}
            <span class="quiet">
              {[note, phaseNote(feed, { phase, from, to })]
                .filter((one) => one !== undefined)
                .map((one, index) => [index === 0 ? <i> · </i> : " · ", one])}
            </span>
          </span>
        </li>
      ))}
    </ol>
  );
}

function phaseNote(
  { words: { incidents: words } }: PageFeed,
  { phase, from, to }: Pick<IncidentLine, "phase" | "from" | "to">,
): ComponentChildren {
  if (phase === "open") return <b class="offline">{words.lasts}</b>;
  return phase === "ended" && to !== undefined ? words.lasted(Date.parse(to) - Date.parse(from)) : undefined;
}

/** The shape of each phase. */
export const phaseShapes: Readonly<Record<IncidentPhase, ShapeName>> = {
  open: "offline",
  planned: "unknown",
  ended: "online",
};

/** Renders the latest incidents, those that last first, and a link to all. */
export function recentIncidents(feed: PageFeed): preact.JSX.Element {
  const { incidents: words } = feed.words;
  const lines = incidentLines(feed);
  return (
    <section class="changes" aria-labelledby="incidents">
      <h2 id="incidents">{words.recent}</h2>
      {lines.length === 0 ? <p class="quiet">{words.none}</p> : incidentList(feed, lines.slice(0, maxRecent))}
      <p class="files">
        <a href={link(feed, incidentPath())}>{words.all}</a>
      </p>
    </section>
  );
}

/** Renders links to the latest incidents of a mirror, or nothing if there are none. */
export function incidentLinks(feed: PageFeed, node: FeedNode): preact.JSX.Element | null {
  const own = feed.incidentsByNode.get(node) ?? [];
  if (own.length === 0) return null;
  const { incidents: words } = feed.words;
  return (
    <p class="quiet incident-links">
      {words.heading}:{" "}
      {own.slice(0, maxOfNode).map((incident, index) => [
        index > 0 && ", ",
        <a href={link(feed, incidentPath(incident.id))}>
          {incidentCause(feed, incident)},{" "}
          {incident.end === undefined ? sinceTime(feed, incident.start) : feed.format.date(incident.start)}
        </a>,
      ])}
      {own.length > maxOfNode && `, ${words.more(own.length - maxOfNode)}`}
    </p>
  );
}

/** Renders the announcements of today, or nothing if there are none. */
export function announcements(feed: PageFeed): preact.JSX.Element | null {
  const current = feed.notices.filter(
    (notice) => notice.nodes === undefined && isCurrent(notice, feed.run.generated_at),
  );
  if (current.length === 0) return null;
  return (
    <aside class="announcements" aria-label={feed.words.incidents.announcements}>
      <ul>
        {current.map(({ name, title, to }) => (
          <li>
            {titleLink(feed, incidentPath(name), title)}
            {to !== undefined && [" ", untilTime(feed, to)]}
          </li>
        ))}
      </ul>
    </aside>
  );
}
