import type { ComponentChildren } from "preact";
import type { DayKind } from "../../base/text/day-kind.ts";
import type { FeedNode, Project, TargetInfo } from "../../feed/feed.ts";
import { comingMaintenance } from "../../feed/incidents.ts";
import { isWholeFeed, link, type PageFeed } from "./page-feed.ts";
import { type NamedPath, pageLink, Shape, time, timeRange } from "./parts.tsx";
import type { ShapeName } from "./shapes.ts";
import type { Summary } from "./summary.ts";

/** Links to the overview and to each folder of the path. Ends with `current`, which is not a link. */
export function breadcrumbs(feed: PageFeed, current: string) {
  const { places: words, incidents } = feed.words;
  const folders = feed.path.split("/").slice(1, -2);
  const above = folders
    .map((folder, index): NamedPath => {
      const top = folder === "status" ? words.systems : incidents.heading;
      return [index === 0 ? top : folder, `/${folders.slice(0, index + 1).join("/")}/`];
    })
    .filter(([, path]) => !isWholeFeed(feed, path));
  return (
    <nav class="breadcrumbs" aria-label={words.breadcrumbs}>
      <ol>
        {[[words.overview, "/"] as const, ...above].map(([name, path]) => (
          <li>{pageLink(feed, path, name)}</li>
        ))}
        <li aria-current="page">{current}</li>
      </ol>
    </nav>
  );
}

export function stateHeading({ shape, sentence, details }: Summary, below?: ComponentChildren) {
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

export function runDetails(feed: PageFeed) {
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

/** On pages that lack the time of the last run, shows a link, which the script replaces with that time. */
export function runHint(feed: PageFeed) {
  const { before, link: text, after } = feed.words.places.runHint;
  return (
    <p class="run" data-run="">
      {before} {pageLink(feed, "/", text)}
      {after}
    </p>
  );
}

/**
 * Links to the change feeds of the page's project and target. Without `subject`, links to the site's JSON Feed only,
 * since the layout already links to the site's Atom feed.
 */
export function feedLinks(feed: PageFeed, subject?: Project | TargetInfo) {
  const { subscribe: words } = feed.words;
  const scopes: NamedPath[] =
    subject === undefined
      ? [[words.site, "/feed"]]
      : [[words.project, `/feed/${subject.system}/${subject.project}`]];
  if (subject !== undefined && "place" in subject && feed.site.targetFeeds)
    scopes.unshift([words.target, `/feed/${subject.place}`]);
  return scopes.flatMap(([title, path]) => [
    path !== "/feed" && (
      <link
        rel="alternate"
        type="application/atom+xml"
        title={words.atom(title)}
        href={link(feed, `${path}.atom`)}
      />
    ),
    <link
      rel="alternate"
      type="application/feed+json"
      title={words.json(title)}
      href={link(feed, `${path}.json`)}
    />,
  ]);
}

const maxMaintenance = 8;

export function maintenanceSection(feed: PageFeed, nodes?: readonly FeedNode[]) {
  const { maintenance: words } = feed.words;
  const coming = comingMaintenance(feed, nodes);
  if (coming.length === 0) return null;
  return (
    <section class="maintenance" aria-labelledby="maintenance">
      <h2 id="maintenance">{feed.words.terms.maintenance}</h2>
      <ul>
        {coming.slice(0, maxMaintenance).map(({ subject, from, to, reason }) => (
          <li>
            <b>
              <bdi>{subject}</bdi>
            </b>
            <span>
              <bdi>{reason}</bdi>
            </span>
            <span class="quiet">{timeRange(feed, from, to)}</span>
          </li>
        ))}
      </ul>
      <p class="files">
        {coming.length > maxMaintenance && `${words.more(coming.length - maxMaintenance)} `}
        {pageLink(feed, "/maintenance.ics", words.calendar)}
      </p>
    </section>
  );
}

export function legendSection({ words: { legend }, daysKnown }: PageFeed) {
  const shapes: readonly ShapeName[] = ["online", "some", "wrong", "offline", "unknown"];
  const bars: readonly (readonly [DayKind, string])[] = [
    ["good", legend.goodDay],
    ["some", legend.someDay],
    ["bad", legend.badDay],
    ["unobserved", legend.unobservedDay],
    ["before", legend.dayBefore],
  ];
  return (
    <section class="legend" aria-labelledby="legend">
      <h2 id="legend">{legend.heading}</h2>
      <ul>
        {shapes.map((name) => (
          <li>
            <Shape name={name} />
            {legend[name]}
          </li>
        ))}
      </ul>
      <ul>
        {bars.map(([kind, words]) => (
          <li>
            <svg class="days" viewBox="0 0 11 24" width={11} height={24} aria-hidden="true">
              <path class={kind} d="M0 12h11" />
            </svg>
            {words}
          </li>
        ))}
      </ul>
      <p>{legend.explanation(daysKnown)}</p>
    </section>
  );
}
