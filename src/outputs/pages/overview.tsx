import { nodesOf, targetsOf } from "../../feed/feed.ts";
import { announcements, recentIncidents } from "./incident-list.tsx";
import { pageDocument } from "./layout.tsx";
import { mirrorList } from "./mirror-list.tsx";
import type { PageFeed } from "./page-feed.ts";
import { time } from "./parts.tsx";
import { projectSections } from "./places.tsx";
import { problemList } from "./problems.tsx";
import {
  feedLinks,
  legendSection,
  maintenanceSection,
  stateHeading,
  subscribeMenu,
  subscriptionsOf,
} from "./sections.tsx";
import { pageState, summarize } from "./summary.ts";

export function overviewPage(feed: PageFeed): string {
  const targets = targetsOf(feed.systems);
  const summary = summarize(feed, targets);
  const subscriptions = subscriptionsOf(feed);
  const { rows, isFolded } = projectSections(
    feed,
    feed.systems.flatMap((system) => system.projects),
  );
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
        {problemList(feed, targets)}
        {maintenanceSection(feed)}
        {mirrorList(feed, nodesOf(targets), rows, isFolded ? "" : undefined)}
        {recentIncidents(feed)}
        {legendSection(feed.words)}
      </>
    ),
  });
}

function runDetails(feed: PageFeed) {
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
        {words.lastRun} {time(feed, generated_at)}.
      </span>{" "}
      <span>
        {words.valid} {time(feed, expires_at, "until")}.
      </span>{" "}
      {sentences.join(" ")}
    </p>
  );
}
