import { nodesOf, type Project } from "../model/feed.ts";
import { link, type PageFeed, projectPath } from "./links.ts";
import { pageDocument } from "./layout.tsx";
import { CompactList, TargetList } from "./node-row.tsx";
import { maxNodesShown, sizeText, StateHeading } from "./overview.tsx";
import { summarize } from "./summary.ts";
import { ProblemList, problemsOf } from "./problems.tsx";

const maxProblems = 50;

/** Returns the page of a project: its state and its targets. Nothing in it changes with every run. */
export function projectPage(feed: PageFeed, project: Project): string {
  const { system, targets } = project;
  const summary = summarize(feed, targets);
  const isFolded = nodesOf(targets).length > maxNodesShown;
  return pageDocument({
    site: feed.site.title,
    title: `${system} / ${project.project}`,
    description: summary.sentence,
    path: projectPath(project),
    hasStatuses: true,
    children: (
      <>
        <Breadcrumbs feed={feed} ancestors={[system]} current={project.project} />
        <StateHeading summary={summary}>
          <RunHint feed={feed} />
        </StateHeading>
        {isFolded && <ProblemList {...problemsOf(feed, targets, maxProblems)} />}
        <div class="projects">
          <section class="project" data-group aria-labelledby="targets">
            <div class="heading">
              <h2 id="targets">Targets</h2>
              <p class="quiet">{sizeText(project)}</p>
            </div>
            {isFolded ? (
              <CompactList feed={feed} targets={targets} />
            ) : (
              <TargetList feed={feed} targets={targets} updatedWith="day" />
            )}
          </section>
        </div>
        <p class="files">
          As files: <a href={link(feed, `/v1/network/${system}/${project.project}/`)}>statuses</a>,{" "}
          <a href={link(feed, `/v1/report/${system}/${project.project}/`)}>evidence</a>,{" "}
          <a href={link(feed, `/feed/${system}/${project.project}.atom`)}>changes</a>.
        </p>
      </>
    ),
  });
}

/** Renders the breadcrumbs of a page below the overview. An ancestor with a page has a path. */
export function Breadcrumbs({
  feed,
  ancestors,
  current,
}: {
  readonly feed: PageFeed;
  readonly ancestors: readonly (string | { readonly name: string; readonly path: string })[];
  readonly current: string;
}): preact.JSX.Element {
  return (
    <nav class="breadcrumbs" aria-label="Breadcrumbs">
      <ol>
        <li>
          <a href={link(feed, "/")}>All</a>
        </li>
        {ancestors.map((one) => (
          <li>{typeof one === "string" ? one : <a href={link(feed, one.path)}>{one.name}</a>}</li>
        ))}
        <li aria-current="page">{current}</li>
      </ol>
    </nav>
  );
}

/** Renders a link to the time of the last run, for pages without that time. The script replaces it by the time. */
export function RunHint({ feed }: { readonly feed: PageFeed }): preact.JSX.Element {
  return (
    <p class="run" data-run>
      The time of the last run is on <a href={link(feed, "/")}>the overview</a>.
    </p>
  );
}
