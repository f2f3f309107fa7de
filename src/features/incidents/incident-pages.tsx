import { formatCount, formatInteger } from "../../core/base/text/count.ts";
import { formatDuration } from "../../core/base/text/time.ts";
import { group } from "../../core/base/text/group.ts";
import { incidentPath, nodePath, projectPath, targetPath } from "../../core/feed/page-paths.ts";
import { type Incident, nodesOfIncident, type Notice, overlaps } from "../../core/feed/incidents.ts";
import { incidentCause, incidentTitle, phaseOf, phases, stateTitle } from "./incident-list.tsx";
import { pageDocument } from "../layout/layout.tsx";
import { sinceNote, statusOf } from "../layout/node-status.tsx";
import { link, type PageFeed } from "../layout/page-feed.ts";
import {
  breakable,
  type Fact,
  factRows,
  joined,
  mirrorName,
  pageLink,
  Shape,
  time,
  titleLink,
} from "../layout/parts.tsx";
import { breadcrumbs } from "../layout/sections.tsx";
import type { FeedNode } from "../../core/feed/feed-node.ts";

const maxMirrors = 200;

export function incidentPage(feed: PageFeed, incident: Incident): string {
  const { host, code, start, end, gone } = incident;
  const cause = incidentCause(feed, incident);
  const title = incidentTitle(incident);
  return pageDocument({
    feed,
    title,
    description: cause,
    children: (
      <>
        {incidentHeading(feed, title, end === undefined ? "open" : "ended")}
        <dl class="facts">
          {factRows([
            ["Cause", [cause, " ", <code>{code}</code>]],
            ["Host", host],
            ...periodFacts(feed, start, end),
          ])}
        </dl>
        {feed.notices
          .filter((notice) => overlaps(notice, incident))
          .map((notice) => (
            <p>From the operator: {titleLink(feed, incidentPath(notice.name), notice.title)}</p>
          ))}
        {affectedMirrors(feed, nodesOfIncident(incident), gone, end === undefined)}
        <section class="changes">
          <h2>Timeline</h2>
          {timeline(feed, incident)}
        </section>
      </>
    ),
  });
}

export function noticePage(feed: PageFeed, notice: Notice): string {
  const { title, from, to, state, next, html, updates, nodes, gone } = notice;
  const phase = phaseOf(feed, notice);
  const found = feed.incidents.filter((incident) => overlaps(notice, incident));
  const nextFacts: Fact[] =
    next === undefined || phase === "ended" ? [] : [["Next update", time(feed, next)]];
  return pageDocument({
    feed,
    title,
    children: (
      <>
        {incidentHeading(feed, title, nodes && phase, state && stateTitle(state))}
        <dl class="facts">{factRows([...periodFacts(feed, from, to), ...nextFacts])}</dl>
        <div class="prose" dangerouslySetInnerHTML={{ __html: html }} />
        {updates.length > 0 && (
          <section class="updates">
            <h2>Updates</h2>
            {updates.map((update) => (
              <article id={update.at}>
                <h3>
                  {update.state && `${stateTitle(update.state)} · `}
                  <a href={`#${update.at}`}>{time(feed, update.at, "exact")}</a>
                </h3>
                <div class="prose" dangerouslySetInnerHTML={{ __html: update.html }} />
              </article>
            ))}
          </section>
        )}
        {nodes && affectedMirrors(feed, nodes, gone, phase !== "ended")}
        {found.length > 0 && (
          <section class="changes">
            <h2>What the feed observed</h2>
            {found.map((incident) => (
              <>
                <h3>{titleLink(feed, incidentPath(incident.id), incidentTitle(incident))}</h3>
                {timeline(feed, incident)}
              </>
            ))}
          </section>
        )}
      </>
    ),
  });
}

function incidentHeading(feed: PageFeed, title: string, phase?: keyof typeof phases, state?: string) {
  return (
    <>
      {breadcrumbs(feed, title)}
      <div class="state">
        <h1>
          {phase !== undefined && <Shape name={phases[phase].shape} />}
          <bdi>{breakable(title)}</bdi>
        </h1>
        {phase !== undefined && <p>{state ?? phases[phase].word}</p>}
      </div>
    </>
  );
}

function periodFacts(feed: PageFeed, from: string, to: string | undefined): Fact[] {
  const start: Fact = ["Start", time(feed, from, "exact")];
  if (to === undefined)
    return from <= feed.run.generated_at ? [start, ["Duration", time(feed, from, "since")]] : [start];
  const duration = formatDuration(Date.parse(to) - Date.parse(from));
  return [start, ["End", time(feed, to, "exact")], ["Duration", duration]];
}

/**
 * `gone` is what is no longer in the feed: the mirrors and paths that a notice names, or how many mirrors of an incident.
 * The current states of mirrors are shown only if `isOpen`, since they say nothing about what is over.
 */
function affectedMirrors(
  feed: PageFeed,
  nodes: readonly FeedNode[],
  gone: Notice["gone"] | number,
  isOpen: boolean,
) {
  const [names, left] = typeof gone === "number" ? [[], gone] : [gone, 0];
  const more = nodes.length - maxMirrors;
  return (
    <section class="affected">
      <h2>Affected mirrors</h2>
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
        {names.map((name) => (
          <li>
            <bdi>{typeof name === "number" ? `Mirror ${name}` : name}</bdi>{" "}
            <p class="quiet">no longer in the feed</p>
          </li>
        ))}
      </ul>
      {more > 0 && <p class="quiet">and {formatInteger(more)} more</p>}
      {left > 0 && (
        <p class="quiet">
          {formatCount(left, "affected mirror")} {left === 1 ? "has" : "have"} left the feed.
        </p>
      )}
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

/** One step of a timeline names at most this many mirrors. */
const maxNamed = 5;
const maxSteps = 100;

function timeline(feed: PageFeed, { outages }: Incident) {
  const changes = outages.flatMap(({ node, from, to }) => [
    [`${from} offline`, node] as const,
    ...(to === undefined ? [] : [[`${to} online`, node] as const]),
  ]);
  const steps = [...group(changes)].sort(([one], [other]) => (one < other ? 1 : -1));
  return (
    <>
      <ol>
        {steps.slice(0, maxSteps).map(([key, nodes]) => {
          const [at = "", status] = key.split(" ");
          const isOnline = status === "online";
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
