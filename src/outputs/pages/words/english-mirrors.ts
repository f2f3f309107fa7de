import { formatCount, formatInteger, formatList } from "../../../base/text/count.ts";
import type { ContentCode } from "../../../kinds/mirror-content.ts";

const dayCount = (count: number) => formatCount(count, "day");

/** Words about single mirrors and targets. */
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
    /** `isKept` is true if the status does not change, because exactly half of the locations reach the mirror. */
    disagree: (online: readonly string[], offline: readonly string[], isKept: boolean) =>
      `${isKept ? "the locations are split, so its status does not change" : "the locations disagree"}: reached from ${formatList(online, "and")}, not from ${formatList(offline, "and")}`,
    failed: (vantage: string, code: string) => `${vantage} (${code})`,
    /** How the mirror's content compared with the reference when the mirror was last reached. */
    lastSeen: {
      in_sync: "last seen in sync",
      behind: "was behind when last seen",
      differs: "differed when last seen",
      unknown: undefined,
    },
    /** Texts about a mirror in maintenance. The index of each text is the mirror's status. */
    kept: ["its status stays offline", "its status stays online"],
    notObserved: "not observed in the last run",
    inLastRun: (cause: string) => `in the last run: ${cause}`,
    refs: {
      missing: (count: number) => formatCount(count, "missing ref"),
      different: (count: number) => formatCount(count, "different ref"),
      extra: (count: number) => formatCount(count, "extra ref"),
    },
  },
  best: {
    heading: "Use it now",
    inSync: "Best mirror, in sync",
    reachable: "Best reachable mirror",
    command: "Use it like this",
    pick: "Pick the best mirror in a script",
    nothingKnown: "No mirror has ever been reached, so none can be recommended.",
    offline: "No mirror of this target is reachable now.",
    unknown: "It is not known yet whether a mirror of this target is reachable.",
    maintenance: "Every reachable mirror of this target is in maintenance, including this one.",
    freshnessUnknown: "It is not known whether this mirror is up to date.",
    differs: "No mirror of this target matches its reference. This one differs too, but is reachable.",
    /** The text around a duration such as `for 2 hours`. */
    behind: ["No mirror of this target is up to date. This one has been behind ", "."],
    older: (older: string) => `No mirror of this target is up to date. This one is ${older}.`,
    wrong: {
      missing_file:
        "No mirror of this target has the right content. This one is missing a file that its index lists.",
      wrong_size: "No mirror of this target has the right content. This one has a file of the wrong size.",
      half_synced: "No mirror of this target has the right content. This one's last sync was interrupted.",
      expired: "No mirror of this target has the right content. This one's index has expired.",
      no_fetch: "No mirror of this target has the right content. This one does not serve what it lists.",
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
    answers:
      "it answers, but counts as offline because of its content; days and uptime show only whether it answers",
  },
  node: {
    heading: (name: string, status: string) => `${name}: ${status}`,
    primary: "The other mirrors of its target copy this one.",
    use: "Its URL",
    url: "URL",
    open: "Open this mirror",
    evidence: "What is known",
    everyDay: "All days as JSON",
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
      last_reachable: "because no mirror of this target would be online otherwise",
      primary_alone: "because no other mirror has copied the primary’s content",
    },
    contentOf: (time: string) => `from ${time}`,
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
    badge: "Show a badge in Markdown",
    reachable: "reachable mirrors",
    mirrorlist: "mirror list",
    listFor: (tool: string) => `list for ${tool}`,
    byCountry: "Mirror lists by country:",
    badgeFile: "badge",
  },
};

export type MirrorWords = typeof englishMirrors;
