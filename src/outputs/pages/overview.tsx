import { announcements, recentIncidents } from "./incident-list.tsx";
import { maintenanceSection } from "./maintenance.tsx";
import { feedLinks, subscribeMenu, subscriptionsOf } from "./subscribe.tsx";
import { nodesOf, targetsOf } from "../../feed/feed.ts";
import type { PageFeed } from "./links.ts";
import { pageDocument } from "./layout.tsx";
import { pageState, summarize, type Summary } from "./summary.ts";
import { legendSection } from "./legend.tsx";
import { mirrorList } from "./mirror-list.tsx";
import { detailOf, projectSection } from "./project-section.tsx";
import { timestamp, untilTime } from "./timestamp.tsx";
import { Shape } from "./parts.tsx";
import { problemList } from "./problems.tsx";

/** Returns the overview: the state of the feed, the time of the last run, its problems, all projects, the latest changes. */
export function overviewPage(feed: PageFeed): string {
  const projects = feed.systems.flatMap((system) => system.projects);
  const targets = targetsOf(feed.systems);
  const nodes = nodesOf(targets);
  const detail = detailOf(projects);
  const summary = summarize(feed, targets, "run");
  const subscriptions = subscriptionsOf(feed);
  return pageDocument({
    feed,
    description: summary.sentence,
    state: pageState(feed, targets),
    expiresAt: feed.run.expires_at,
    head: feedLinks(feed, subscriptions),
    children: (
      <>
        {announcements(feed)}
        {stateHeading(summary, [runDetails(feed), subscribeMenu(feed, subscriptions)])}
        {problemList(feed, targets, "run")}
        {maintenanceSection(feed)}
        {mirrorList(
          feed,
          nodes,
          projects.map((project) => projectSection(feed, project, detail, "run")),
          detail === "mirrors" ? undefined : "",
        )}
        {recentIncidents(feed)}
        {legendSection(feed.words)}
      </>
    ),
  });
}

/** Renders the heading of a page: its summary with details, and what is below it. */
export function stateHeading(
  { shape, sentence, details }: Summary,
  below?: preact.ComponentChildren,
): preact.JSX.Element {
  return (
    <div class="state">
      <h1>
        <Shape name={shape} />
        {sentence}
      </h1>
      {details.length > 0 && <p>{details.join(" ")}</p>}
      {below}
    </div>
  );
}

/** Renders the time of the last run, how long it is valid, and the state of its vantages. */
function runDetails(feed: PageFeed): preact.JSX.Element {
  const { overview: words } = feed.words;
  const { generated_at, expires_at, prober } = feed.run;
  const online = prober.vantages.filter((vantage) => vantage.online);
  const offline = prober.vantages.filter((vantage) => !vantage.online).map(({ vantage }) => vantage);
  const isSplit = prober.vantages.length > 1 && online.length > 0;
  const sentences = [
    ...(isSplit ? [words.observedFrom(online.map(({ vantage }) => vantage))] : []),
    ...(isSplit && offline.length > 0 ? [words.vantagesOffline(offline)] : []),
    ...online.flatMap(({ vantage, missing_shards: shards }) =>
      shards === undefined ? [] : [words.missingShards(vantage, shards.length)],
    ),
  ];
  return (
    <p class="run">
      <span>
        {words.lastRun} {timestamp(feed, generated_at)}.
      </span>{" "}
      <span>
        {words.valid} {untilTime(feed, expires_at)}.
      </span>{" "}
      {sentences.join(" ")}
    </p>
  );
}
