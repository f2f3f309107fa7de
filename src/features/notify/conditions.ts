import { group } from "../../core/base/text/group.ts";
import { nodesOf, targetsOf } from "../../core/feed/feed.ts";
import { isInScope } from "../../core/feed/incidents.ts";
import { noNotifications } from "./outbox.ts";
import { contactName, type EventName, type NotifyRule } from "../../core/config/notify-rules.ts";
import { dayMs } from "../../core/base/text/duration.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import type { RewrittenTag } from "../../core/feed/target-reference.ts";
import { isContentCode } from "../../core/kinds/kinds.ts";
import type { MirrorState } from "../../core/verdict/mirror-state.ts";
import type { NotifiedEvent } from "./notifications.ts";
import type { NotifiedFeed } from "./notified-feed.ts";

export interface ConditionNode {
  /** Undefined if the condition concerns the whole feed. */
  readonly node: FeedNode | undefined;
  /** When the condition began, in epoch milliseconds; for a certificate, when the certificate expires. */
  readonly since: number;
  /**
   * True if the mirror is in maintenance, or if the condition may no longer hold. The node's event then neither begins
   * nor ends.
   */
  readonly isFrozen: boolean;
}

/** A current problem that a rule can report. */
export interface Condition {
  readonly event: EventName;
  readonly incident?: string | undefined;
  readonly place?: string | undefined;
  readonly host?: string | undefined;
  readonly nodes: readonly ConditionNode[];
}

/**
 * Returns the key that connects a condition to its event while the condition lasts. `node` is the id of the condition's
 * first mirror.
 */
export function conditionKey(
  { event, incident, place, host }: Pick<NotifiedEvent, "event" | "incident" | "place" | "host">,
  node: number | undefined,
): string {
  return JSON.stringify([event, incident ?? place ?? host ?? node ?? null]);
}

/**
 * Returns all conditions of a feed after a run. There is none for the event `feed`, because right after a run, the next
 * one cannot be overdue yet. Every mirror has a certificate condition, whose `since` is the certificate's expiry.
 */
export function conditionsOf(before: NotifiedFeed | undefined, after: NotifiedFeed): Condition[] {
  const incidents = after.incidents.flatMap(({ id, outages }): Condition[] => {
    const members = outages.flatMap(({ node, from, to }) =>
      to === undefined ? [conditionNode(node, from)] : [],
    );
    return members.length === 0 ? [] : [{ event: "offline", incident: id, nodes: members }];
  });
  const inIncident = new Set(incidents.flatMap((one) => one.nodes.map(({ node }) => node)));
  const nodes = nodesOf(targetsOf(after.systems));
  const ofNodes = nodes.flatMap((node) =>
    [
      // A mirror that was never online belongs to no incident, so it gets a condition of its own.
      ...(inIncident.has(node) ? [] : offlineAlone(node)),
      ...contentConditions(node, after.run.generated_at),
    ].map(([event, since, isUnknown]) => ({ event, nodes: [conditionNode(node, since, isUnknown)] })),
  );
  const certificates = nodes.map((node): Condition => {
    const { tls_expires_at: expiry, maintenance } = node;
    const since = expiry === undefined ? Infinity : Date.parse(expiry);
    return { event: "certificate", nodes: [{ node, since, isFrozen: maintenance !== undefined }] };
  });
  return [
    ...incidents,
    ...ofNodes,
    ...certificates,
    ...unreachableFamilies(nodes),
    ...rewrittenTags(before, after),
  ];
}

/**
 * Returns a condition for each host and address family (IPv4 or IPv6) that does not answer. If a node is offline, or
 * its host's families were not checked in the last day, the family may be answering again, so the node is frozen.
 */
function unreachableFamilies(nodes: readonly FeedNode[]): Condition[] {
  const byHost = group(nodes.map((node) => [node.host, node] as const));
  return [...byHost].flatMap(([host, atHost]) =>
    (["ipv4", "ipv6"] as const).flatMap((family): Condition[] => {
      const since = atHost[0].family_outages?.[family];
      if (since === undefined) return [];
      const members = atHost.map((node) => conditionNode(node, since, node.families === undefined));
      return [{ event: `${family}_unreachable`, host, nodes: members }];
    }),
  );
}

function conditionNode(node: FeedNode, since: string, isUnknown = false): ConditionNode {
  return { node, since: Date.parse(since), isFrozen: isUnknown || node.maintenance !== undefined };
}

/** `isUnknown` means that the condition may no longer hold. */
type NodeCondition = readonly [event: EventName, since: string, isUnknown?: boolean];

function offlineAlone({ status, code, since, transitions }: FeedNode): NodeCondition[] {
  if (status === 1 || since === undefined) return [];
  return [[transitions.length === 0 && !isContentCode(code) ? "never_online" : "offline", since]];
}

type ContentEvent = "wrong_content" | "differs" | "behind";

/**
 * For each state of a mirror, `current` is the content event that the state shows. The events in `hidden` may hold as
 * well, but cannot be seen in this state, so they neither begin nor end. All other content events are over.
 */
const contentEvents: Readonly<
  Record<MirrorState, { readonly current?: ContentEvent; readonly hidden: readonly ContentEvent[] }>
> = {
  offline: { hidden: ["wrong_content", "differs", "behind"] },
  // A half-synced mirror may also be behind.
  wrong: { current: "wrong_content", hidden: ["differs", "behind"] },
  differs: { current: "differs", hidden: [] },
  behind: { current: "behind", hidden: [] },
  maintenance: { hidden: ["wrong_content", "differs", "behind"] },
  unknown: { hidden: ["wrong_content", "differs", "behind"] },
  online: { hidden: [] },
};

/** Content that cannot be compared at the moment may be behind or different, so `behind` and `differs` are frozen. */
function contentConditions(node: FeedNode, at: string): NodeCondition[] {
  const { state, freshness, behind_since, content_since = at } = node;
  const { current, hidden } = contentEvents[state];
  const isUnknown = state === "online" && freshness === "unknown";
  return [
    ...(current === undefined
      ? []
      : [[current, current === "behind" ? (behind_since ?? at) : content_since] as const]),
    ...(isUnknown ? contentEvents.wrong.hidden : hidden).map((event) => [event, at, true] as const),
  ];
}

/**
 * Returns a condition for each target with tags that were rewritten since the last notification about the target or, if
 * there was none, in this run. A target is skipped for a day after a notification, and while one is pending. The event
 * never ends. The condition is about the primary mirror or, if there is none, about all mirrors.
 */
function rewrittenTags(before: NotifiedFeed | undefined, after: NotifiedFeed): Condition[] {
  const at = Date.parse(after.run.generated_at);
  const known = new Map(targetsOf(before?.systems ?? []).map(({ place, reference }) => [place, reference]));
  const { events, outbox } = after.notifications ?? noNotifications;
  const waiting = new Set(Object.values(outbox).flatMap((message) => message.events));
  const told = new Map(
    Object.entries(events).flatMap(([id, { event, place, decided = at }]) =>
      event === "rewritten" ? [[place, waiting.has(id) ? at : decided]] : [],
    ),
  );
  return targetsOf(after.systems).flatMap(({ place, nodes, reference }): Condition[] => {
    const last = told.get(place);
    if (last !== undefined && at - last < dayMs) return [];
    const isNew = (tag: RewrittenTag): boolean =>
      last === undefined
        ? known.get(place)?.rewritten.some((one) => one.at === tag.at && one.tag === tag.tag) !== true
        : Date.parse(tag.at) > last;
    const since = reference?.rewritten
      .filter(isNew)
      .map((tag) => tag.at)
      .sort()[0];
    if (since === undefined) return [];
    const primary = nodes.filter((node) => node.primary);
    const members = primary.length > 0 ? primary : nodes;
    return [{ event: "rewritten", place, nodes: members.map((node) => conditionNode(node, since)) }];
  });
}

/** A condition as one channel sees it. */
export interface Receiver {
  /** The first rule whose delay is over for at least one mirror. Undefined if there is none. */
  readonly rule?: string;
  /** All mirrors that meet the condition. */
  readonly nodes: readonly ConditionNode[];
  /** The mirrors for which the delay of `rule` is over. Empty if there is no rule. */
  readonly due: readonly ConditionNode[];
}

/**
 * Returns a receiver for each channel that a rule notifies about a condition, even if no rule's delay is over yet. `at`
 * is in epoch milliseconds.
 */
export function receiversOf(
  rules: readonly NotifyRule[],
  { event, nodes }: Condition,
  at: number,
): Map<string, Receiver> {
  const receivers = new Map<string, Receiver>();
  for (const rule of rules) {
    if (!rule.events.has(event)) continue;
    // A rewritten tag has no duration, so there is no delay to wait for.
    const after = event === "rewritten" ? 0 : rule.afterMs(event);
    const begun = nodes
      .map((one) =>
        event === "certificate" ? { ...one, since: expiresSoonSince(one.since, rule.certificateDays) } : one,
      )
      .filter(({ since }) => since <= at);
    const byChannel = group(
      begun.flatMap((one) => channelsOf(rule, one.node).map((channel) => [channel, one] as const)),
    );
    for (const [channel, matching] of byChannel) {
      const receiver = receivers.get(channel);
      if (receiver?.rule !== undefined) continue;
      const due = matching.filter(({ since, isFrozen }) => !isFrozen && at - since >= after);
      receivers.set(channel, {
        ...(due.length > 0 && { rule: rule.name }),
        nodes: [...(receiver?.nodes ?? []), ...matching],
        due,
      });
    }
  }
  return receivers;
}

/**
 * Returns the channels that a rule notifies about a mirror or, if `node` is undefined, about the whole feed. In a
 * rule's `to`, the name `contact` stands for the mirror's contact.
 */
export function channelsOf({ scope, to }: NotifyRule, node: FeedNode | undefined): string[] {
  // A rule with a scope never concerns the whole feed.
  if (scope !== undefined && (node === undefined || !isInScope(scope, node))) return [];
  return [...new Set(to.flatMap((name) => (name === contactName ? (node?.contact ?? []) : name)))];
}

/**
 * Returns the start of the first UTC day on which fewer than `days` days are left until `expiry`. The pages count days
 * in the same way.
 */
function expiresSoonSince(expiry: number, days: number): number {
  return Math.floor((expiry - days * dayMs) / dayMs) * dayMs + dayMs;
}
