import { group } from "../base/text/group.ts";
import {
  contactName,
  dayMs,
  type EventName,
  type Feed,
  type FeedNode,
  isContentCode,
  nodesOf,
  type NotifiedEvent,
  type NotifyRule,
  type RewrittenTag,
  targetsOf,
} from "../feed/feed.ts";
import { isInScope } from "../feed/incidents.ts";

export interface ConditionNode {
  /** Undefined stands for the whole feed. */
  readonly node: FeedNode | undefined;
  /** Since when it is so, in epoch milliseconds. Of a certificate: when it expires. */
  readonly since: number;
  /** In maintenance, or if it is unknown whether it is still so: nothing begins and nothing ends. */
  readonly isFrozen: boolean;
}

/** Something that is so now, and that a rule can be about. */
export interface Condition {
  readonly event: EventName;
  readonly incident?: string | undefined;
  readonly place?: string | undefined;
  readonly ref?: string | undefined;
  readonly nodes: readonly ConditionNode[];
}

/** Returns what a condition and its event have in common as long as it lasts. `node` is the id of its first mirror. */
export function conditionKey(
  { event, incident, place, ref }: Pick<NotifiedEvent, "event" | "incident" | "place" | "ref">,
  node: number | undefined,
): string {
  const subject = incident ?? (place === undefined ? node : [place, ref]);
  return JSON.stringify([event, subject ?? null]);
}

/** Returns all that is so in a feed after a run, except for its age. */
export function conditionsOf(before: Feed | undefined, after: Feed): Condition[] {
  const incidents = after.incidents.flatMap(({ id, outages }): Condition[] => {
    const members = outages.flatMap(({ node, from, to }) =>
      to === undefined ? [conditionNode(node, from)] : [],
    );
    return members.length === 0 ? [] : [{ event: "offline", incident: id, nodes: members }];
  });
  const inIncident = new Set(incidents.flatMap((one) => one.nodes.map(({ node }) => node)));
  const ofNodes = nodesOf(targetsOf(after.systems)).flatMap((node) =>
    [
      // A mirror that was never online has no incident, nor has one that went offline before there were any.
      ...(inIncident.has(node) ? [] : offlineAlone(node)),
      ...contentConditions(node, after.run.generated_at),
    ].map(([event, since, isUnknown]) => ({ event, nodes: [conditionNode(node, since, isUnknown)] })),
  );
  return [...incidents, ...ofNodes, ...rewrittenTags(before, after)];
}

function conditionNode(node: FeedNode, since: string, isUnknown = false): ConditionNode {
  return { node, since: Date.parse(since), isFrozen: isUnknown || node.maintenance !== undefined };
}

/** An event of a mirror, since when it is so, and whether it is unknown if it still is. */
type NodeCondition = readonly [event: EventName, since: string, isUnknown?: boolean];

function offlineAlone({ status, code, since, transitions }: FeedNode): NodeCondition[] {
  if (status === 1 || since === undefined) return [];
  return [[transitions.length === 0 && !isContentCode(code) ? "never_online" : "offline", since]];
}

/** The content of a mirror that is offline is unknown, and so is one that cannot be compared. */
function contentConditions(node: FeedNode, at: string): NodeCondition[] {
  const { status, freshness, behind_since, content_code, content_since = at, tls_expires_at } = node;
  const conditions: NodeCondition[] = [];
  if (tls_expires_at !== undefined) conditions.push(["certificate", tls_expires_at]);
  if (status === 0) conditions.push(["wrong_content", at, true]);
  else if (content_code !== undefined) conditions.push(["wrong_content", content_since]);
  if (status === 0 || freshness === "unknown") conditions.push(["behind", at, true], ["differs", at, true]);
  else if (behind_since !== undefined) conditions.push(["behind", behind_since]);
  else if (node.differs === true) conditions.push(["differs", content_since]);
  return conditions;
}

/** Returns the tags that this run found rewritten, an event that has no end. They are about the primary mirror, or all of a target without one. */
function rewrittenTags(before: Feed | undefined, after: Feed): Condition[] {
  const known = new Map(targetsOf(before?.systems ?? []).map(({ place, reference }) => [place, reference]));
  return targetsOf(after.systems).flatMap(({ place, nodes, reference }) => {
    const primary = nodes.filter((node) => node.primary);
    const members = primary.length > 0 ? primary : nodes;
    const isKnown = ({ at, tag }: RewrittenTag): boolean =>
      known.get(place)?.rewritten.some((one) => one.at === at && one.tag === tag) ?? false;
    const found = reference?.rewritten.filter((one) => !isKnown(one)) ?? [];
    return found.map(({ at, tag }): Condition => {
      return { event: "rewritten", place, ref: tag, nodes: members.map((node) => conditionNode(node, at)) };
    });
  });
}

/** What a condition is for a channel. It lasts for every channel that has one. */
export interface Receiver {
  /** The first rule that has waited long enough for a mirror. Undefined if none has. */
  readonly rule?: string;
  /** The mirrors of which that is true. Empty without a rule. */
  readonly due: readonly ConditionNode[];
}

/** Returns the channels that rules name for a condition at a time (epoch milliseconds), by name. It lasts for all of them. */
export function receiversOf(
  rules: readonly NotifyRule[],
  { event, nodes }: Condition,
  at: number,
): Map<string, Receiver> {
  const receivers = new Map<string, Receiver>();
  for (const rule of rules) {
    if (!rule.events.has(event)) continue;
    const after = rule.afterMs(event);
    const begun = nodes
      .map((one) =>
        event === "certificate" ? { ...one, since: expiresSoonSince(one.since, rule.certificateDays) } : one,
      )
      .filter(({ since }) => since <= at);
    const byChannel = group(
      begun.flatMap((one) => channelsOf(rule, one.node).map((channel) => [channel, one] as const)),
    );
    for (const [channel, own] of byChannel) {
      if (receivers.get(channel)?.rule !== undefined) continue;
      const due = own.filter(({ since, isFrozen }) => !isFrozen && at - since >= after);
      receivers.set(channel, due.length > 0 ? { rule: rule.name, due } : { due });
    }
  }
  return receivers;
}

/** Returns the channels that a rule tells of a mirror or of the feed, by their own names or as contacts. */
export function channelsOf({ scope, to }: NotifyRule, node: FeedNode | undefined): string[] {
  // A rule with a scope is not about the whole feed.
  if (scope !== undefined && (node === undefined || !isInScope(scope, node))) return [];
  return [...new Set(to.flatMap((name) => (name === contactName ? (node?.contact ?? []) : name)))];
}

/** Returns when a certificate begins to expire soon, counted from the start of a day, as on the pages. */
function expiresSoonSince(expiry: number, days: number): number {
  return Math.floor((expiry - days * dayMs) / dayMs) * dayMs + dayMs;
}
