import { dayMs } from "../../core/base/text/time.ts";
import { group } from "../../core/base/text/group.ts";
import { contactName, type EventName, type NotifyRule } from "../../core/config/notify-rules.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { isInScope } from "../../core/feed/incidents.ts";
import type { Condition } from "./conditions.ts";

/** An event that rules notify a channel about. */
export type Want = Readonly<ReturnType<typeof wantOf>>;

/** Returns the channels that a rule notifies about a mirror or, if `node` is undefined, about the whole feed. */
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

/** Returns what each channel wants to know of conditions with the same event and subject. */
export function wantsOf(
  rules: readonly NotifyRule[],
  conditions: readonly Condition[],
): (readonly [channel: string, want: Want])[] {
  const concerned = rules.flatMap((rule) =>
    conditions
      .filter(({ event }) => rule.events.has(event))
      .flatMap((one) => channelsOf(rule, one.node).map((channel) => [channel, { ...one, rule }] as const)),
  );
  return [...group(concerned)].map(([channel, own]) => [channel, wantOf(own)] as const);
}

/**
 * Returns when a rule reports what has been so since `since`. The `since` of a certificate is its expiry, and its event
 * begins on the first UTC day on which fewer than `certificateDays` days are left. The pages count days in the same way.
 */
export function dueAt(rule: NotifyRule, event: EventName, since: number): number {
  const daysBefore = (Math.floor(since / dayMs) + 1 - rule.certificateDays) * dayMs;
  return (event === "certificate" ? daysBefore : since) + rule.afterMs(event);
}

type Concern = Condition & { readonly rule: NotifyRule };

/**
 * Mirrors that fail in turns count as one outage: if one was back in the run in which the next failed, its outage
 * belongs to it.
 */
function wantOf(conditions: readonly [Concern, ...Concern[]]) {
  const [{ event, subject }] = conditions;
  const lasting = Number.MAX_VALUE;
  const newestFirst = conditions.toSorted(({ to: one = lasting }, { to: other = lasting }) => other - one);
  let since = lasting;
  const outage = new Set<number>();
  for (const { node, since: from, to = lasting } of newestFirst) {
    if (to < since) break;
    since = Math.min(since, from);
    if (node !== undefined) outage.add(node.id);
  }
  return {
    event,
    subject,
    since,
    /** The ids of the mirrors whose outages in a row make up this one. */
    outage,
    /** What is so, by mirror and rule. */
    lasting: conditions.filter(({ isFrozen, to }) => !isFrozen && to === undefined),
  };
}
