import type { EventName } from "../../core/config/notify-rules.ts";
import { dayMs, minuteMs } from "../../core/base/text/duration.ts";
import { group } from "../../core/base/text/group.ts";
import { nodesOf, targetsOf } from "../../core/feed/feed.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import type { Incident } from "../../core/feed/incidents.ts";
import { isContentCode } from "../../core/kinds/kinds.ts";
import type { NotifiedFeed } from "./told.ts";

export interface ConditionNode {
  /** Undefined if the condition concerns the whole feed. */
  readonly node: FeedNode | undefined;
  /** When the condition began, in epoch milliseconds; for a certificate, when it expires. */
  readonly since: number;
  /** Whether the condition cannot be judged for the mirror, so that it neither begins nor ends. */
  readonly isFrozen: boolean;
}

/** A problem that is so after the last run, or that may be so. */
export interface Condition {
  readonly event: EventName;
  readonly subject: string;
  readonly nodes: readonly ConditionNode[];
  /** For an incident: its outages, including those that have ended. */
  readonly outages?: Incident["outages"];
  /** For a certificate: when it expires. */
  readonly until?: number;
  /** For a target: when tags were rewritten in the last seven days, oldest first. */
  readonly rewritten?: readonly number[];
}

/** How long rewritten tags are reported. */
export const rewrittenMs = 7 * dayMs;

/** Returns the conditions of a feed's mirrors as of its last run. */
export function conditionsOf(feed: NotifiedFeed): Condition[] {
  const at = Date.parse(feed.run.generated_at);
  const nodes = nodesOf(targetsOf(feed.systems));
  const incidents = feed.incidents.flatMap(({ id, outages }): Condition[] => {
    const open = outages.filter(({ to }) => to === undefined);
    const members = open.map(({ node, from }) => conditionNode(node, Date.parse(from)));
    return members.length === 0 ? [] : [{ event: "offline", subject: id, nodes: members, outages }];
  });
  const inIncident = new Set(incidents.flatMap((one) => one.nodes.map(({ node }) => node)));
  const ofNodes = nodes.flatMap((node): Condition[] => [
    ...(inIncident.has(node) ? [] : offlineAlone(node)),
    ...unstable(node, at),
    ...contentConditions(node, at),
    ...certificate(node, at),
  ]);
  return [...incidents, ...ofNodes, ...unreachableFamilies(nodes), ...rewrittenTags(feed, at)];
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
  const condition = (subject: string, since: number, isFrozen = false): Condition => {
    return { event: "feed", subject, nodes: [{ node: undefined, since, isFrozen }] };
  };
  const isStale = servedAt === undefined || at - servedAt > 2 * intervalMs + 30 * minuteMs;
  return [
    ...(now > Date.parse(run.expires_at) ? [condition("runs", at + intervalMs)] : []),
    ...(isStale ? [condition("site", servedAt ?? at, servedAt === undefined)] : []),
  ];
}

function conditionNode(node: FeedNode, since: number, isUnknown = false): ConditionNode {
  return { node, since, isFrozen: isUnknown || node.maintenance !== undefined || !node.verified };
}

function ofMirror(event: EventName, node: FeedNode, since: number, isUnknown?: boolean): Condition {
  return { event, subject: String(node.id), nodes: [conditionNode(node, since, isUnknown)] };
}

/** A mirror that was never online belongs to no incident. */
function offlineAlone(node: FeedNode): Condition[] {
  const { status, code, since, transitions } = node;
  if (status === 1 || since === undefined) return [];
  const isNew = transitions.length === 0 && !isContentCode(code);
  return [ofMirror(isNew ? "never_online" : "offline", node, Date.parse(since))];
}

/** Begins when a mirror has gone offline three times in 24 hours, and is over when its status was steady for as long. */
function unstable(node: FeedNode, at: number): Condition[] {
  const recent = node.transitions.filter((one) => at - Date.parse(one.at) < dayMs);
  if (recent.length === 0 && node.verified && node.maintenance === undefined) return [];
  const falls = recent.filter(({ status }) => status === 0);
  return [ofMirror("unstable", node, Date.parse(falls.at(-1)?.at ?? "") || at, falls.length < 3)];
}

const contentEvents = { wrong: "wrong_content", differs: "differs", behind: "behind" } as const;

/** The state of a mirror shows one content event. Others may hold as well if they cannot be seen in this state. */
function contentConditions(node: FeedNode, at: number): Condition[] {
  const { state, freshness, verified } = node;
  const isHidden = !verified || ["offline", "maintenance", "unknown"].includes(state);
  // Wrong content, such as half of it, cannot be compared.
  const isIncomparable = state === "wrong" || (state === "online" && freshness === "unknown");
  return (["wrong", "differs", "behind"] as const).flatMap((one) => {
    const event = contentEvents[one];
    const since = Date.parse((one === "behind" ? node.behind_since : node.content_since) ?? "") || at;
    if (state === one) return [ofMirror(event, node, since)];
    const isUnknown = isHidden || (isIncomparable && one !== "wrong");
    return isUnknown ? [ofMirror(event, node, at, true)] : [];
  });
}

/** The condition lasts until a day after the expiry. A rule says how long before the expiry it begins. */
function certificate(node: FeedNode, at: number): Condition[] {
  const { tls_expires_at, status, code } = node;
  const until = Date.parse(tls_expires_at ?? "");
  if (!(at < until + dayMs)) return [];
  // A mirror that is offline for another reason may have a new certificate.
  const isUnknown = status === 0 && code !== "tls";
  return [{ ...ofMirror("certificate", node, until, isUnknown), until }];
}

/**
 * Returns a condition for each host and address family that does not answer. If a mirror is offline, or its host's
 * families were not checked in the last day, the family may be answering again.
 */
function unreachableFamilies(nodes: readonly FeedNode[]): Condition[] {
  const byHost = group(nodes.map((node) => [node.host, node] as const));
  return [...byHost].flatMap(([host, atHost]) =>
    (["ipv4", "ipv6"] as const).flatMap((family): Condition[] => {
      const since = atHost[0].family_outages?.[family];
      if (since === undefined) return [];
      const members = atHost.map((node) =>
        conditionNode(node, Date.parse(since), node.families === undefined),
      );
      return [{ event: `${family}_unreachable`, subject: host, nodes: members }];
    }),
  );
}

/** The condition is about the primary mirror or, if there is none, about all mirrors of the target. */
function rewrittenTags(feed: NotifiedFeed, at: number): Condition[] {
  return targetsOf(feed.systems).flatMap(({ place, nodes, reference }): Condition[] => {
    const rewritten = (reference?.rewritten ?? [])
      .map((tag) => Date.parse(tag.at))
      .filter((time) => at - time < rewrittenMs)
      .sort((one, other) => one - other);
    const [since] = rewritten;
    if (since === undefined) return [];
    const primary = nodes.filter((node) => node.primary);
    const members = (primary.length > 0 ? primary : nodes).map((node) => {
      return { node, since, isFrozen: node.maintenance !== undefined };
    });
    return [{ event: "rewritten", subject: place, nodes: members, rewritten }];
  });
}
