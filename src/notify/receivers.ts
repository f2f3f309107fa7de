import type { Node } from "../config/nodes.ts";
import { contactName, type NotifyRule } from "../config/notify.ts";
import { isNamedBy } from "../state/maintenance.ts";
import { group } from "../base/text/group.ts";
import { certificateSince, type Condition, type ConditionNode } from "./conditions.ts";

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
        event === "certificate" ? { ...one, since: certificateSince(one.since, rule.certificateDays) } : one,
      )
      .filter(({ since }) => since <= at);
    for (const [channel, own] of byChannel(rule, begun)) {
      if (receivers.get(channel)?.rule !== undefined) continue;
      const due = own.filter(({ since, isFrozen }) => !isFrozen && at - since >= after);
      receivers.set(channel, due.length > 0 ? { rule: rule.name, due } : { due });
    }
  }
  return receivers;
}

/** Returns whether a rule tells a channel of a mirror, by the channel's own name or as its contact. */
export function isReceiver(rule: NotifyRule, channel: string, node: Node | undefined): boolean {
  if (!isAbout(rule, node)) return false;
  return rule.to.includes(channel) || (rule.to.includes(contactName) && node?.contact === channel);
}

function byChannel(rule: NotifyRule, all: readonly ConditionNode[]): Map<string, ConditionNode[]> {
  return group(
    all.flatMap((one) => {
      const { node } = one;
      if (!isAbout(rule, node)) return [];
      const contact = rule.to.includes(contactName) && node?.contact !== undefined ? [node.contact] : [];
      const channels = new Set([...rule.to.filter((name) => name !== contactName), ...contact]);
      return [...channels].map((channel) => [channel, one] as const);
    }),
  );
}

/** A rule with a place is not about the whole feed. */
function isAbout({ scope }: NotifyRule, node: Node | undefined): boolean {
  return scope === undefined || (node !== undefined && isNamedBy(scope, node));
}
