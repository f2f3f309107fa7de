import type { EventName } from "../../core/config/notify-rules.ts";
import { dayMs, minuteMs } from "../../core/base/text/time.ts";
import { nodesOf, targetsOf } from "../../core/feed/feed.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { isContentCode } from "../../core/kinds/kinds.ts";
import { type NotifiedFeed, rewrittenMs } from "./told.ts";

/** A problem that is so after the last run, or that may be so. With the same event and subject, they are one event. */
export interface Condition {
  readonly event: EventName;
  readonly subject: string;
  /** Undefined if the condition concerns the whole feed. */
  readonly node: FeedNode | undefined;
  /** When the condition began, or when the certificate expires, in epoch milliseconds. */
  readonly since: number;
  /** When the mirror's outage ended, if it belongs to an incident that lasts. */
  readonly to?: number | undefined;
  /** Whether the condition cannot be judged for the mirror, so that it neither begins nor ends. */
  readonly isFrozen: boolean;
}

/** Returns the conditions of a feed's mirrors as of its last run. */
export function conditionsOf(feed: NotifiedFeed): Condition[] {
  const at = Date.parse(feed.run.generated_at);
  const open = feed.incidents.filter(({ end }) => end === undefined);
  const incidents = open.flatMap(({ id, outages }) =>
    outages.map(({ node, from, to }) => ({
      ...condition("offline", node, Date.parse(from), { subject: id }),
      to: to === undefined ? undefined : Date.parse(to),
    })),
  );
  const inIncident = new Set(incidents.flatMap(({ node, to }) => (to === undefined ? node : [])));
  const ofNodes = nodesOf(targetsOf(feed.systems)).flatMap((node): Condition[] => [
    ...(inIncident.has(node) ? [] : offlineAlone(node)),
    ...unstable(node, at),
    ...contentConditions(node, at),
    ...certificate(node, at),
    ...unreachableFamilies(node),
  ]);
  return [...incidents, ...ofNodes, ...rewrittenTags(feed, at)];
}

/**
 * Returns what is wrong with the feed as a whole: runs have stopped for so long that it has expired (`runs`), or the
 * published site is older than the state (`site`). `servedAt` is the time of the run that the site serves, if known.
 */
export function feedConditions(
  { run }: NotifiedFeed,
  now: number,
  servedAt: number | undefined,
): Condition[] {
  const { p90_seconds, scheduled_minutes } = run.interval;
  // Until the interval is measured, runs may be much rarer than scheduled.
  const intervalMs =
    p90_seconds === undefined ? Math.max(dayMs, scheduled_minutes * minuteMs) : p90_seconds * 1000;
  const at = Date.parse(run.generated_at);
  const ofFeed = (subject: string, since: number, isFrozen = false): Condition => {
    return { event: "feed", subject, node: undefined, since, isFrozen };
  };
  const isStale = servedAt === undefined || at - servedAt > 2 * intervalMs + 30 * minuteMs;
  return [
    ...(now > Date.parse(run.expires_at) ? [ofFeed("runs", at + intervalMs)] : []),
    ...(isStale ? [ofFeed("site", servedAt ?? at, servedAt === undefined)] : []),
  ];
}

function condition(
  event: EventName,
  node: FeedNode,
  since: number,
  { subject = String(node.id), isUnknown = false } = {},
): Condition {
  const isFrozen = isUnknown || node.maintenance !== undefined || !node.verified;
  return { event, subject, node, since, isFrozen };
}

/** A mirror that was never online belongs to no incident. */
function offlineAlone(node: FeedNode): Condition[] {
  const { status, code, since, transitions } = node;
  if (status === 1 || since === undefined) return [];
  const isNew = transitions.length === 0 && !isContentCode(code);
  return [condition(isNew ? "never_online" : "offline", node, Date.parse(since))];
}

/** Begins when a mirror has gone offline three times in 24 hours, and is over when its status was steady for as long. */
function unstable(node: FeedNode, at: number): Condition[] {
  const recent = node.transitions.filter((one) => at - Date.parse(one.at) < dayMs);
  if (recent.length === 0 && node.verified) return [];
  const falls = recent.filter(({ status }) => status === 0);
  const since = Date.parse(falls.at(-1)?.at ?? "") || at;
  return [condition("unstable", node, since, { isUnknown: falls.length < 3 })];
}

const contentEvents = [
  ["wrong", "wrong_content"],
  ["differs", "differs"],
  ["behind", "behind"],
] as const;

/** The state of a mirror shows one content event. Others may hold as well if they cannot be seen in this state. */
function contentConditions(node: FeedNode, at: number): Condition[] {
  const { state, freshness, verified } = node;
  const isHidden = !verified || state === "offline" || state === "unknown";
  // Wrong content, such as half of it, cannot be compared.
  const isIncomparable = state === "wrong" || (state === "online" && freshness === "unknown");
  return contentEvents.flatMap(([one, event]) => {
    const since = Date.parse((one === "behind" ? node.behind_since : node.content_since) ?? "") || at;
    const isUnknown = state !== one && (isHidden || (isIncomparable && one !== "wrong"));
    return state === one || isUnknown ? [condition(event, node, since, { isUnknown })] : [];
  });
}

/** The condition lasts until a day after the expiry. A rule says how long before the expiry it begins. */
function certificate(node: FeedNode, at: number): Condition[] {
  const { tls_expires_at, status, code } = node;
  const expiry = Date.parse(tls_expires_at ?? "");
  // A mirror that is offline for another reason may have a new certificate.
  const isUnknown = status === 0 && code !== "tls";
  if (!(at < expiry + dayMs)) return [];
  return [condition("certificate", node, expiry, { isUnknown })];
}

/** If the host's families were not checked in the last day, the family may be answering again. */
function unreachableFamilies(node: FeedNode): Condition[] {
  return (["ipv4", "ipv6"] as const).flatMap((family) => {
    const since = Date.parse(node.family_outages?.[family] ?? "");
    const settings = { subject: node.host, isUnknown: node.families === undefined };
    return Number.isNaN(since) ? [] : [condition(`${family}_unreachable`, node, since, settings)];
  });
}

/** The condition is about the primary mirror or, if there is none, about all mirrors of the target. */
function rewrittenTags(feed: NotifiedFeed, at: number): Condition[] {
  return targetsOf(feed.systems).flatMap(({ place, nodes, reference }): Condition[] => {
    const [newest] = reference?.rewritten ?? [];
    const since = Date.parse(newest?.at ?? "");
    if (!(at - since < rewrittenMs)) return [];
    const primary = nodes.filter((node) => node.primary);
    return (primary.length > 0 ? primary : nodes).map((node) => {
      return { event: "rewritten", subject: place, node, since, isFrozen: node.maintenance !== undefined };
    });
  });
}
