import { dayMs } from "../../core/base/text/duration.ts";
import { group } from "../../core/base/text/group.ts";
import { contactName, type NotifyRule } from "../../core/config/notify-rules.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { isInScope } from "../../core/feed/incidents.ts";
import type { Condition, ConditionNode } from "./conditions.ts";

/** What the rules say about a condition and a channel. */
export interface Want {
  readonly condition: Condition;
  /** The first rule whose delay is over, or undefined if there is none. */
  readonly rule: string | undefined;
  /** The mirrors that concern the channel. */
  readonly nodes: readonly ConditionNode[];
  /** Those of them that the channel is to be told about. */
  readonly due: readonly ConditionNode[];
  readonly since: number;
  /** The ids of the mirrors whose outages in a row make up this one. */
  readonly outage: ReadonlySet<number>;
}

/**
 * Returns the channels that a rule notifies about a mirror or, if `node` is undefined, about the whole feed. In a
 * rule's `to`, the name `contact` means the mirror's contact.
 */
export function channelsOf({ scope, to }: NotifyRule, node: FeedNode | undefined): readonly string[] {
  // A rule with a scope never concerns the whole feed.
  if (scope !== undefined && (node === undefined || !isInScope(scope, node))) return [];
  if (!to.includes(contactName)) return to;
  return [...new Set(to.flatMap((name) => (name === contactName ? (node?.contact ?? []) : name)))];
}

/** Returns who is to be told about a condition at `at`, by channel. */
export function wantsOf(rules: readonly NotifyRule[], condition: Condition, at: number): Map<string, Want> {
  const wants = new Map<string, Want>();
  for (const rule of rules) {
    if (!rule.events.has(condition.event)) continue;
    const begun = condition.nodes
      .map((one) => ({ ...one, since: beginOf(condition, one, rule) }))
      .filter(({ since }) => since <= at);
    const byChannel = group(
      begun.flatMap((one) => channelsOf(rule, one.node).map((channel) => [channel, one] as const)),
    );
    for (const [channel, own] of byChannel) {
      const want = wants.get(channel);
      if (want?.rule !== undefined) continue;
      const outage = outageOf(condition, own, (node) => channelsOf(rule, node).includes(channel));
      const isOver = at - outage.since >= rule.afterMs(condition.event);
      const due = isOver ? own.filter(({ isFrozen }) => !isFrozen) : [];
      wants.set(channel, {
        condition,
        rule: due.length > 0 ? rule.name : undefined,
        nodes: [...(want?.nodes ?? []), ...own],
        due,
        since: outage.since,
        outage: new Set([...(want?.outage ?? []), ...outage.nodes]),
      });
    }
  }
  return wants;
}

function beginOf({ event }: Condition, { since }: ConditionNode, { certificateDays }: NotifyRule): number {
  return event === "certificate" ? expiresSoonSince(since, certificateDays) : since;
}

/**
 * Returns the start of the first UTC day on which fewer than `days` days are left until `expiry`. The pages count days
 * in the same way.
 */
function expiresSoonSince(expiry: number, days: number): number {
  return Math.floor((expiry - days * dayMs) / dayMs) * dayMs + dayMs;
}

/**
 * Returns when the outage of these mirrors began. Mirrors that fail in turns count as one outage: if one was back in
 * the run in which the next failed, its outage belongs to it.
 */
function outageOf(
  { outages = [] }: Condition,
  open: readonly ConditionNode[],
  isConcerned: (node: FeedNode) => boolean,
): { readonly since: number; readonly nodes: ReadonlySet<number> } {
  let since = open.reduce((earliest, one) => Math.min(earliest, one.since), Infinity);
  const nodes = new Set(open.flatMap(({ node }) => node?.id ?? []));
  const ended = outages
    .flatMap(({ node, from, to }) => (to === undefined || !isConcerned(node) ? [] : [{ node, from, to }]))
    .sort((one, other) => (one.to < other.to ? 1 : -1));
  for (const { node, from, to } of ended) {
    if (Date.parse(to) < since) break;
    since = Math.min(since, Date.parse(from));
    nodes.add(node.id);
  }
  return { since, nodes };
}
