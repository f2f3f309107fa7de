import { nodesOf, type Project } from "../../feed/feed.ts";
import { link, type PageFeed, projectPath } from "./links.ts";
import { compactList, targetList } from "./node-row.tsx";
import { Shape } from "./parts.tsx";
import { summarize, type Summary, type UpdatedWith } from "./summary.ts";

/** With more nodes than this, a page shows one line for each target. */
export const maxNodesShown = 100;
/** With more targets than this, a page of several projects lists only those. */
const maxTargetsListed = 1000;

/** How much of its projects a page shows: every mirror, a folded line for each target, or the projects alone. */
export type Detail = "mirrors" | "targets" | "projects";

/** Returns how much of some projects fits on a page. */
export function detailOf(projects: readonly Project[]): Detail {
  const targets = projects.flatMap((project) => project.targets);
  if (nodesOf(targets).length <= maxNodesShown) return "mirrors";
  return targets.length <= maxTargetsListed ? "targets" : "projects";
}

/** Renders a project on a page of several projects. */
export function projectSection(
  feed: PageFeed,
  project: Project,
  detail: Detail,
  updatedWith: UpdatedWith,
): preact.JSX.Element {
  if (detail === "mirrors") {
    return (
      <section class="project" data-group>
        {projectHeading(feed, project)}
        {targetList(feed, project.targets, updatedWith)}
      </section>
    );
  }
  return foldedSection(
    projectHeading(feed, project),
    summarize(feed, project.targets, updatedWith),
    detail === "targets" && (
      <details id={`targets-${project.system}-${project.project}`}>
        <summary>{feed.words.projectSection.targets}</summary>
        {compactList(feed, project.targets)}
      </details>
    ),
  );
}

/** Renders a part of a feed as its summary. */
export function foldedSection(
  heading: preact.JSX.Element,
  { shape, sentence }: Summary,
  more?: preact.ComponentChildren,
): preact.JSX.Element {
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

/** Returns the size of a project, such as `3 targets, 6 mirrors`. */
export function sizeText({ words }: PageFeed, { targets }: Pick<Project, "targets">): string {
  return words.projectSection.size(targets.length, nodesOf(targets).length);
}

function projectHeading(feed: PageFeed, project: Project): preact.JSX.Element {
  const name = [<span class="quiet">{project.system} / </span>, project.project];
  return sectionHeading(link(feed, projectPath(project)), name, sizeText(feed, project));
}

/** Renders the heading of a section: its name, which leads to its page, and its size. */
export function sectionHeading(
  href: string,
  name: preact.ComponentChildren,
  size: string,
): preact.JSX.Element {
  return (
    <div class="heading">
      <h2>
        <a href={href}>{name}</a>
      </h2>
      <p class="quiet">{size}</p>
    </div>
  );
}
