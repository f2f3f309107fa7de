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

/** Up to so many nodes are all shown; above, the targets fold into a line each. */
export const maxNodesShown = 100;
/** Above so many targets a page lists projects alone, and each project's page its targets. */
const maxTargetsListed = 1000;

/** Troubles are a shortcut to what stands below, so they are left out where they are as long as that. */
const maxTroublesBeside = 8;
const maxTroubles = 20;

/** The overview: the state of all, when it was observed and how long that holds, every project, the latest changes. */
export function overviewPage(feed: PageFeed): string {
  const targets = targetsOf(feed.systems);
  const nodes = nodesOf(targets);
  const isFolded = nodes.length > maxNodesShown;
  const areTargetsListed = targets.length <= maxTargetsListed;
  const problems = problemsOf(feed, targets, maxTroubles);
  const areProblemsShown = isFolded || problems.lines.length <= maxTroublesBeside;
  const summary = summarize(feed, targets);
  return pageDocument({
    site: feed.site.title,
    description: summary.sentence,
    path: "/",
    expiresAt: feed.run.expires_at,
    children: (
      <>
        <StateHeading summary={summary}>
          <RunWords run={feed.run} />
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
                  <TargetList feed={feed} targets={project.targets} of="run" />
                </section>
              ),
            )}
        </div>
        <RecentChanges feed={feed} nodes={nodes} />
        <Legend />
      </>
    ),
  });
}

/** What a page is about comes to: the heading of the page, and what is to be said beside it. */
export function StateHeading({
  summary: { shape, sentence, beside },
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
      {beside.length > 0 && <p>{beside.join(" ")}</p>}
      {children}
    </div>
  );
}

/** When the last run was, until when it holds, and what is to be known of the vantages it was made from. */
function RunWords({ run }: { readonly run: Run }): preact.JSX.Element {
  const { generated_at, expires_at, prober } = run;
  const online = prober.vantages.filter((vantage) => vantage.online);
  const offline = prober.vantages.filter((vantage) => !vantage.online).map(({ vantage }) => vantage);
  const incomplete = online.filter(({ missing_shards }) => missing_shards !== undefined);
  const said = [
    prober.vantages.length > 1 && online.length > 0
      ? `Seen from ${formatList(
          online.map(({ vantage }) => vantage),
          "and",
        )}.`
      : "",
    online.length > 0 && offline.length > 0
      ? `${formatList(offline, "and")} ${offline.length === 1 ? "was" : "were"} offline, and left out.`
      : "",
    ...incomplete.map(
      ({ vantage, missing_shards = [] }) =>
        `${vantage} lacks ${formatCount(missing_shards.length, "shard")}, whose mirrors were not observed.`,
    ),
  ].filter((sentence) => sentence !== "");
  return (
    <p class="run">
      Last run <Timestamp at={generated_at} />. Valid <Until at={expires_at} />. {said.join(" ")}
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
      <p class="quiet">{sizeWords(project)}</p>
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
      <p class="told">
        <Shape name={shape} />
        {sentence}
      </p>
      {isListed && (
        <details id={`targets-${project.system}-${project.project}`}>
          <summary>Its targets</summary>
          <CompactList feed={feed} targets={project.targets} />
        </details>
      )}
    </section>
  );
}

/** How large a project is, in words. */
export function sizeWords({ targets }: Project): string {
  return `${formatCount(targets.length, "target")}, ${formatCount(nodesOf(targets).length, "mirror")}`;
}
