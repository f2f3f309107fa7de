import type { ComponentChildren } from "preact";
import { type DayKind, formatCount, formatInteger, formatList } from "../../core/base/text/count.ts";
import type { Project } from "../../core/feed/feed.ts";
import { isOverview, isWholeFeed, link, overviewOf, type PageFeed } from "./page-feed.ts";
import { type NamedPath, pageLink, Shape, time } from "./parts.tsx";
import type { ShapeName } from "./shapes.ts";

/** Links to the overview and to each folder of the path. Ends with `current`, which is not a link. */
export function breadcrumbs(feed: PageFeed, current: string) {
  const folders = feed.path.split("/").slice(1, -2);
  const above = folders
    .map((folder, index): NamedPath => {
      const top = folder === "status" ? "Systems" : "Incidents";
      return [index === 0 ? top : folder, `/${folders.slice(0, index + 1).join("/")}/`];
    })
    .filter(([, path]) => !isWholeFeed(feed, path));
  return (
    <nav class="breadcrumbs" aria-label="Breadcrumbs">
      <ol>
        {[["Overview", overviewOf(feed)] as const, ...above].map(([name, path]) => (
          <li>{pageLink(feed, path, name)}</li>
        ))}
        <li aria-current="page">{current}</li>
      </ol>
    </nav>
  );
}

export function stateHeading(
  shape: ShapeName,
  sentence: ComponentChildren,
  details: readonly string[],
  below: ComponentChildren,
) {
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

/** Describes the last run. Other pages than the overview lack its time, so the script replaces their link with it. */
export function runDetails(feed: PageFeed) {
  if (!isOverview(feed))
    return (
      <p class="run" data-run="">
        {pageLink(feed, overviewOf(feed), "The overview")} shows how long this is valid.
      </p>
    );
  const { generated_at, expires_at, prober } = feed.run;
  const online = prober.vantages.filter((vantage) => vantage.online);
  const observers = online.map(({ vantage }) => vantage);
  const offline = prober.vantages.filter((vantage) => !vantage.online).map(({ vantage }) => vantage);
  const isSplit = prober.vantages.length > 1 && online.length > 0;
  const absence = offline.length === 1 ? "was offline and does" : "were offline and do";
  const sentences = [
    isSplit && `Observed from ${formatList(observers, "and")}.`,
    isSplit && offline.length > 0 && `${formatList(offline, "and")} ${absence} not count.`,
    ...online.map(
      ({ vantage, missing_shards: shards }) =>
        shards &&
        `Some mirrors were not observed from ${vantage}: ${formatCount(shards.length, "shard")} of the run ${shards.length === 1 ? "has" : "have"} no results.`,
    ),
  ];
  return (
    <p class="run">
      <span>Last run {time(feed, generated_at)}.</span>{" "}
      <span class="valid">Valid {time(feed, expires_at, "until")}.</span>{" "}
      {sentences.filter(Boolean).join(" ")}
    </p>
  );
}

/** Links to a project's change feeds, or to the site's JSON Feed, since each page links to the site's Atom feed. */
export function feedLinks(feed: PageFeed, subject?: Pick<Project, "system" | "project">) {
  const title = subject === undefined ? "all changes" : "this project";
  const path = subject === undefined ? "/feed" : `/feed/${subject.system}/${subject.project}`;
  const alternate = (format: string, type: string, extension: string) => (
    <link rel="alternate" type={type} title={`${format}: ${title}`} href={link(feed, path + extension)} />
  );
  return [
    subject && alternate("Atom", "application/atom+xml", ".atom"),
    alternate("JSON Feed", "application/feed+json", ".json"),
  ];
}

const shapeMeanings: readonly (readonly [ShapeName, string])[] = [
  ["online", "reachable, with no known problem"],
  ["some", "reachable, but behind or different; or some mirrors need attention"],
  ["wrong", "reachable, but with wrong content"],
  ["offline", "not reachable"],
  ["unknown", "in maintenance, or not observed yet"],
];

const dayMeanings: readonly (readonly [DayKind, string])[] = [
  ["good", "a day without failures"],
  ["some", "some runs failed"],
  ["bad", "at least half of the runs failed"],
  ["unobserved", "not observed, so not counted"],
  ["before", "before the mirror joined the feed"],
];

export function legendSection({ daysKnown }: PageFeed) {
  const days = formatInteger(daysKnown);
  const period = daysKnown < 2 ? "since the first run" : `in the last ${days} days, including today`;
  return (
    <section class="legend" aria-labelledby="legend">
      <h2 id="legend">How to read this</h2>
      <ul>
        {shapeMeanings.map(([name, meaning]) => (
          <li>
            <Shape name={name} />
            {meaning}
          </li>
        ))}
      </ul>
      <ul>
        {dayMeanings.map(([kind, meaning]) => (
          <li>
            <svg class="days" viewBox="0 0 11 24" width={11} height={24} aria-hidden="true">
              <path class={kind} d="M0 12h11" />
            </svg>
            {meaning}
          </li>
        ))}
      </ul>
      <p>
        Uptime is the share of successful probes {period}. Time without observations does not count. A mirror
        is behind if it lacks content of its target’s reference. It differs if it has had content that the
        reference never had for too long.
      </p>
    </section>
  );
}
