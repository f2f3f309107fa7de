import type { ComponentChildren } from "preact";
import { formatCount } from "../../core/base/text/count.ts";
import { projectPath, systemPath, systemsPath } from "../../core/feed/page-paths.ts";
import { nodesOf, type Project, type System, type Target, targetsOf } from "../../core/feed/feed.ts";
import { operatorNotices } from "../incidents/current-notices.tsx";
import { pageDocument } from "../layout/layout.tsx";
import { compactList, searchSlot, targetList } from "./mirror-list.tsx";
import { isOverview, isWholeFeed, link, type PageFeed, overviewOf } from "../layout/page-feed.ts";
import { fileLinks, type NamedPath, pageLink, Shape } from "../layout/parts.tsx";
import { nowSection } from "./now.tsx";
import { breadcrumbs, feedLinks, legendSection, runDetails, stateHeading } from "../layout/sections.tsx";
import { pageState, summarize } from "../layout/state-summary.ts";
import { targetPage } from "./target-page.tsx";
import { verdictOf } from "../../core/feed/verdict.ts";

/** If there are more nodes than this, a page shows one line for each target. */
const maxNodesShown = 100;
/** If there are more targets than this, a page of several projects lists only the projects. */
const maxTargetsListed = 100;

export function overviewPage(feed: PageFeed): string {
  const targets = targetsOf(feed.systems);
  const [only, ...others] = targets;
  if (only !== undefined && others.length === 0) return targetPage(feed, only);
  const projects = feed.systems.flatMap((system) => system.projects);
  return placePage(feed, projectSections(feed, projects));
}

/** Redirects to the overview, in place of a page that would repeat it. */
export function repeatedPage(feed: PageFeed): string {
  return pageDocument({
    feed,
    title: "Overview",
    hasStatuses: false,
    head: <meta http-equiv="refresh" content={`0;url=${link(feed, overviewOf(feed))}`} />,
    children: <p>{pageLink(feed, overviewOf(feed), "Overview")}</p>,
  });
}

export function systemsPage(feed: PageFeed): string {
  const rows = feed.systems.map(({ system, projects }) => {
    const targets = projects.flatMap((project) => project.targets);
    const size = `${formatCount(projects.length, "project")}, ${sizeText(targets)}`;
    return foldedSection(feed, targets, sectionHeading(link(feed, systemPath(system)), system, size));
  });
  return placePage(feed, { targets: targetsOf(feed.systems), rows, isFolded: true }, "Systems");
}

export function systemPage(feed: PageFeed, { system, projects }: System): string {
  return placePage(feed, projectSections(feed, projects), system);
}

export function projectPage(feed: PageFeed, project: Project): string {
  const { targets } = project;
  const isFolded = nodesOf(targets).length > maxNodesShown;
  const rows = (
    <section class="project" data-group aria-labelledby="targets">
      <div class="heading">
        <h2 id="targets">Targets</h2>
        <p class="quiet">{sizeText(targets)}</p>
      </div>
      {isFolded ? compactList(feed, targets) : targetList(feed, targets)}
    </section>
  );
  return placePage(feed, { targets, rows, isFolded }, `${project.system} / ${project.project}`, project);
}

interface List {
  readonly targets: readonly Target[];
  readonly rows: ComponentChildren;
  /** Whether the mirrors are not on the page. The search then covers the place's targets in the index. */
  readonly isFolded: boolean;
}

/** The overview has no title. */
function placePage(feed: PageFeed, list: List, title?: string, project?: Project): string {
  const { targets, rows, isFolded } = list;
  const isHome = isOverview(feed);
  const place = feed.path.slice(systemsPath.length);
  const nodes = nodesOf(targets);
  const { shape, sentence, details } = summarize(feed, targets);
  const files: NamedPath[] = [
    ["statuses", `/v1/network/${place}`],
    ["evidence", `/v1/report/${place}`],
  ];
  if (project !== undefined) files.push(["changes", `/feed/${project.system}/${project.project}.atom`]);
  return pageDocument({
    feed,
    title,
    description: sentence,
    state: pageState(verdictOf(targets)),
    head: (isHome || project) && feedLinks(feed, project),
    children: (
      <>
        {title === undefined ? operatorNotices(feed) : breadcrumbs(feed, project?.project ?? title)}
        {stateHeading(shape, sentence, details, runDetails(feed))}
        {searchSlot(feed, nodes, isFolded ? place : undefined)}
        {nowSection(feed, targets, isHome ? undefined : nodes)}
        <div id="mirrors" class="projects">
          {rows}
        </div>
        {isHome && legendSection(feed)}
        {place !== "" && fileLinks(feed, "Files:", files)}
      </>
    ),
  });
}

/**
 * Shows every mirror. If there are too many mirrors, shows a folded list of each project's targets instead. If there
 * are too many targets, shows only the projects.
 */
function projectSections(feed: PageFeed, projects: readonly Project[]) {
  const targets = projects.flatMap((project) => project.targets);
  const isFolded = nodesOf(targets).length > maxNodesShown;
  const rows = projects.map((project) => {
    const name = [<span class="quiet">{project.system} / </span>, project.project];
    const size = sizeText(project.targets);
    const path = isWholeFeed(feed, projectPath(project)) ? undefined : link(feed, projectPath(project));
    const heading = sectionHeading(path, name, size);
    if (!isFolded) {
      return (
        <section class="project" data-group>
          {heading}
          {targetList(feed, project.targets)}
        </section>
      );
    }
    const list = (path === undefined || targets.length <= maxTargetsListed) && (
      <details id={`targets-${project.system}-${project.project}`}>
        <summary>Targets</summary>
        {compactList(feed, project.targets)}
      </details>
    );
    return foldedSection(feed, project.targets, heading, list);
  });
  return { targets, rows, isFolded };
}

function foldedSection(
  feed: PageFeed,
  targets: readonly Target[],
  heading: ComponentChildren,
  more?: ComponentChildren,
) {
  const { shape, sentence } = summarize(feed, targets);
  return (
    <section class="project folded">
      {heading}
      <p class="notes">
        <Shape name={shape} />
        {sentence}
      </p>
      {more}
    </section>
  );
}

function sectionHeading(href: string | undefined, name: ComponentChildren, size: string) {
  return (
    <div class="heading">
      <h2>{href === undefined ? name : <a href={href}>{name}</a>}</h2>
      <p class="quiet">{size}</p>
    </div>
  );
}

function sizeText(targets: readonly Target[]): string {
  return `${formatCount(targets.length, "target")}, ${formatCount(nodesOf(targets).length, "mirror")}`;
}
