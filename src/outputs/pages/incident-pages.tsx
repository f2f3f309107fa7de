import { group } from "../../base/text/group.ts";
import { incidentPath, projectPath, targetPath } from "../../contract/page-paths.ts";
import type { FeedNode, Incident, Notice } from "../../feed/feed.ts";
import { nodesOfIncident, overlaps } from "../../feed/incidents.ts";
import {
  announcementLine,
  foldRepeats,
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
import { sinceNote, statusOf } from "./node-status.tsx";
import { link, type PageFeed } from "./page-feed.ts";
import { breakable, type Fact, factRows, mirrorName, pageLink, Shape, time, titleLink } from "./parts.tsx";
import { breadcrumbs } from "./sections.tsx";

const maxMirrors = 200;

/** Shorter lists need no filter. */
const minFiltered = 9;

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
        {lines.length >= minFiltered && <div id="filter" data-label={words.filter} />}
        {groups.map(([heading, own]) => (
          <section class="changes month">
            <h2>{heading}</h2>
            {incidentList(feed, foldRepeats(own), (earlier, { path }) => (
              <details id={`earlier-${path.split("/")[2]}`}>
                <summary>{words.earlier(earlier.length)}</summary>
                {incidentList(feed, earlier, () => null)}
              </details>
            ))}
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
        {affectedMirrors(feed, { nodes: nodesOfIncident(incident), left: gone, isOpen: end === undefined })}
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
  const { title, from, to, state, next, html, updates, nodes, gone } = notice;
  const phase = nodes && phaseOf(feed, notice);
  const isOver = to !== undefined && to <= feed.run.generated_at;
  const found = feed.incidents.filter((incident) => overlaps(notice, incident));
  const nextFacts: Fact[] = next === undefined || isOver ? [] : [[words.next, time(feed, next)]];
  return pageDocument({
    feed,
    title,
    children: (
      <>
        {incidentHeading(feed, title, phase, state && words.states[state])}
        <dl class="facts">{factRows([...periodFacts(feed, from, to), ...nextFacts])}</dl>
        <div class="prose" dangerouslySetInnerHTML={{ __html: html }} />
        {updates.length > 0 && (
          <section class="updates">
            <h2>{words.updates}</h2>
            {updates.map((update) => (
              <article id={update.at}>
                <h3>
                  {update.state && `${words.states[update.state]} · `}
                  <a href={`#${update.at}`}>{time(feed, update.at, "exact")}</a>
                </h3>
                <div class="prose" dangerouslySetInnerHTML={{ __html: update.html }} />
              </article>
            ))}
          </section>
        )}
        {nodes && affectedMirrors(feed, { nodes, gone, isOpen: !isOver })}
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
  if (to === undefined)
    return from <= feed.run.generated_at ? [start, [words.duration, time(feed, from, "since")]] : [start];
  const duration = number.duration(Date.parse(to) - Date.parse(from));
  return [start, [words.end, time(feed, to, "exact")], [words.duration, duration]];
}

interface Affected {
  readonly nodes: readonly FeedNode[];
  /** Mirrors and paths that a notice names, but that are no longer in the feed. */
  readonly gone?: Notice["gone"];
  /** How many of an incident's mirrors are no longer in the feed. */
  readonly left?: number;
  /** Once an incident is over, its mirrors' current states say nothing about it. */
  readonly isOpen: boolean;
}

function affectedMirrors(feed: PageFeed, { nodes, gone = [], left = 0, isOpen }: Affected) {
  const { incidents: words } = feed.words;
  const more = nodes.length - maxMirrors;
  return (
    <section class="affected">
      <h2>{words.affected}</h2>
      <ul>
        {nodes.slice(0, maxMirrors).map((node) => (
          <li>
            {mirrorName(feed, node)}
            {isOpen && mirrorState(feed, node)}
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

function mirrorState(feed: PageFeed, node: FeedNode) {
  const { shape, word } = statusOf(feed, node);
  return (
    <p>
      <Shape name={shape} /> {word} {sinceNote(feed, node)}
    </p>
  );
}
