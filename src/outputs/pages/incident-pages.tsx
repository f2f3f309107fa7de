import { group } from "../../base/text/group.ts";
import { incidentPath, projectPath, targetPath } from "../../contract/page-paths.ts";
import type { FeedNode, Incident, Notice } from "../../feed/feed.ts";
import { nodesOfIncident, overlaps } from "../../feed/incidents.ts";
import {
  announcementLine,
  incidentCause,
  type IncidentLine,
  incidentLines,
  incidentList,
  type IncidentPhase,
  incidentTitle,
  phaseOf,
  phaseShapes,
  timeline,
} from "./incident-list.tsx";
import { pageDocument } from "./layout.tsx";
import { link, type PageFeed } from "./page-feed.ts";
import { breakable, type Fact, factRows, mirrorName, pageLink, Shape, time, titleLink } from "./parts.tsx";
import { breadcrumbs } from "./sections.tsx";

/** A page lists no more mirrors than this. */
const maxMirrors = 200;

export function incidentsPage(feed: PageFeed): string {
  const { incidents: words } = feed.words;
  const lines = incidentLines(feed);
  const inPhase = (phase: IncidentPhase): IncidentLine[] => lines.filter((line) => line.phase === phase);
  const announcements = feed.notices.filter(({ nodes }) => nodes === undefined).map(announcementLine);
  const groups = [
    [words.open, inPhase("open")] as const,
    [words.planned, inPhase("planned").reverse()] as const,
    ...group(inPhase("ended").map((line) => [feed.format.month(line.from), line])),
    [words.announcements, announcements] as const,
  ].filter(([, own]) => own.length > 0);
  return pageDocument({
    feed,
    title: words.heading,
    children: (
      <>
        {breadcrumbs(feed, words.heading)}
        <div class="state">
          <h1>{words.heading}</h1>
          <p>{lines.length === 0 ? words.none(feed.daysKnown) : words.kept}</p>
        </div>
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

export function incidentPage(feed: PageFeed, incident: Incident): string {
  const { incidents: words } = feed.words;
  const { host, code, start, end, gone } = incident;
  const cause = incidentCause(feed, incident);
  const title = incidentTitle(feed, incident);
  return pageDocument({
    feed,
    title,
    description: cause,
    children: (
      <>
        {incidentHeading(feed, title, end === undefined ? "open" : "ended")}
        <dl class="facts">
          {factRows([
            [words.cause, [cause, " ", <code>{code}</code>]],
            [words.host, host],
            ...periodFacts(feed, start, end),
          ])}
        </dl>
        {feed.notices
          .filter((notice) => overlaps(notice, incident))
          .map((notice) => (
            <p>
              {words.written} {titleLink(feed, incidentPath(notice.name), notice.title)}
            </p>
          ))}
        {affectedMirrors(feed, nodesOfIncident(incident), [], gone)}
        <section class="changes">
          <h2>{words.timeline}</h2>
          {timeline(feed, incident)}
        </section>
      </>
    ),
  });
}

export function noticePage(feed: PageFeed, notice: Notice): string {
  const { incidents: words } = feed.words;
  const { title, from, to, state, html, nodes, gone } = notice;
  const phase = nodes && phaseOf(feed, notice);
  const found = feed.incidents.filter((incident) => overlaps(notice, incident));
  return pageDocument({
    feed,
    title,
    children: (
      <>
        {incidentHeading(feed, title, phase, state && words.states[state])}
        <dl class="facts">{factRows(periodFacts(feed, from, to))}</dl>
        <div class="prose" dangerouslySetInnerHTML={{ __html: html }} />
        {nodes && affectedMirrors(feed, nodes, gone)}
        {found.length > 0 && (
          <section class="changes">
            <h2>{words.observed}</h2>
            {found.map((incident) => (
              <>
                <h3>{titleLink(feed, incidentPath(incident.id), incidentTitle(feed, incident))}</h3>
                {timeline(feed, incident)}
              </>
            ))}
          </section>
        )}
      </>
    ),
  });
}

function incidentHeading(feed: PageFeed, title: string, phase: IncidentPhase | undefined, state?: string) {
  const { incidents: words } = feed.words;
  const phases = { open: words.ongoing, planned: words.planned, ended: words.ended };
  return (
    <>
      {breadcrumbs(feed, title)}
      <div class="state">
        <h1>
          {phase !== undefined && <Shape name={phaseShapes[phase]} />}
          <bdi>{breakable(title)}</bdi>
        </h1>
        {phase !== undefined && <p>{state ?? phases[phase]}</p>}
      </div>
    </>
  );
}

function periodFacts(feed: PageFeed, from: string, to: string | undefined): Fact[] {
  const { incidents: words, number } = feed.words;
  const start: Fact = [words.start, time(feed, from, "exact")];
  if (to === undefined) return [start];
  const duration = number.duration(Date.parse(to) - Date.parse(from));
  return [start, [words.end, time(feed, to, "exact")], [words.duration, duration]];
}

/** `gone` mirrors are those that a notice names and the feed no longer has. `left` counts those of an incident. */
function affectedMirrors(feed: PageFeed, nodes: readonly FeedNode[], gone: Notice["gone"], left = 0) {
  const { incidents: words } = feed.words;
  const more = nodes.length - maxMirrors;
  return (
    <section class="affected">
      <h2>{words.affected}</h2>
      <ul>
        {nodes.slice(0, maxMirrors).map((node) => (
          <li>
            {mirrorName(feed, node)}
            <p class="quiet">
              <a href={link(feed, projectPath(node.target))}>
                {node.target.system} / {node.target.project}
              </a>{" "}
              / {pageLink(feed, targetPath(node.target), node.target.target)}
            </p>
          </li>
        ))}
        {gone.map((name) => (
          <li>
            <bdi>{typeof name === "number" ? words.mirror(name) : name}</bdi>{" "}
            <p class="quiet">{words.left}</p>
          </li>
        ))}
      </ul>
      {more > 0 && <p class="quiet">{feed.words.terms.more(more)}</p>}
      {left > 0 && <p class="quiet">{words.gone(left)}</p>}
    </section>
  );
}
