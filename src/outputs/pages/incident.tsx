import { breakable, Shape } from "./parts.tsx";
import type { Incident, FeedNode, Notice } from "../../feed/feed.ts";
import { nodesOfIncident } from "../../feed/incidents.ts";
import { overlaps } from "../../feed/notices.ts";
import {
  incidentCause,
  type IncidentPhase,
  incidentTitle,
  phaseOf,
  phaseShapes,
  titleLink,
} from "./incident-list.tsx";
import { type Fact, factRows } from "./node-section.tsx";
import { pageDocument } from "./layout.tsx";
import { incidentPath, link, type PageFeed, projectPath, targetPath } from "./links.ts";
import { mirrorName } from "./node-row.tsx";
import { breadcrumbs } from "./places.tsx";
import { exactTime } from "./timestamp.tsx";
import { timeline } from "./timeline.tsx";

/** A page lists no more mirrors than this. */
const maxMirrors = 200;

/** Returns the permanent page of an incident: its cause, its times, its mirrors and each change. */
export function incidentPage(feed: PageFeed, incident: Incident): string {
  const { words } = feed;
  const { host, code, start, end, gone } = incident;
  const cause = incidentCause(feed, incident);
  const title = incidentTitle(feed, incident);
  const notices = feed.notices.filter((notice) => overlaps(notice, incident));
  return pageDocument({
    feed,
    title,
    description: cause,
    hasStatuses: true,
    children: (
      <>
        {incidentCrumbs(feed, title)}
        {incidentHeading(feed, title, end === undefined ? "open" : "ended")}
        <dl class="facts">
          {factRows([
            [words.incidents.cause, [cause, " ", <code>{code}</code>]],
            [words.incidents.host, host],
            ...periodFacts(feed, start, end),
          ])}
        </dl>
        {notices.map(({ name, title: own }) => (
          <p>
            {words.incidents.written} {titleLink(feed, incidentPath(name), own)}
          </p>
        ))}
        {affectedMirrors(feed, nodesOfIncident(incident), { left: gone })}
        <section class="changes">
          <h2>{words.incidents.timeline}</h2>
          {timeline(feed, incident)}
        </section>
      </>
    ),
  });
}

/** Returns the page of a notice: the text, its mirrors, and the incidents that mirrorfeed found at that time. */
export function noticePage(feed: PageFeed, notice: Notice): string {
  const { incidents: words } = feed.words;
  const { title, from, to, state, html, nodes, gone } = notice;
  const phase = nodes === undefined ? undefined : phaseOf(feed, notice);
  const found = feed.incidents.filter((incident) => overlaps(notice, incident));
  return pageDocument({
    feed,
    title,
    hasStatuses: true,
    children: (
      <>
        {incidentCrumbs(feed, title)}
        {incidentHeading(feed, title, phase, state && words.states[state])}
        <dl class="facts">{factRows(periodFacts(feed, from, to))}</dl>
        <div class="prose" dangerouslySetInnerHTML={{ __html: html }} />
        {nodes !== undefined && affectedMirrors(feed, nodes, { gone })}
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

function incidentCrumbs(feed: PageFeed, current: string): preact.JSX.Element {
  const ancestors = [[feed.words.incidents.heading, incidentPath()]] as const;
  return breadcrumbs(feed, ancestors, current, { isOfSystems: false });
}

function incidentHeading(
  { words: { incidents: words } }: PageFeed,
  title: string,
  phase: IncidentPhase | undefined,
  word?: string,
): preact.JSX.Element {
  const phases = { open: words.ongoing, planned: words.planned, ended: words.ended };
  return (
    <div class="state">
      <h1>
        {phase !== undefined && <Shape name={phaseShapes[phase]} />}
        <bdi>{breakable(title)}</bdi>
      </h1>
      {phase !== undefined && <p>{word ?? phases[phase]}</p>}
    </div>
  );
}

function periodFacts(feed: PageFeed, from: string, to: string | undefined): Fact[] {
  const { incidents: words, number } = feed.words;
  const start: Fact = [words.start, exactTime(feed, from)];
  if (to === undefined) return [start];
  const duration = number.duration(Date.parse(to) - Date.parse(from));
  return [start, [words.end, exactTime(feed, to)], [words.duration, duration]];
}

/** Renders mirrors, `gone`, which the operator names and the feed no longer has, and how many others have `left` the feed. */
function affectedMirrors(
  feed: PageFeed,
  nodes: readonly FeedNode[],
  { gone = [], left = 0 }: { readonly gone?: Notice["gone"]; readonly left?: number | undefined },
): preact.JSX.Element {
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
              / <a href={link(feed, targetPath(node.target))}>{node.target.target}</a>
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
      {more > 0 && <p class="quiet">{words.more(more)}</p>}
      {left > 0 && <p class="quiet">{words.gone(left)}</p>}
    </section>
  );
}
