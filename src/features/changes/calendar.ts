import { hash } from "node:crypto";
import ical from "ical-generator";
import type { SiteFile } from "../../core/base/files/site-file.ts";
import type { Feed } from "../../core/feed/feed.ts";

export function renderCalendar(feed: Feed): SiteFile {
  return { path: "maintenance.ics", content: () => calendarText(feed) };
}

/** RFC 5545 (3.6) requires a component, so a calendar without events has a time zone, which programs don't show. */
const utc = `BEGIN:VTIMEZONE
TZID:Etc/UTC
BEGIN:STANDARD
DTSTART:19700101T000000
TZOFFSETFROM:+0000
TZOFFSETTO:+0000
TZNAME:UTC
END:STANDARD
END:VTIMEZONE`;

/** Changes only when maintenance does: the UID of an event is permanent, and its DTSTAMP is its start. */
function calendarText({ site, url, maintenance }: Feed): string {
  const calendar = ical({
    // The library doesn't escape the name.
    name: site.title.replaceAll(/[\\;,]/g, "\\$&"),
    prodId: { company: "mirrorfeed", product: "mirrorfeed", language: "EN" },
    ...(maintenance.length === 0 && { timezone: { name: "Etc/UTC", generator: () => utc } }),
  });
  for (const { scope, subject, from, to, reason, nodes } of maintenance) {
    const places = new Set([...nodes].map((node) => node.target.place));
    calendar.createEvent({
      id: `${hash("sha256", JSON.stringify([scope, from])).slice(0, 32)}@mirrorfeed`,
      stamp: from,
      start: from,
      end: to,
      summary: `Maintenance: ${subject}`,
      description: [reason, ...[...places].slice(0, 20), ...(places.size > 20 ? ["…"] : [])].join("\n"),
      ...(url !== undefined && { url: `${url}/` }),
    });
  }
  return `${calendar.toString()}\r\n`;
}
