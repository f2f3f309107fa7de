import { group } from "../base/text/group.ts";
import {
  contactName,
  dayMs,
  type EventName,
  type Feed,
  type FeedNode,
  isContentCode,
  type MirrorState,
  nodesOf,
  type NotifiedEvent,
  type NotifyRule,
  type RewrittenTag,
  targetsOf,
} from "../feed/feed.ts";
import { isInScope } from "../feed/incidents.ts";
import { noNotifications } from "./outbox.ts";

export interface ConditionNode {
  /** Undefined stands for the whole feed. */
  readonly node: FeedNode | undefined;
  /** Since when it holds, in epoch milliseconds. For a certificate: when it expires. */
  readonly since: number;
  /** In maintenance, or if it is unknown whether it is still so: nothing begins and nothing ends. */
  readonly isFrozen: boolean;
}

/** Something that is so now, and that a rule can be about. */
export interface Condition {
  readonly event: EventName;
  readonly incident?: string | undefined;
  readonly place?: string | undefined;
  readonly host?: string | undefined;
  readonly nodes: readonly ConditionNode[];
}

/** Returns the key that a condition and its event share as long as it lasts. `node` is the id of its first mirror. */
export function conditionKey(
  { event, incident, place, host }: Pick<NotifiedEvent, "event" | "incident" | "place" | "host">,
  node: number | undefined,
): string {
  return JSON.stringify([event, incident ?? place ?? host ?? node ?? null]);
}

/**
 * Returns all that is so in a feed after a run, except for its age. Every mirror has the condition of its certificate,
 * whose time is its expiry.
 */
export function conditionsOf(before: Feed | undefined, after: Feed): Condition[] {
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
      // A mirror that was never online has no incident, nor has one that went offline before there were any.
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

/** While its host is not checked, or is offline, a family may be as it was. */
function unreachableFamilies(nodes: readonly FeedNode[]): Condition[] {
  const byHost = group(nodes.map((node) => [node.host, node] as const));
  return [...byHost].flatMap(([host, own]) =>
    (["ipv4", "ipv6"] as const).flatMap((family): Condition[] => {
      const since = own[0].family_outages[family];
      if (since === undefined) return [];
      const members = own.map((node) => conditionNode(node, since, node.families === undefined));
      return [{ event: `${family}_unreachable`, host, nodes: members }];
    }),
  );
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

type ContentEvent = "wrong_content" | "differs" | "behind";

/**
 * What a state says of the events of the content: the one that is so, and those that it hides, which neither begin nor
 * end. The others are over.
 */
const contentEvents: Readonly<
  Record<MirrorState, { readonly current?: ContentEvent; readonly hidden: readonly ContentEvent[] }>
> = {
  offline: { hidden: ["wrong_content", "differs", "behind"] },
  // A mirror that is half synced for an hour may have been behind all the time.
  wrong: { current: "wrong_content", hidden: ["differs", "behind"] },
  differs: { current: "differs", hidden: [] },
  behind: { current: "behind", hidden: [] },
  maintenance: { hidden: ["wrong_content", "differs", "behind"] },
  unknown: { hidden: ["wrong_content", "differs", "behind"] },
  online: { hidden: [] },
};

/** Content that cannot be compared at the moment may still be behind or different. */
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
 * Returns the targets of which tags were rewritten in this run, an event that has no end, or since the last message
 * about them, which is a day old and was sent. They are about the primary mirror, or all of a target without one.
 */
function rewrittenTags(before: Feed | undefined, after: Feed): Condition[] {
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

/** What a condition is for a channel. It lasts for every channel that has one. */
export interface Receiver {
  /** The first rule that has waited long enough for a mirror. Undefined if none has. */
  readonly rule?: string;
  /** The mirrors that meet the condition. */
  readonly nodes: readonly ConditionNode[];
  /** Those that have waited long enough. Empty without a rule. */
  readonly due: readonly ConditionNode[];
}

/**
 * Returns the channels that rules name for a condition at a time (epoch milliseconds), by name. It lasts for all of
 * them.
 */
export function receiversOf(
  rules: readonly NotifyRule[],
  { event, nodes }: Condition,
  at: number,
): Map<string, Receiver> {
  const receivers = new Map<string, Receiver>();
  for (const rule of rules) {
    if (!rule.events.has(event)) continue;
    // A rewritten tag has no duration, so nothing can wait for it to last.
    const after = event === "rewritten" ? 0 : rule.afterMs(event);
    const begun = nodes
      .map((one) =>
        event === "certificate" ? { ...one, since: expiresSoonSince(one.since, rule.certificateDays) } : one,
      )
      .filter(({ since }) => since <= at);
    const byChannel = group(
      begun.flatMap((one) => channelsOf(rule, one.node).map((channel) => [channel, one] as const)),
    );
    for (const [channel, own] of byChannel) {
      const known = receivers.get(channel);
      if (known?.rule !== undefined) continue;
      const due = own.filter(({ since, isFrozen }) => !isFrozen && at - since >= after);
      receivers.set(channel, {
        ...(due.length > 0 && { rule: rule.name }),
        nodes: [...(known?.nodes ?? []), ...own],
        due,
      });
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
