import { group } from "../../base/text/group.ts";
import { incidentList, type IncidentLine, type IncidentPhase, incidentLines } from "./incident-list.tsx";
import { pageDocument } from "./layout.tsx";
import { incidentPath, type PageFeed } from "./links.ts";
import { breadcrumbs } from "./places.tsx";

/** Returns the page of all incidents: those that last, those to come, and the others by month. */
export function incidentsPage(feed: PageFeed): string {
  const { incidents: words } = feed.words;
  const lines = incidentLines(feed);
  const of = (phase: IncidentPhase): IncidentLine[] => lines.filter((line) => line.phase === phase);
  const announcements = feed.notices
    .filter(({ nodes }) => nodes === undefined)
    .map((notice): IncidentLine => {
      const { name, title, from, to } = notice;
      return { path: incidentPath(name), title, from, to, phase: undefined, note: undefined };
    });
  const groups = [
    ...[[words.open, of("open")] as const, [words.planned, of("planned").reverse()] as const],
    ...group(of("ended").map((line) => [feed.format.month(line.from), line])),
    [words.announcements, announcements] as const,
  ].filter(([, own]) => own.length > 0);
  return pageDocument({
    feed,
    title: words.heading,
    hasStatuses: true,
    children: (
      <>
        {breadcrumbs(feed, [], words.heading, { isOfSystems: false })}
        <div class="state">
          <h1>{words.heading}</h1>
          <p>{lines.length === 0 ? words.none : words.kept}</p>
        </div>
        {groups.map(([heading, own]) => (
          <section class="changes month">
            <h2>{heading}</h2>
            {incidentList(feed, own)}
          </section>
        ))}
      </>
    ),
  });
}
