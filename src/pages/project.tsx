import { nodesOf, type Project } from "../model/feed.ts";
import { link, type PageFeed, projectPath } from "./links.ts";
import { pageDocument } from "./layout.tsx";
import { CompactList, TargetList } from "./node-row.tsx";
import { maxNodesShown, sizeWords, StateHeading } from "./overview.tsx";
import { summarize } from "./summary.ts";
import { ProblemList, problemsOf } from "./problems.tsx";

const maxTroubles = 50;

/** The page of a project: its state and its targets, in a line each where they are many. Nothing in it is of a run. */
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
        <Place feed={feed} names={[system]} here={project.project} />
        <StateHeading summary={summary}>
          <RunHint feed={feed} />
        </StateHeading>
        {isFolded && <ProblemList {...problemsOf(feed, targets, maxTroubles)} />}
        <div class="projects">
          <section class="project" data-group aria-labelledby="targets">
            <div class="heading">
              <h2 id="targets">Targets</h2>
              <p class="quiet">{sizeWords(project)}</p>
            </div>
            {isFolded ? (
              <CompactList feed={feed} targets={targets} />
            ) : (
              <TargetList feed={feed} targets={targets} of="day" />
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

/** Where a page stands below the overview: the names above it, each with the path of its page where it has one. */
export function Place({
  feed,
  names,
  here,
}: {
  readonly feed: PageFeed;
  readonly names: readonly (string | { readonly name: string; readonly path: string })[];
  readonly here: string;
}): preact.JSX.Element {
  return (
    <nav class="place" aria-label="Place">
      <ol>
        <li>
          <a href={link(feed, "/")}>All</a>
        </li>
        {names.map((one) => (
          <li>{typeof one === "string" ? one : <a href={link(feed, one.path)}>{one.name}</a>}</li>
        ))}
        <li aria-current="page">{here}</li>
      </ol>
    </nav>
  );
}

/** Where the moment of the last run is told, on pages that hold none; the script tells it in place. */
export function RunHint({ feed }: { readonly feed: PageFeed }): preact.JSX.Element {
  return (
    <p class="run" data-run>
      When this was last observed is on <a href={link(feed, "/")}>the overview</a>.
    </p>
  );
}
