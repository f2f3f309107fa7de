import { formatCount, formatInteger } from "../../../base/text/count.ts";
import { formatDuration } from "../../../base/text/duration.ts";

/** The words of the pages of incidents in English. */
export const englishIncidents = {
  heading: "Incidents",
  recent: "Recent incidents",
  all: "All incidents",
  none: "No incident in the last 90 days.",
  kept: "An incident is kept for 90 days after its end.",
  open: "Now",
  planned: "Planned",
  ended: "Ended",
  lasts: "ongoing",
  ongoing: "Ongoing",
  lasted: (duration: number): string => `lasted ${formatDuration(duration)}`,
  /** The states that an operator gives. */
  states: {
    investigating: "Investigating",
    identified: "Identified",
    monitoring: "Monitoring",
    resolved: "Resolved",
    planned: "Planned",
  },
  announcements: "Announcements",
  mirrorsAt: (count: number, host: string): string => `${formatCount(count, "mirror")} at ${host}`,
  title: (subject: string, count: number, isOpen: boolean): string =>
    `${subject} ${isOpen ? (count === 1 ? "is" : "are") : count === 1 ? "was" : "were"} offline`,
  cause: "Cause",
  host: "Host",
  start: "Start",
  end: "End",
  duration: "Duration",
  affected: "Affected mirrors",
  gone: (count: number): string => `${formatCount(count, "mirror")} of it left the feed.`,
  mirror: (id: number): string => `Mirror ${id}`,
  left: "no longer in the feed",
  timeline: "Timeline",
  observed: "What the feed observed",
  written: "From the operator:",
  wentOffline: (count: number): string => `${formatCount(count, "mirror")} went offline:`,
  cameBack: (count: number): string => `${formatCount(count, "mirror")} came back online:`,
  more: (count: number): string => `and ${formatInteger(count)} more`,
};

export type IncidentWords = typeof englishIncidents;
