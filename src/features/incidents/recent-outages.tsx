import { dayMs } from "../../core/base/text/duration.ts";
import { group } from "../../core/base/text/group.ts";
import { incidentPath } from "../../core/feed/page-paths.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { type Incident, nodesOfIncident } from "../../core/feed/incidents.ts";
import { link, type PageFeed } from "../layout/page-feed.ts";
import { incidentTitle } from "./incident-list.tsx";
import type { Span, timeStrip } from "./time-strip.tsx";

/** Returns incidents that ended in the last 24 hours, grouped by their mirrors, unless those have a row already. */
export function endedIncidents(
  feed: PageFeed,
  shown: ReadonlySet<FeedNode>,
): (readonly [Incident, ...Incident[]])[] {
  const start = new Date(Date.parse(feed.run.generated_at) - dayMs).toISOString();
  const ended = feed.incidents.filter(
    (incident) =>
      incident.end !== undefined &&
      incident.end > start &&
      nodesOfIncident(incident).some((node) => !shown.has(node)),
  );
  const key = (incident: Incident): string =>
    nodesOfIncident(incident)
      .map(({ id }) => id)
      .join();
  return [...group(ended.map((incident) => [key(incident), incident] as const)).values()];
}

export function outagesOf(incidents: readonly Incident[], nodes: readonly FeedNode[]): Span[] {
  const outages = incidents.flatMap((incident) => incident.outages);
  return outages
    .filter(({ node }) => nodes.includes(node))
    .map(({ from, to }): Span => ({ shape: "offline", from, to }));
}

export function incidentStrip(
  feed: PageFeed,
  incident: Incident | undefined,
  strip: ReturnType<typeof timeStrip>,
) {
  if (incident === undefined || strip === null) return strip;
  return (
    <a href={link(feed, incidentPath(incident.id))} aria-label={`Incident: ${incidentTitle(incident)}`}>
      {strip}
    </a>
  );
}
