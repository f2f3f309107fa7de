import { breakable } from "./breakable.tsx";
import type { Incident, Node, Notice } from "../model/feed.ts";
import { nodesOfIncident } from "../model/incidents.ts";
import { overlaps } from "../model/notices.ts";
import { incidentCause, type IncidentPhase, incidentTitle, phaseOf, phaseShapes } from "./incident-list.tsx";
import { pageDocument } from "./layout.tsx";
import { incidentPath, link, type PageFeed, projectPath, targetPath } from "./links.ts";
import { MirrorName } from "./node-row.tsx";
import { Breadcrumbs } from "./project.tsx";
import { Shape } from "./shape.tsx";
import { ExactTime } from "./timestamp.tsx";
import { Timeline } from "./timeline.tsx";

/** A page lists no more mirrors than this. */
const maxMirrors = 200;

/** Returns the permanent page of an incident: its cause, its times, its mirrors and each change. */
export function incidentPage(feed: PageFeed, incident: Incident): string {
  const { words } = feed;
  const { id, host, code, start, end, gone } = incident;
  const cause = incidentCause(feed, incident);
  const title = incidentTitle(feed, incident);
  const notices = feed.notices.filter((notice) => overlaps(notice, incident));
  return pageDocument({
    feed,
    title,
    description: cause,
    path: incidentPath(id),
    hasStatuses: true,
    children: (
      <>
        <IncidentCrumbs feed={feed} current={title} />
        <IncidentHeading feed={feed} title={title} phase={end === undefined ? "open" : "ended"} />
        <dl class="facts">
          <div>
            <dt>{words.incidents.cause}</dt>
            <dd>
              {cause} <code>{code}</code>
            </dd>
          </div>
          <div>
            <dt>{words.incidents.host}</dt>
            <dd>{host}</dd>
          </div>
          <Times feed={feed} from={start} to={end} />
        </dl>
        {notices.map(({ name, title: own }) => (
          <p>
            {words.incidents.written}{" "}
            <a href={link(feed, incidentPath(name))}>
              <bdi>{own}</bdi>
            </a>
          </p>
        ))}
        <AffectedMirrors feed={feed} nodes={nodesOfIncident(incident)} left={gone} />
        <section class="changes">
          <h2>{words.incidents.timeline}</h2>
          <Timeline feed={feed} incident={incident} />
        </section>
      </>
    ),
  });
}

/** Returns the page of a notice: the text, its mirrors, and the incidents that mirrorfeed found at that time. */
export function noticePage(feed: PageFeed, notice: Notice): string {
  const { incidents: words } = feed.words;
  const { name, title, from, to, state, html, nodes, gone } = notice;
  const phase = nodes === undefined ? undefined : phaseOf(feed, notice);
  const found = feed.incidents.filter((incident) => overlaps(notice, incident));
  return pageDocument({
    feed,
    title,
    path: incidentPath(name),
    hasStatuses: true,
    children: (
      <>
        <IncidentCrumbs feed={feed} current={title} />
        <IncidentHeading feed={feed} title={title} phase={phase} word={state && words.states[state]} />
        <dl class="facts">
          <Times feed={feed} from={from} to={to} />
        </dl>
        <div class="prose" dangerouslySetInnerHTML={{ __html: html }} />
        {nodes !== undefined && <AffectedMirrors feed={feed} nodes={nodes} gone={gone} />}
        {found.length > 0 && (
          <section class="changes">
            <h2>{words.observed}</h2>
            {found.map((incident) => (
              <>
                <h3>
                  <a href={link(feed, incidentPath(incident.id))}>
                    <bdi>{incidentTitle(feed, incident)}</bdi>
                  </a>
                </h3>
                <Timeline feed={feed} incident={incident} />
              </>
            ))}
          </section>
        )}
      </>
    ),
  });
}

function IncidentCrumbs({
  feed,
  current,
}: {
  readonly feed: PageFeed;
  readonly current: string;
}): preact.JSX.Element {
  const ancestors = [{ name: feed.words.incidents.heading, path: incidentPath() }];
  return <Breadcrumbs feed={feed} ancestors={ancestors} current={current} isOfSystems={false} />;
}

function IncidentHeading({
  feed: {
    words: { incidents: words },
  },
  title,
  phase,
  word,
}: {
  readonly feed: PageFeed;
  readonly title: string;
  readonly phase: IncidentPhase | undefined;
  readonly word?: string | undefined;
}): preact.JSX.Element {
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

function Times({
  feed: {
    words: { incidents: words, number },
  },
  from,
  to,
}: {
  readonly feed: PageFeed;
  readonly from: string;
  readonly to: string | undefined;
}): preact.JSX.Element {
  return (
    <>
      <div>
        <dt>{words.start}</dt>
        <dd>
          <ExactTime at={from} />
        </dd>
      </div>
      {to !== undefined && (
        <>
          <div>
            <dt>{words.end}</dt>
            <dd>
              <ExactTime at={to} />
            </dd>
          </div>
          <div>
            <dt>{words.duration}</dt>
            <dd>{number.duration(Date.parse(to) - Date.parse(from))}</dd>
          </div>
        </>
      )}
    </>
  );
}

function AffectedMirrors({
  feed,
  nodes,
  gone = [],
  left = 0,
}: {
  readonly feed: PageFeed;
  readonly nodes: readonly Node[];
  /** What the operator names and the feed no longer has. */
  readonly gone?: Notice["gone"];
  /** How many others have left the feed. */
  readonly left?: number;
}): preact.JSX.Element {
  const { incidents: words } = feed.words;
  const more = nodes.length - maxMirrors;
  return (
    <section class="affected">
      <h2>{words.affected}</h2>
      <ul>
        {nodes.slice(0, maxMirrors).map((node) => (
          <li>
            <MirrorName feed={feed} node={node} />
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
