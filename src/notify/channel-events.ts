import type { Node } from "../config/nodes.ts";
import { contactName, type EventName, eventNames, type NotifyRule } from "../config/notify.ts";
import type { Notifications, NotifiedEvent, State, WaitingMessage } from "../state/schema.ts";
import { isReceiver } from "./receivers.ts";

/** An event with the mirrors that a channel hears of. */
export interface ChannelEvent {
  readonly id: string;
  readonly name: EventName;
  readonly phase: WaitingMessage["phase"];
  readonly record: NotifiedEvent;
  /** The rule that it began by, and the digest that it began in, if it did in one. */
  readonly rule: string;
  readonly digest: string | undefined;
  /** Whether the channel gets it only as the contact of these mirrors. */
  readonly isForContact: boolean;
  readonly nodes: readonly Node[];
  /** The ids of mirrors that are no longer in mirrors.json. Only an event that is over has some. */
  readonly gone: readonly number[];
}

/**
 * Returns the events of a message of which something is left for its channel. Rules and mirrors may have been removed since
 * the message was decided: then nothing of them begins. What began ends nevertheless.
 */
export function eventsFor(
  { channel, events, phase }: WaitingMessage,
  notifications: Notifications,
  rules: readonly NotifyRule[],
  nodes: readonly Node[],
  state: State,
): ChannelEvent[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return events.flatMap((id): ChannelEvent[] => {
    const record = notifications.events[id];
    const name = eventNames.find((known) => known === record?.event);
    const receiver = record?.to[channel];
    if (record === undefined || name === undefined || receiver === undefined) return [];
    const { rule, digest } = receiver;
    const relevant = rules.filter(({ events: own }) => own.has(name));
    const known = record.nodes.flatMap((node) => byId.get(node) ?? []);
    const own = known.filter((node) => relevant.some((one) => isReceiver(one, channel, node)));
    const isFeedSent = name === "feed" && relevant.some((one) => isReceiver(one, channel, undefined));
    if (phase !== "end" && own.length === 0 && !isFeedSent) return [];
    const direct = relevant.map(withoutContact);
    const isForContact =
      own.length > 0 && !own.some((node) => direct.some((one) => isReceiver(one, channel, node)));
    // A message may wait for days, and some mirrors are back by then.
    const offline =
      name === "offline" && phase === "begin" ? own.filter((one) => state.nodes[one.id]?.status !== 1) : [];
    const shown = offline.length > 0 ? offline : own;
    const gone = phase === "end" && !isForContact ? record.nodes.filter((node) => !byId.has(node)) : [];
    return [{ id, name, phase, record, rule, digest, isForContact, nodes: shown, gone }];
  });
}

function withoutContact(rule: NotifyRule): NotifyRule {
  return { ...rule, to: rule.to.filter((name) => name !== contactName) };
}
