import { formatCount, formatInteger, percent } from "../../../base/text/count.ts";
import { formatDuration } from "../../../base/text/duration.ts";
import type { MirrorState } from "../../../contract/mirror-state.ts";

/** Texts in the script that every page loads. Durations are in milliseconds. */
export const englishScript = {
  ago: (duration: number) => `${formatDuration(duration)} ago`,
  ahead: (duration: number) => `in ${formatDuration(duration)}`,
  since: (duration: number) => `for ${formatDuration(duration)}`,
  remaining: (duration: number) => `for another ${formatDuration(duration)}`,
  sinceTime: (timestamp: string) => `since ${timestamp}`,
  untilTime: (timestamp: string) => `until ${timestamp}`,
  /** The text around the time of the last run. */
  lastRun: ["Last run ", "."],
  unknown: "Unknown",
  copy: "Copy",
  copied: "Copied",
  notAllowed: "Not allowed",
  expired: {
    heading: (timestamp: string) => `Status unknown since ${timestamp}.`,
    /** Precedes the original heading. */
    before: "At the last run: ",
    problems: "Needed attention at the last run",
    best: "Best mirror at the last run",
    since: (duration: number) => `for ${formatDuration(duration)} at the last run`,
  },
};

export const englishDays = {
  noData: "No data",
  notObserved: "Not observed",
  noFailure: "No failure",
  failed: (failed: number, of: number) => `${formatInteger(failed)} of ${formatInteger(of)} failed`,
  latency: (mean: number, min: number | null, max: number | null) =>
    min === null ? `Latency ${mean} ms` : `Latency ${mean} ms (${min} to ${max})`,
  observed: (percentage: string) => `${percentage} observed`,
  online: "online",
  offline: "offline",
  unavailable: "The daily data could not be loaded.",
  dayByDay: "Day by day",
  columns: ["Day, UTC", "Result", "Observed", "Mean ms", "Min", "Max"],
  range: "Days shown",
  days: (count: number) => formatCount(count, "day"),
  percent,
};

export const englishSearch = {
  label: "Find mirrors by name or URL",
  stateGroup: "Show only these states",
  sort: "Sort by",
  sorts: {
    page: "listed order",
    state: "worst state",
    uptime: "lowest uptime",
    latency: "lowest latency",
    name: "name",
  },
  found: (found: number, all: number) => `${formatInteger(found)} of ${formatCount(all, "mirror")}`,
  shown: (shown: number, found: number) => `${formatInteger(shown)} of ${formatInteger(found)} shown`,
  showAll: "Show all",
  country: "Country",
  everywhere: "all",
  none: "No mirrors match.",
  clear: "Clear",
  loading: "Loading the mirrors…",
  failed: "The mirrors could not be loaded.",
  uptime: "uptime",
  percent,
  /** The state of a mirror, wherever it is listed. */
  states: {
    offline: "Offline",
    wrong: "Wrong",
    differs: "Differs",
    behind: "Behind",
    certificate: "Certificate expires",
    maintenance: "Maintenance",
    unknown: "Unknown",
    online: "Online",
  } satisfies Readonly<Record<MirrorState | "certificate", string>>,
};
