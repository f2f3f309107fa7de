import { hourMs, minuteMs } from "../../core/base/text/time.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import type { Incident } from "../../core/feed/incidents.ts";
import { incidentPath } from "../../core/feed/page-paths.ts";
import { link, type PageFeed } from "../layout/page-feed.ts";
import type { ShapeName } from "../layout/shapes.ts";
import { incidentTitle } from "./incident-list.tsx";

/** What a strip shows, in minutes: outages before the last run, and what is announced after it. */
const before = (24 * hourMs) / minuteMs;
const after = (12 * hourMs) / minuteMs;
/** Shorter spans would be invisible. */
const shortest = 12;
const height = 12;

export interface Span {
  readonly shape: ShapeName;
  /** ISO 8601. */
  readonly from: string;
  /** Until the last run, if absent. */
  readonly to?: string | undefined;
}

export function outagesOf(incidents: readonly Incident[], nodes: readonly FeedNode[]): Span[] {
  const outages = incidents.flatMap((incident) => incident.outages);
  return outages
    .filter(({ node }) => nodes.includes(node))
    .map(({ from, to }): Span => ({ shape: "offline", from, to }));
}

/**
 * Draws spans in the 24 hours before the last run and the 12 hours after it, if any is in view, as a link to the
 * incident. `next` is when an update is due.
 */
export function timeStrip(feed: PageFeed, spans: readonly Span[], incident?: Incident, next?: string) {
  const at = Date.parse(feed.run.generated_at);
  const due = next === undefined ? after : minutesAfter(at, next);
  const isDue = due > 0 && due < after;
  const paths = stripPaths(spans, at);
  if (paths.size === 0 && !isDue) return null;
  const strip = (
    <svg
      class="strip"
      viewBox={`0 0 ${before + after} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {[...paths].map(([shape, d]) => (
        <path class={shape} d={d} />
      ))}
      {isDue && <path class="next" d={`M${before + due} 0v${height}`} />}
      <path class="now" d={`M${before} 0v${height}`} />
    </svg>
  );
  if (incident === undefined) return strip;
  return (
    <a href={link(feed, incidentPath(incident.id))} aria-label={`Incident: ${incidentTitle(incident)}`}>
      {strip}
    </a>
  );
}

/** Returns a path for each shape of the spans that are in view. `now` is in epoch milliseconds. */
export function stripPaths(spans: readonly Span[], now: number): Map<ShapeName, string> {
  const paths = new Map<ShapeName, string>();
  for (const { shape, from, to } of spans) {
    const start = Math.max(-before, minutesAfter(now, from));
    const end = Math.min(after, to === undefined ? 0 : minutesAfter(now, to));
    if (end < -before || start > after || end < start) continue;
    const length = Math.max(shortest, end - start);
    const line = `M${before + Math.min(start, after - length)} ${height / 2}h${length}`;
    paths.set(shape, (paths.get(shape) ?? "") + line);
  }
  return paths;
}

function minutesAfter(now: number, at: string): number {
  return Math.round((Date.parse(at) - now) / minuteMs);
}
