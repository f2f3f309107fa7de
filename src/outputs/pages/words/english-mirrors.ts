import { formatCount, formatInteger, formatList } from "../../../base/text/count.ts";
import type { ContentCode } from "../../../kinds/mirror-content.ts";

const dayCount = (count: number) => formatCount(count, "day");

/** The words about single mirrors and targets in English. */
export const englishMirrors = {
  nodeRow: {
    best: "best",
    bestReachable: "best reachable",
    listFor: (country: string) => `Mirror list for ${country}`,
    online: (online: number, total: number) => `${formatInteger(online)} of ${formatInteger(total)} online`,
    notKnown: "not known yet",
  },
  nodeStatus: {
    neverReached: "Never reached",
    inSync: "in sync",
    freshnessUnknown: "freshness unknown",
    notVerified: "not verified",
    withStatus: (sentence: string, status: number) => `${sentence} (HTTP ${status})`,
    unreachableOver: (family: string) => `not reachable over ${family}`,
    certificateExpires: (date: string) => `certificate expires on ${date}`,
    certificateExpired: (date: string) => `certificate expired on ${date}`,
    /** If as many locations reach it as do not, its status is the one from before. */
    disagree: (online: readonly string[], offline: readonly string[], isKept: boolean) =>
      `${isKept ? "the locations are split, so its status stays" : "the locations disagree"}: reached from ${formatList(online, "and")}, not from ${formatList(offline, "and")}`,
    failed: (vantage: string, code: string) => `${vantage} (${code})`,
    /** How its content compared when it was last reached. */
    lastSeen: {
      in_sync: "last seen in sync",
      behind: "was behind when last seen",
      differs: "differed when last seen",
      unknown: undefined,
    },
    /** In a maintenance, by the status. */
    kept: ["its status stays offline", "its status stays online"],
    notObserved: "not observed in the last run",
    inLastRun: (cause: string) => `in the last run: ${cause}`,
    refs: {
      missing: (count: number) => `${formatCount(count, "ref")} missing`,
      different: (count: number) => `${formatCount(count, "ref")} different`,
      extra: (count: number) => `${formatCount(count, "ref")} more`,
    },
  },
  best: {
    heading: "Use it now",
    inSync: "Best mirror, in sync",
    reachable: "Best reachable mirror",
    command: "Use it with its tool",
    pick: "Pick the best in a script",
    nothingKnown: "No mirror has ever been reached, so none can be recommended.",
    offline: "No mirror of this target is reachable now.",
    unknown: "No run has shown yet whether a mirror of this target is reachable.",
    maintenance: "Every reachable mirror of this target is in maintenance, including this one.",
    freshnessUnknown: "It is not known whether this mirror is up to date.",
    differs: "No mirror of this target matches its reference. This one is only reachable.",
    /** The sentences around the time since when the best is behind. */
    behind: ["No mirror of this target is up to date. This one has been behind ", "."],
    older: (older: string) => `No mirror of this target is up to date. This one is ${older}.`,
    wrong: {
      missing_file:
        "No mirror of this target has the right content. This one lacks a file that its index names.",
      wrong_size: "No mirror of this target has the right content. A file of this one has the wrong size.",
      half_synced: "No mirror of this target has the right content. This one's last copy was cut off.",
      expired: "No mirror of this target has the right content. This one's index has expired.",
      wrong: "No mirror of this target has the right content.",
    } satisfies Readonly<Record<ContentCode | "wrong", string>>,
  },
  days: {
    none: "No whole day yet",
    nothing: "nothing was observed",
    notToday: "not observed today",
    noFailureToday: "no failure today",
    failedToday: (failed: number, of: number) => `${failed} of ${of} failed today`,
    days: dayCount,
    uptime: (percentage: string) => `${percentage} uptime`,
    failing: (count: number, last: string) => `${formatCount(count, "day")} with failures, last on ${last}`,
    unobserved: (count: number) => `${formatCount(count, "day")} unobserved`,
    lastDay: "24 hours",
    known: "Since the first run",
    observed: (percentage: string) => `${percentage} observed`,
    latency: "Mean latency by day",
  },
  mirrorTable: {
    order: "Best first, as in the mirror list.",
    mirror: "Mirror",
    answers: "it answers, but its content takes it offline; days and uptime count answers",
  },
  node: {
    heading: (name: string, status: string) => `${name}: ${status}`,
    primary: "The other mirrors of its target mirror this one.",
    use: "Its URL",
    url: "URL",
    open: "Open this mirror",
    evidence: "What is known",
    everyDay: "Every day, as JSON",
    vantage: "Location",
    uptime: (days: number) => `Uptime, ${dayCount(days)}`,
    observed: "Observed",
    time: "Time",
    after: "After",
    online: "online",
    offline: "offline",
  },
  nodeFacts: {
    httpStatus: "HTTP status",
    refs: "Refs",
    otherRefs: "Other refs",
    keptOnline: "Kept online",
    locations: "Locations",
    content: "Content",
    revision: "Revision",
    branch: "Branch",
    certificate: "Certificate",
    refsUnread: { too_many: "too many to compare", unread: "could not be read" },
    keptOnlineReasons: {
      last_reachable: "as the last reachable mirror of this target",
      primary_alone: "since no other mirror has taken the primary’s content",
    },
    contentOf: (time: string) => `of ${time}`,
    older: (duration: string) => `${duration} older than the reference`,
    validUntil: (time: string) => `valid until ${time}`,
  },
  target: {
    heading: (target: string, sentence: string) => `${target}: ${sentence}`,
    referenceAt: "The reference is at",
    onBranch: "on",
    rewritten: (tag: string) => `The tag ${tag} was rewritten in the reference`,
    vanished: (tag: string) => `The tag ${tag} vanished from the reference`,
    to: "to",
  },
  use: {
    heading: "Use it",
    check: "Stop a script if no mirror is reachable",
    embed: "Show the state in a page",
    badge: "Show a badge, in Markdown",
    reachable: "reachable mirrors",
    mirrorlist: "mirrorlist",
    listFor: (tool: string) => `list for ${tool}`,
    byCountry: "Mirror lists by country:",
    badgeFile: "badge",
    embedFile: "embed",
  },
};

export type MirrorWords = typeof englishMirrors;
