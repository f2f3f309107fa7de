import { nodesOf, type Project, type System, targetsOf } from "../../feed/feed.ts";
import { link, type PageFeed, systemPath } from "./links.ts";
import { pageDocument } from "./layout.tsx";
import { mirrorList } from "./mirror-list.tsx";
import { fileLinks } from "./parts.tsx";
import { pageState, summarize } from "./summary.ts";
import { compactList, targetList } from "./node-row.tsx";
import { stateHeading } from "./overview.tsx";
import {
  detailOf,
  foldedSection,
  maxNodesShown,
  projectSection,
  sectionHeading,
  sizeText,
} from "./project-section.tsx";
import { feedLinks, subscribeMenu, subscriptionsOf } from "./subscribe.tsx";
import { problemList } from "./problems.tsx";

/** Returns the page of a system: its state and its projects. Nothing in it changes with every run. */
export function systemPage(feed: PageFeed, { system, projects }: System): string {
  const { project: words } = feed.words;
  const targets = projects.flatMap((project) => project.targets);
  const detail = detailOf(projects);
  const summary = summarize(feed, targets);
  return pageDocument({
    feed,
    title: system,
    description: summary.sentence,
    state: pageState(feed, targets),
    hasStatuses: true,
    children: (
      <>
        {breadcrumbs(feed, [], system)}
        {stateHeading(summary, runHint(feed))}
        {problemList(feed, targets, "day")}
        {mirrorList(
          feed,
          nodesOf(targets),
          projects.map((project) => projectSection(feed, project, detail, "day")),
          detail === "mirrors" ? undefined : `${system}/`,
        )}
        {fileLinks(feed, words.asFiles, [
          [words.statuses, `/v1/network/${system}/`],
          [words.evidence, `/v1/report/${system}/`],
        ])}
      </>
    ),
  });
}

/** Returns the page of all systems, one line for each. Nothing in it changes with every run. */
export function systemsPage(feed: PageFeed): string {
  const { words } = feed;
  const targets = targetsOf(feed.systems);
  const summary = summarize(feed, targets);
  return pageDocument({
    feed,
    title: words.project.systems,
    description: summary.sentence,
    state: pageState(feed, targets),
    hasStatuses: true,
    children: (
      <>
        {breadcrumbs(feed, [], words.project.systems)}
        {stateHeading(summary, runHint(feed))}
        {problemList(feed, targets, "day")}
        {mirrorList(
          feed,
          nodesOf(targets),
          feed.systems.map(({ system, projects }) => {
            const own = projects.flatMap((project) => project.targets);
            const size = `${words.projectSection.projects(projects.length)}, ${sizeText(feed, { targets: own })}`;
            const heading = sectionHeading(link(feed, systemPath(system)), system, size);
            return foldedSection(heading, summarize(feed, own));
          }),
          "",
        )}
      </>
    ),
  });
}

/** Returns the page of a project: its state and its targets. Nothing in it changes with every run. */
export function projectPage(feed: PageFeed, project: Project): string {
  const { system, targets } = project;
  const { project: words } = feed.words;
  const summary = summarize(feed, targets);
  const subscriptions = subscriptionsOf(feed, project);
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
        {fileLinks(feed, words.asFiles, [
          [words.statuses, `/v1/network/${place}`],
          [words.evidence, `/v1/report/${place}`],
          [words.changes, `/feed/${system}/${project.project}.atom`],
        ])}
      </>
    ),
  });
}

/** Renders the breadcrumbs of a page below the overview, and below that of the systems unless `isOfSystems` is false. */
export function breadcrumbs(
  feed: PageFeed,
  ancestors: readonly (readonly [name: string, path: string])[],
  current: string,
  { isOfSystems = true }: { readonly isOfSystems?: boolean } = {},
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
