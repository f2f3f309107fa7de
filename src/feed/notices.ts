import type { NoticeFile } from "../config/notice.ts";
import type { Incident, FeedNode, Notice } from "./feed.ts";
import { nodesOfIncident } from "./incidents.ts";
import { isoTimestamp, timestampIfAny } from "./timestamp.ts";

/** A file of the operator with its text as HTML. */
export interface NoticeText extends NoticeFile {
  readonly html: string;
}

/** Returns the notices with their mirrors, those that begin last first. */
export function noticesOf(notices: readonly NoticeText[], nodes: readonly FeedNode[]): Notice[] {
  return notices
    .map(({ nodes: ids, from, to, ...notice }) => ({
      ...notice,
      nodes: ids && nodes.filter(({ id }) => ids.has(id)),
      from: isoTimestamp(from),
      to: timestampIfAny(to),
    }))
    .sort((one, other) => (one.from < other.from ? 1 : one.from > other.from ? -1 : 0));
}

/** Returns whether a notice and an incident are about a mirror and a time in common. */
export function overlaps(notice: Notice, incident: Incident): boolean {
  const isTogether =
    notice.from <= (incident.end ?? notice.from) && incident.start <= (notice.to ?? incident.start);
  if (!isTogether || notice.nodes === undefined) return false;
  const own = new Set(notice.nodes);
  return nodesOfIncident(incident).some((node) => own.has(node));
}

/** Returns whether a time (ISO 8601) is within a notice. */
export function isCurrent({ from, to }: Pick<Notice, "from" | "to">, at: string): boolean {
  return from <= at && (to === undefined || at < to);
}
