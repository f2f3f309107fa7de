import { nodesOf, type System, targetsOf } from "../model/feed.ts";
import { link, type PageFeed, systemPath } from "./links.ts";
import { pageDocument } from "./layout.tsx";
import { pageState } from "./page-state.ts";
import { mirrorList } from "./mirror-list.tsx";
import { stateHeading } from "./overview.tsx";
import { breadcrumbs, runHint } from "./project.tsx";
import { detailOf, foldedSection, projectSection, sectionHeading, sizeText } from "./project-section.tsx";
import { problemList } from "./problems.tsx";
import { summarize } from "./summary.ts";

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
        <p class="files">
          {words.asFiles} <a href={link(feed, `/v1/network/${system}/`)}>{words.statuses}</a>,{" "}
          <a href={link(feed, `/v1/report/${system}/`)}>{words.evidence}</a>.
        </p>
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
