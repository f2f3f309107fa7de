import type { Heartbeat } from "../report-schema.ts";
import { RecentChanges } from "./changes.tsx";
import { counted, listed } from "./count.ts";
import type { Feed, FeedProject } from "./feed.ts";
import { link, nodesOf } from "./feed.ts";
import { pageDocument } from "./layout.tsx";
import { Legend } from "./legend.tsx";
import { Moment, Until } from "./moment.tsx";
import { CompactList, TargetList } from "./node-row.tsx";
import { Shape } from "./shape.tsx";
import { summarize, type Summary } from "./summary.ts";
import { TroubleList, troublesOf } from "./troubles.tsx";

/** Up to so many nodes are all shown; above, the targets fold into a line each. */
export const mostNodesShown = 100;
/** Above so many targets a page lists projects alone, and each project's page its targets. */
const mostTargetsListed = 1000;

/** Troubles are a shortcut to what stands below, so they are left out where they are as long as that. */
const mostTroublesBeside = 8;
const mostTroubles = 20;

/** The overview: the state of all, when it was observed and how long that holds, every project, the latest changes. */
export function overviewPage(feed: Feed, heartbeat: Heartbeat): string {
  const targets = feed.projects.flatMap((project) => project.targets);
  const nodes = nodesOf(targets);
  const isFolded = nodes.length > mostNodesShown;
  const areTargetsListed = targets.length <= mostTargetsListed;
  const troubles = troublesOf(feed, targets, mostTroubles);
  const areTroublesShown = isFolded || troubles.lines.length <= mostTroublesBeside;
  const summary = summarize(feed, targets);
  return pageDocument({
    site: feed.title,
    description: summary.sentence,
    base: feed.base,
    path: "/",
    expiresAt: heartbeat.expires_at,
    children: (
      <>
        <StateHeading summary={summary}>
          <RunWords heartbeat={heartbeat} />
        </StateHeading>
        {areTroublesShown && <TroubleList {...troubles} />}
        <div class="projects">
          {feed.projects.map((project) =>
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
function RunWords({ heartbeat }: { readonly heartbeat: Heartbeat }): preact.JSX.Element {
  const { generated_at, expires_at, prober } = heartbeat;
  const online = prober.vantages.filter((vantage) => vantage.online);
  const offline = prober.vantages.filter((vantage) => !vantage.online).map(({ vantage }) => vantage);
  const incomplete = online.filter(({ missing_shards }) => missing_shards !== undefined);
  const said = [
    prober.vantages.length > 1 && online.length > 0
      ? `Seen from ${listed(
          online.map(({ vantage }) => vantage),
          "and",
        )}.`
      : "",
    online.length > 0 && offline.length > 0
      ? `${listed(offline, "and")} ${offline.length === 1 ? "was" : "were"} offline, and left out.`
      : "",
    ...incomplete.map(
      ({ vantage, missing_shards = [] }) =>
        `${vantage} lacks ${counted(missing_shards.length, "shard")}, whose mirrors were not observed.`,
    ),
  ].filter((sentence) => sentence !== "");
  return (
    <p class="run">
      Last run <Moment at={generated_at} />. Valid <Until at={expires_at} />. {said.join(" ")}
    </p>
  );
}

function ProjectHeading({
  feed,
  project,
}: {
  readonly feed: Feed;
  readonly project: FeedProject;
}): preact.JSX.Element {
  return (
    <div class="heading">
      <h2>
        <a href={link(feed, project.path)}>
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
  readonly feed: Feed;
  readonly project: FeedProject;
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
export function sizeWords({ targets }: FeedProject): string {
  return `${counted(targets.length, "target")}, ${counted(nodesOf(targets).length, "mirror")}`;
}
