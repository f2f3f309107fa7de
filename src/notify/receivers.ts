import type { NetworkNode } from "../config/nodes.ts";
import { contactName, type NotifyRule } from "../config/notify.ts";
import { isNamedBy } from "../state/maintenance.ts";
import { group } from "../text/group.ts";
import { certificateSince, type Condition, type ConditionNode } from "./conditions.ts";

/** What a condition is for a channel. It lasts for every channel that has one. */
export interface Receiver {
  /** The first rule that has waited long enough for a mirror. Undefined if none has. */
  readonly rule?: string;
  /** The mirrors of which that is true, and since when. Empty without a rule. */
  readonly due: readonly DueNode[];
  /** The mirrors of the channel that have come back since the last run. */
  readonly left: readonly NetworkNode[];
}

interface DueNode {
  readonly node: NetworkNode | undefined;
  readonly since: number;
  /** Whether the rule had not waited long enough in the last run. */
  readonly isNew: boolean;
}

/** The times of this run and of the last one, in epoch milliseconds. */
export interface RunTimes {
  readonly at: number;
  readonly lastRun: number;
}

/** Returns the channels that rules name for a condition, which lasts for them, by name. */
export function receiversOf(
  rules: readonly NotifyRule[],
  { event, nodes, left: back = [] }: Condition,
  { at, lastRun }: RunTimes,
): Map<string, Receiver> {
  const receivers = new Map<string, Receiver>();
  for (const rule of rules) {
    if (!rule.events.has(event)) continue;
    const after = rule.afterMs(event);
    const begun = nodes
      .map((one) =>
        event === "certificate" ? { ...one, since: certificateSince(one.since, rule.certificateDays) } : one,
      )
      .filter(({ since }) => since <= at);
    for (const [channel, own] of byChannel(rule, begun, ({ node }) => node)) {
      const known = receivers.get(channel);
      const due = own
        .filter(({ since, isFrozen }) => !isFrozen && at - since >= after)
        .map(({ node, since }) => ({ node, since, isNew: lastRun - since < after }));
      const { left = [] } = known ?? {};
      if (known?.rule === undefined)
        receivers.set(channel, due.length > 0 ? { rule: rule.name, due, left } : { due, left });
    }
    for (const [channel, own] of byChannel(rule, back, (node) => node)) {
      const known = receivers.get(channel);
      if (known !== undefined) receivers.set(channel, { ...known, left: [...known.left, ...own] });
    }
  }
  return receivers;
}

/** Returns whether a rule tells a channel of a mirror, by the channel's own name or as its contact. */
export function isReceiver(rule: NotifyRule, channel: string, node: NetworkNode | undefined): boolean {
  if (!isAbout(rule, node)) return false;
  return rule.to.includes(channel) || (rule.to.includes(contactName) && node?.contact === channel);
}

function byChannel<One extends ConditionNode | NetworkNode>(
  rule: NotifyRule,
  all: readonly One[],
  nodeOf: (one: One) => NetworkNode | undefined,
): Map<string, One[]> {
  return group(
    all.flatMap((one) => {
      const node = nodeOf(one);
      if (!isAbout(rule, node)) return [];
      const contact = rule.to.includes(contactName) && node?.contact !== undefined ? [node.contact] : [];
      const channels = new Set([...rule.to.filter((name) => name !== contactName), ...contact]);
      return [...channels].map((channel) => [channel, one] as const);
    }),
  );
}

/** A rule with a place is not about the whole feed. */
function isAbout({ at }: NotifyRule, node: NetworkNode | undefined): boolean {
  return at === undefined || (node !== undefined && isNamedBy(at, node));
}
