import { nodesOf, type Project } from "../model/feed.ts";
import { link, type PageFeed, systemPath } from "./links.ts";
import { pageDocument } from "./layout.tsx";
import { mirrorList } from "./mirror-list.tsx";

import { pageState } from "./page-state.ts";
import { compactList, targetList } from "./node-row.tsx";
import { stateHeading } from "./overview.tsx";
import { maxNodesShown, sizeText } from "./project-section.tsx";
import { summarize } from "./summary.ts";
import { feedLinks, subscribeMenu, subscriptionsOf } from "./subscribe.tsx";
import { problemList } from "./problems.tsx";

/** Returns the page of a project: its state and its targets. Nothing in it changes with every run. */
export function projectPage(feed: PageFeed, project: Project): string {
  const { system, targets } = project;
  const { project: words } = feed.words;
  const summary = summarize(feed, targets);
  const subscriptions = subscriptionsOf(feed, { project });
  const nodes = nodesOf(targets);
  const isFolded = nodes.length > maxNodesShown;
  const place = `${system}/${project.project}/`;
  return pageDocument({
    feed,
    title: `${system} / ${project.project}`,
    description: summary.sentence,
    state: pageState(feed, targets),
    hasStatuses: true,
    head: feedLinks(feed, subscriptions),
    children: (
      <>
        {breadcrumbs(feed, [[system, systemPath(system)]], project.project)}
        {stateHeading(summary, [runHint(feed), subscribeMenu(feed, subscriptions)])}
        {problemList(feed, targets, "day")}
        {mirrorList(
          feed,
          nodes,
          <section class="project" data-group aria-labelledby="targets">
            <div class="heading">
              <h2 id="targets">{feed.words.projectSection.targets}</h2>
              <p class="quiet">{sizeText(feed, project)}</p>
            </div>
            {isFolded ? compactList(feed, targets) : targetList(feed, targets, "day")}
          </section>,
          isFolded ? place : undefined,
        )}
        <p class="files">
          {words.asFiles} <a href={link(feed, `/v1/network/${place}`)}>{words.statuses}</a>,{" "}
          <a href={link(feed, `/v1/report/${place}`)}>{words.evidence}</a>,{" "}
          <a href={link(feed, `/feed/${system}/${project.project}.atom`)}>{words.changes}</a>.
        </p>
      </>
    ),
  });
}

/** Renders the breadcrumbs of a page below the overview, and below that of the systems unless it is not `isOfSystems`. */
export function breadcrumbs(
  feed: PageFeed,
  ancestors: readonly (readonly [name: string, path: string])[],
  current: string,
  isOfSystems = true,
): preact.JSX.Element {
  const { project: words } = feed.words;
  const all = [
    [words.overview, "/"] as const,
    ...(!isOfSystems || current === words.systems ? [] : [[words.systems, "/status/"] as const]),
    ...ancestors,
  ];
  return (
    <nav class="breadcrumbs" aria-label={words.breadcrumbs}>
      <ol>
        {all.map(([name, path]) => (
          <li>
            <a href={link(feed, path)}>{name}</a>
          </li>
        ))}
        <li aria-current="page">{current}</li>
      </ol>
    </nav>
  );
}

/** Renders a link to the time of the last run, for pages without that time. The script replaces it by the time. */
export function runHint(feed: PageFeed): preact.JSX.Element {
  const { before, link: text, after } = feed.words.project.runHint;
  return (
    <p class="run" data-run="">
      {before} <a href={link(feed, "/")}>{text}</a>
      {after}
    </p>
  );
}
