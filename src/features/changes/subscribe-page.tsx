import { pageDocument } from "../layout/layout.tsx";
import type { PageFeed } from "../layout/page-feed.ts";
import { joined, pageLink } from "../layout/parts.tsx";
import { breadcrumbs } from "../layout/sections.tsx";

const heading = "Subscribe";

export function subscribePage(feed: PageFeed): string {
  const projects = feed.systems.flatMap((system) => system.projects);
  const calendar = "/maintenance.ics";
  const webcal = feed.url?.replace(/^https?:/, "webcal:");
  return pageDocument({
    feed,
    title: heading,
    hasStatuses: false,
    children: (
      <>
        {breadcrumbs(feed, heading)}
        <div class="state">
          <h1>{heading}</h1>
          <p>
            Feed readers and calendars check this site for changes. You don’t need an account or an email
            address.
          </p>
        </div>
        <section class="subscribe">
          <h2>Changes</h2>
          <p>Status, content and certificate changes, incidents and announcements, newest first.</p>
          <p>{feedPair(feed, "/feed")}</p>
        </section>
        {projects.length > 1 && (
          <section class="subscribe">
            <h2>Changes by project</h2>
            <ul>
              {projects.map(({ system, project }) => (
                <li>
                  {system}/{project}: {feedPair(feed, `/feed/${system}/${project}`)}
                </li>
              ))}
            </ul>
          </section>
        )}
        <section class="subscribe">
          <h2>Maintenance</h2>
          <p>Planned maintenance, for your calendar.</p>
          <p>
            {webcal && [<a href={`${webcal}${calendar}`}>Add to your calendar</a>, " · "]}
            {pageLink(feed, calendar, "Calendar file")}
          </p>
        </section>
      </>
    ),
  });
}

function feedPair(feed: PageFeed, path: string) {
  return joined([pageLink(feed, `${path}.atom`, "Atom"), pageLink(feed, `${path}.json`, "JSON Feed")]);
}
