import type { Project, TargetInfo } from "../../feed/feed.ts";
import { link, type PageFeed } from "./links.ts";

/** What a page can be followed by. */
interface Subscription {
  readonly title: string;
  readonly path: string;
  readonly type: string;
}

/**
 * Returns the feeds of the page of a project or a target, if given: of the site, of the project, of the target if targets have
 * feeds, and the calendar.
 */
export function subscriptionsOf(
  { site, words: { subscribe: words } }: PageFeed,
  subject?: Project | TargetInfo,
): Subscription[] {
  const place = subject && `${subject.system}/${subject.project}`;
  const target = subject !== undefined && "place" in subject ? subject : undefined;
  const scopes: (readonly [title: string, path: string])[] = [
    ...(target === undefined || !site.targetFeeds ? [] : [[words.target, `/feed/${target.place}`] as const]),
    ...(place === undefined ? [] : [[words.project, `/feed/${place}`] as const]),
    [words.site, "/feed"],
  ];
  return [
    ...scopes.flatMap(([title, path]) => [
      { title: words.atom(title), path: `${path}.atom`, type: "application/atom+xml" },
      { title: words.json(title), path: `${path}.json`, type: "application/feed+json" },
    ]),
    { title: words.maintenance, path: "/maintenance.ics", type: "text/calendar" },
  ];
}

/** Renders the feeds of a page for `<head>`. Every page has that of the whole site. Readers of feeds do not look for a calendar. */
export function feedLinks(feed: PageFeed, subscriptions: readonly Subscription[]): preact.JSX.Element {
  const own = subscriptions.filter(({ path, type }) => path !== "/feed.atom" && type !== "text/calendar");
  return (
    <>
      {own.map(({ title, path, type }) => (
        <link rel="alternate" type={type} title={title} href={link(feed, path)} />
      ))}
    </>
  );
}

/** Renders a menu of the feeds of a page. It opens without JavaScript. */
export function subscribeMenu(feed: PageFeed, subscriptions: readonly Subscription[]): preact.JSX.Element {
  return (
    <details class="menu" id="subscribe">
      <summary>{feed.words.subscribe.heading}</summary>
      <ul>
        {subscriptions.map(({ title, path }) => (
          <li>
            <a href={link(feed, path)}>{title}</a>
          </li>
        ))}
      </ul>
    </details>
  );
}
