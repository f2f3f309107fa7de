import { RecentChanges } from "./changes.tsx";
import { formatCount, formatList } from "../text/count.ts";
import { nodesOf, type Project, targetsOf } from "../model/feed.ts";
import type { Run } from "../model/run.ts";
import { link, type PageFeed, projectPath } from "./links.ts";
import { pageDocument } from "./layout.tsx";
import { Legend } from "./legend.tsx";
import { Timestamp, Until } from "./timestamp.tsx";
import { CompactList, TargetList } from "./node-row.tsx";
import { Shape } from "./shape.tsx";
import { summarize, type Summary } from "./summary.ts";
import { ProblemList, problemsOf } from "./problems.tsx";

/** With more nodes than this, a page shows one line for each target. */
export const maxNodesShown = 100;
/** With more targets than this, the overview lists only projects. */
const maxTargetsListed = 1000;

/** The list of problems is a shortcut into the list of nodes. If all nodes are shown, a long one only repeats them. */
const maxProblemsUnfolded = 8;
const maxProblems = 20;

/** Returns the overview: the state of the feed, the time of the last run, its problems, all projects, the latest changes. */
export function overviewPage(feed: PageFeed): string {
  const targets = targetsOf(feed.systems);
  const nodes = nodesOf(targets);
  const isFolded = nodes.length > maxNodesShown;
  const areTargetsListed = targets.length <= maxTargetsListed;
  const problems = problemsOf(feed, targets, maxProblems);
  const areProblemsShown = isFolded || problems.lines.length <= maxProblemsUnfolded;
  const summary = summarize(feed, targets);
  return pageDocument({
    site: feed.site.title,
    description: summary.sentence,
    path: "/",
    expiresAt: feed.run.expires_at,
    children: (
      <>
        <StateHeading summary={summary}>
          <RunDetails run={feed.run} />
        </StateHeading>
        {areProblemsShown && <ProblemList {...problems} />}
        <div class="projects">
          {feed.systems
            .flatMap(({ projects }) => projects)
            .map((project) =>
              isFolded ? (
                <FoldedProject feed={feed} project={project} isListed={areTargetsListed} />
              ) : (
                <section class="project" data-group>
                  <ProjectHeading feed={feed} project={project} />
                  <TargetList feed={feed} targets={project.targets} updatedWith="run" />
                </section>
              ),
            )}
        </div>
        <RecentChanges feed={feed} nodes={nodes} />
        <Legend words={feed.words} />
      </>
    ),
  });
}

/** Renders the heading of a page: its summary with details, and the children below. */
export function StateHeading({
  summary: { shape, sentence, details },
  children,
}: {
  readonly summary: Summary;
  readonly children?: preact.ComponentChildren;
}): preact.JSX.Element {
  return (
    <div class="state">
      <h1>
        <Shape name={shape} />
        {sentence}
      </h1>
      {details.length > 0 && <p>{details.join(" ")}</p>}
      {children}
    </div>
  );
}

/** Renders the time of the last run, how long it is valid, and the state of its vantages. */
function RunDetails({ run }: { readonly run: Run }): preact.JSX.Element {
  const { generated_at, expires_at, prober } = run;
  const online = prober.vantages.filter((vantage) => vantage.online);
  const offline = prober.vantages.filter((vantage) => !vantage.online).map(({ vantage }) => vantage);
  const incomplete = online.filter(({ missing_shards }) => missing_shards !== undefined);
  const sentences = [
    prober.vantages.length > 1 && online.length > 0
      ? `Observed from ${formatList(
          online.map(({ vantage }) => vantage),
          "and",
        )}.`
      : "",
    online.length > 0 && offline.length > 0
      ? `${formatList(offline, "and")} ${offline.length === 1 ? "was offline and does" : "were offline and do"} not count.`
      : "",
    ...incomplete.map(
      ({ vantage, missing_shards = [] }) =>
        `${vantage} has no results for ${formatCount(missing_shards.length, "shard")}, so some mirrors were not observed.`,
    ),
  ].filter((sentence) => sentence !== "");
  return (
    <p class="run">
      Last run <Timestamp at={generated_at} />. Valid <Until at={expires_at} />. {sentences.join(" ")}
    </p>
  );
}

function ProjectHeading({
  feed,
  project,
}: {
  readonly feed: PageFeed;
  readonly project: Project;
}): preact.JSX.Element {
  return (
    <div class="heading">
      <h2>
        <a href={link(feed, projectPath(project))}>
          <span class="quiet">{project.system} / </span>
          {project.project}
        </a>
      </h2>
      <p class="quiet">{sizeText(project)}</p>
    </div>
  );
}

function FoldedProject({
  feed,
  project,
  isListed,
}: {
  readonly feed: PageFeed;
  readonly project: Project;
  readonly isListed: boolean;
}): preact.JSX.Element {
  const { shape, sentence } = summarize(feed, project.targets);
  return (
    <section class="project folded" data-group>
      <ProjectHeading feed={feed} project={project} />
      <p class="notes">
        <Shape name={shape} />
        {sentence}
      </p>
      {isListed && (
        <details id={`targets-${project.system}-${project.project}`}>
          <summary>Targets</summary>
          <CompactList feed={feed} targets={project.targets} />
        </details>
      )}
    </section>
  );
}

/** Returns the size of a project, such as `3 targets, 6 mirrors`. */
export function sizeText({ targets }: Project): string {
  return `${formatCount(targets.length, "target")}, ${formatCount(nodesOf(targets).length, "mirror")}`;
}
