import { dayMs } from "../../core/base/text/duration.ts";
import { group } from "../../core/base/text/group.ts";
import { contactName, type EventName, type NotifyRule } from "../../core/config/notify-rules.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { isInScope } from "../../core/feed/incidents.ts";
import type { Condition } from "./conditions.ts";

/** What the rules say about an event and a channel. */
export interface Want {
  /** The conditions that concern the channel, by mirror and rule, with outages that have ended. */
  readonly concerned: readonly [Condition, ...Condition[]];
  /** Those of them that the channel is to be told about. */
  readonly due: readonly Condition[];
  /** The first rule by which a mirror is due, if any is. */
  readonly rule: string | undefined;
  readonly since: number;
  /** The ids of the mirrors whose outages in a row make up this one. */
  readonly outage: ReadonlySet<number>;
}

/**
 * Returns the channels that a rule notifies about a mirror or, if `node` is undefined, about the whole feed. In a
 * rule's `to`, the name `contact` means the mirror's contact.
 */
function channelsOf({ scope, to }: NotifyRule, node: FeedNode | undefined): readonly string[] {
  // A rule with a scope never concerns the whole feed.
  if (scope !== undefined && (node === undefined || !isInScope(scope, node))) return [];
  if (!to.includes(contactName)) return to;
  return [...new Set(to.flatMap((name) => (name === contactName ? (node?.contact ?? []) : name)))];
}

/** Returns the rules that notify a channel about an event of a mirror or, if `node` is undefined, of the feed. */
export function rulesFor(
  rules: readonly NotifyRule[],
  event: EventName,
  channel: string,
  node: FeedNode | undefined,
): NotifyRule[] {
  return rules.filter((rule) => rule.events.has(event) && channelsOf(rule, node).includes(channel));
}

/** Returns who is to be told at `at` about conditions of the same event and subject, by channel. */
export function wantsOf(
  rules: readonly NotifyRule[],
  conditions: readonly Condition[],
  at: number,
): Map<string, Want> {
  const concerned = rules.flatMap((rule) =>
    conditions
      .filter(({ event }) => rule.events.has(event))
      .flatMap((one) => channelsOf(rule, one.node).map((channel) => [channel, { ...one, rule }] as const)),
  );
  const wants = [...group(concerned)].map(([channel, own]): [string, Want] => {
    const { since, outage } = outageOf(own);
    const due = own.filter(
      ({ rule, event, isFrozen, to }) => to === undefined && !isFrozen && dueAt(rule, event, since) <= at,
    );
    return [channel, { concerned: own, due, rule: due[0]?.rule.name, since, outage }];
  });
  return new Map(wants);
}

/**
 * Returns when a rule reports what has been so since `since`. The `since` of a certificate is its expiry, and its event
 * begins on the first UTC day on which fewer than `certificateDays` days are left. The pages count days in the same way.
 */
export function dueAt(rule: NotifyRule, event: EventName, since: number): number {
  const daysBefore = (Math.floor(since / dayMs) + 1 - rule.certificateDays) * dayMs;
  return (event === "certificate" ? daysBefore : since) + rule.afterMs(event);
}

/**
 * Returns when the outage of these mirrors began. Mirrors that fail in turns count as one outage: if one was back in
 * the run in which the next failed, its outage belongs to it.
 */
function outageOf(conditions: readonly Condition[]): Pick<Want, "since" | "outage"> {
  const lasting = Number.MAX_VALUE;
  const newestFirst = conditions.toSorted(({ to: one = lasting }, { to: other = lasting }) => other - one);
  let since = lasting;
  const outage = new Set<number>();
  for (const { node, since: from, to = lasting } of newestFirst) {
    if (to < since) break;
    since = Math.min(since, from);
    if (node !== undefined) outage.add(node.id);
  }
  return { since, outage };
}
