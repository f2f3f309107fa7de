import { type Project, type Target, targetsOf } from "../../feed/feed.ts";
import { pageDocument } from "./layout.tsx";
import type { PageFeed } from "./page-feed.ts";
import { joined, pageLink } from "./parts.tsx";
import { breadcrumbs } from "./sections.tsx";

export function subscribePage(feed: PageFeed): string {
  const { words, url, systems } = feed;
  const { subscribe: text } = words;
  const projects = systems.flatMap((system) => system.projects);
  const targets = feed.site.targetFeeds ? targetsOf(systems) : [];
  const calendar = "/maintenance.ics";
  return pageDocument({
    feed,
    title: text.heading,
    hasStatuses: false,
    children: (
      <>
        {breadcrumbs(feed, text.heading)}
        <div class="state">
          <h1>{text.heading}</h1>
          <p>{text.explanation}</p>
        </div>
        <section class="subscribe">
          <h2>{words.terms.changes}</h2>
          <p>{text.changes}</p>
          <p>{feedPair(feed, "/feed")}</p>
        </section>
        {projects.length > 1 && feedList(feed, text.projects, projects.map(placeOf))}
        {targets.length > 0 && feedList(feed, words.places.targets, targets.map(placeOf))}
        <section class="subscribe">
          <h2>{words.terms.maintenance}</h2>
          <p>{text.calendar}</p>
          <p>
            {url !== undefined && [
              <a href={`${url.replace(/^https?:/, "webcal:")}${calendar}`}>{text.addCalendar}</a>,
              " · ",
            ]}
            {pageLink(feed, calendar, text.calendarFile)}
          </p>
        </section>
      </>
    ),
  });
}

function placeOf(subject: Project | Target): string {
  return "place" in subject ? subject.place : `${subject.system}/${subject.project}`;
}

function feedList(feed: PageFeed, heading: string, places: readonly string[]) {
  return (
    <section class="subscribe">
      <h2>{heading}</h2>
      <ul>
        {places.map((place) => (
          <li>
            {place}: {feedPair(feed, `/feed/${place}`)}
          </li>
        ))}
      </ul>
    </section>
  );
}

function feedPair(feed: PageFeed, path: string) {
  return joined([pageLink(feed, `${path}.atom`, "Atom"), pageLink(feed, `${path}.json`, "JSON Feed")]);
}
