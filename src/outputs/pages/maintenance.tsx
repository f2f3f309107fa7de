import type { FeedNode } from "../../feed/feed.ts";
import { comingMaintenance } from "../../feed/maintenance.ts";
import { link, type PageFeed } from "./links.ts";
import { exactTime } from "./timestamp.tsx";

const maxShown = 8;

/** Renders the maintenance that has not ended, of all mirrors or of these, or nothing if there is none. */
export function maintenanceSection(feed: PageFeed, nodes?: readonly FeedNode[]): preact.JSX.Element | null {
  const { maintenance: words } = feed.words;
  const coming = comingMaintenance(feed, nodes);
  if (coming.length === 0) return null;
  return (
    <section class="maintenance" aria-labelledby="maintenance">
      <h2 id="maintenance">{words.heading}</h2>
      <ul>
        {coming.slice(0, maxShown).map(({ subject, from, to, reason }) => (
          <li>
            <b>
              <bdi>{subject}</bdi>
            </b>
            <span>
              <bdi>{reason}</bdi>
            </span>
            <span class="quiet">
              {exactTime(feed, from)} – {exactTime(feed, to)}
            </span>
          </li>
        ))}
      </ul>
      <p class="files">
        {coming.length > maxShown && `${words.more(coming.length - maxShown)} `}
        <a href={link(feed, "/maintenance.ics")}>{words.calendar}</a>
      </p>
    </section>
  );
}
