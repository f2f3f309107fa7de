import { formatCount, formatInteger, formatList } from "../text/count.ts";

/**
 * Every word of the pages in English. A group belongs to the file of `src/pages/` with its name. A text with values is a
 * function, so that each language can order and inflect its words.
 */
export const english = {
  legend: {
    heading: "How to read this",
    online: "reachable when last observed",
    offline: "not reachable",
    some: "a target with some reachable mirrors",
    unknown: "no verdict yet",
    goodDay: "a day without a failure",
    someDay: "some runs failed",
    badDay: "at least half of the runs failed",
    unobservedDay: "not observed, so it does not count",
    dayBefore: "before the mirror was in the feed",
    explanation:
      "Uptime is the share of successful observations in the 90 days before the last midnight in UTC. Time without observations does not count. A mirror is behind if it has what its target’s reference had before. It differs if, for a day or longer, it lacks what the reference has.",
  },
  summary: {
    nothingKnown: "Nothing is known yet.",
    neverReached: [
      "No mirror was ever reached, so the prober itself was most likely offline.",
      "Until one is, every status is 0, and says nothing about the mirrors.",
    ],
    noVerdicts: "No mirror has a verdict yet.",
    onlyReachable: "The only mirror is reachable.",
    bothReachable: "Both mirrors are reachable.",
    allReachable: (total: number): string => `All ${formatInteger(total)} mirrors are reachable.`,
    noneOffline: "No mirror is offline.",
    reachable: (online: number, total: number): string => `${mirrorsOf(online, total)} reachable.`,
    reachableEverywhere: (online: number, total: number): string =>
      `${mirrorsOf(online, total)} reachable from every vantage.`,
    onlyOffline: "The only mirror is offline.",
    noneReachable: "No mirror is reachable.",
    bothOffline: "Both are offline.",
    allOffline: (total: number): string => `All ${formatInteger(total)} are offline.`,
    offline: (offline: number, total: number): string => `${mirrorsOf(offline, total)} offline.`,
    everyTarget: "Every target still has a reachable mirror.",
    unreachableTargets: (count: number, total: number): string =>
      `${formatInteger(count)} of ${formatInteger(total)} targets have no reachable mirror.`,
    unreachableTarget: (names: readonly string[]): string =>
      `No mirror of ${formatList(names, "or")} is reachable.`,
    disagreeing: (count: number): string => `The vantages disagree about ${formatCount(count, "mirror")}.`,
    undecided: (count: number): string =>
      `${formatCount(count, "mirror")} ${count === 1 ? "has" : "have"} no verdict yet.`,
    behind: (count: number): string => `${formatCount(count, "mirror")} ${isOrAre(count)} behind.`,
    differs: (count: number): string =>
      `${formatCount(count, "mirror")} ${count === 1 ? "differs" : "differ"}.`,
    maintenance: (count: number): string =>
      `${formatCount(count, "mirror")} ${isOrAre(count)} in maintenance.`,
  },
  nodeRow: {
    columns: {
      run: ["90 days and today", "uptime to midnight UTC", "latency"],
      day: ["90 days", "uptime to midnight UTC", "mean latency"],
    },
    reachable: (online: number, total: number): string =>
      `${formatInteger(online)} of ${formatInteger(total)} reachable`,
    behind: "behind",
    differs: "differs",
    maintenance: "in maintenance",
    primary: "primary",
    uptime: "Uptime",
    toMidnight: "to midnight UTC",
    notKnown: "not known yet",
    latency: "Latency",
    /** The accessible name of the bars of a mirror. */
    days: (name: string, summary: string): string => `${name}, ${summary}`,
  },
  problems: {
    heading: "Needs attention",
    more: (count: number): string => `and ${formatInteger(count)} more`,
    mirrorsAt: (count: number, host: string): string => `${formatInteger(count)} mirrors at ${host}`,
    maintenance: (reason: string): string => `in maintenance: ${reason}`,
  },
  overview: {
    lastRun: "Last run",
    valid: "Valid",
    observedFrom: (vantages: readonly string[]): string => `Observed from ${formatList(vantages, "and")}.`,
    vantagesOffline: (vantages: readonly string[]): string =>
      `${formatList(vantages, "and")} ${vantages.length === 1 ? "was offline and does" : "were offline and do"} not count.`,
    missingShards: (vantage: string, count: number): string =>
      `${vantage} has no results for ${formatCount(count, "shard")}, so some mirrors were not observed.`,
  },
  projectSection: {
    targets: "Targets",
    projects: (count: number): string => formatCount(count, "project"),
    size: (targets: number, mirrors: number): string =>
      `${formatCount(targets, "target")}, ${formatCount(mirrors, "mirror")}`,
  },
  project: {
    breadcrumbs: "Breadcrumbs",
    overview: "Overview",
    systems: "Systems",
    /** The text before a link to the overview, that of the link, and the text after it. */
    runHint: { before: "The time of the last run is on", link: "the overview", after: "." },
    asFiles: "As files:",
    statuses: "statuses",
    evidence: "evidence",
    changes: "changes",
  },
  nodeStatus: {
    online: "Online",
    offline: "Offline",
    noVerdict: "No verdict yet",
    neverReached: "Never reached",
    inSync: "in sync",
    freshnessUnknown: "freshness unknown",
    notVerified: "not verified",
    withStatus: (sentence: string, status: number): string => `${sentence} (status ${status})`,
    differs: "differs from the reference",
    behind: "behind",
    certificateExpires: (date: string): string => `certificate expires on ${date}`,
    certificateExpired: (date: string): string => `certificate expired on ${date}`,
    disagree: (votes: readonly string[]): string => `the vantages disagree: ${formatList(votes, "and")}`,
    vote: (vantage: string, code: string): string => `${vantage} observed ${code}`,
    notObserved: "not observed in the last run",
    inLastRun: (cause: string): string => `in the last run: ${cause}`,
    refs: {
      missing: (count: number): string => `${formatCount(count, "ref")} missing`,
      different: (count: number): string => `${formatCount(count, "ref")} different`,
      extra: (count: number): string => `${formatCount(count, "ref")} more`,
    },
  },
  count: {
    mirrors: (count: number): string => formatCount(count, "mirror"),
    targets: (count: number): string => formatCount(count, "target"),
  },
};

/** Every word of the pages. English defines what there is. */
export type Words = typeof english;

function isOrAre(count: number): string {
  return count === 1 ? "is" : "are";
}

/** Returns the start of a sentence: `1 of 22 mirrors is`. */
function mirrorsOf(count: number, total: number): string {
  return `${formatInteger(count)} of ${formatCount(total, "mirror")} ${isOrAre(count)}`;
}
