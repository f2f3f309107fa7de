import { dayMs } from "../../core/base/text/duration.ts";
import { group } from "../../core/base/text/group.ts";
import { contactName, type EventName, type NotifyRule } from "../../core/config/notify-rules.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { isInScope } from "../../core/feed/incidents.ts";
import type { Condition } from "./conditions.ts";

/** What the rules say about an event and a channel. */
export interface Want {
  /** The conditions that concern the channel, one for each mirror. */
  readonly begun: readonly [Condition, ...Condition[]];
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
  [first, ...others]: readonly [Condition, ...Condition[]],
  at: number,
): Map<string, Want> {
  const { event, outages = [] } = first;
  const begun = rules.flatMap((rule) =>
    (rule.events.has(event) ? [first, ...others] : [])
      .map((one) => ({ ...one, rule, since: beginOf(one, rule) }))
      .filter(({ since }) => since <= at)
      .flatMap((one) => channelsOf(rule, one.node).map((channel) => [channel, one] as const)),
  );
  const wants = [...group(begun)].map(([channel, own]): [string, Want] => {
    const isConcerned = (node: FeedNode) => rulesFor(rules, event, channel, node).length > 0;
    const { since, outage } = outageOf(outages, own, isConcerned);
    const due = own.filter(({ rule, isFrozen }) => !isFrozen && at - since >= rule.afterMs(event));
    return [channel, { begun: own, due, rule: due[0]?.rule.name, since, outage }];
  });
  return new Map(wants);
}

/**
 * Returns when a condition begins for a rule. For a certificate, that is the first UTC day on which fewer than
 * `certificateDays` days are left. The pages count days in the same way.
 */
function beginOf({ event, since }: Condition, { certificateDays }: NotifyRule): number {
  if (event !== "certificate") return since;
  return Math.floor((since - certificateDays * dayMs) / dayMs) * dayMs + dayMs;
}

/**
 * Returns when the outage of these mirrors began. Mirrors that fail in turns count as one outage: if one was back in
 * the run in which the next failed, its outage belongs to it.
 */
function outageOf(
  outages: NonNullable<Condition["outages"]>,
  open: readonly Condition[],
  isConcerned: (node: FeedNode) => boolean,
): Pick<Want, "since" | "outage"> {
  let since = open.reduce((earliest, one) => Math.min(earliest, one.since), Infinity);
  const outage = new Set(open.flatMap(({ node }) => node?.id ?? []));
  const ended = outages
    .flatMap(({ node, from, to }) => (to === undefined || !isConcerned(node) ? [] : [{ node, from, to }]))
    .sort((one, other) => (one.to < other.to ? 1 : -1));
  for (const { node, from, to } of ended) {
    if (Date.parse(to) < since) break;
    since = Math.min(since, Date.parse(from));
    outage.add(node.id);
  }
  return { since, outage };
}
