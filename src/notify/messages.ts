import { hash } from "node:crypto";
import {
  messagesKept,
  type Notifications,
  type NotifiedEvent,
  type WaitingMessage,
} from "../state/schema.ts";
import { group } from "../base/text/group.ts";
import { giveUp, inOrder } from "./outbox.ts";

/** More events than this that begin or end for a channel in one run are one message. */
export const digestAbove = 10;

/** What a run decided of an event for a channel, and the rule that it begins by. */
export interface Decision {
  readonly phase: WaitingMessage["phase"];
  readonly channel: string;
  readonly event: string;
  readonly rule?: string;
}

/**
 * Returns the notifications with the messages of decisions at a time (epoch milliseconds). If more messages wait than are kept,
 * the oldest ones are given up.
 */
export function addMessages(known: Notifications, decisions: readonly Decision[], at: number): Notifications {
  const events = new Map<string, NotifiedEvent>(Object.entries(known.events));
  const outbox = new Map<string, WaitingMessage>(Object.entries(known.outbox));
  for (const group of groupByMessage(decisions)) {
    const [{ channel, phase }] = group;
    const ids = group.map(({ event }) => event).sort();
    const message = idOf([phase, channel, at, ids]);
    outbox.set(message, { channel, phase, events: ids, at });
    for (const { event: id, rule } of group) {
      const event = events.get(id);
      if (event === undefined || rule === undefined) continue;
      const receiver = ids.length > 1 ? { rule, digest: message } : { rule };
      events.set(id, { ...event, to: { ...event.to, [channel]: receiver } });
    }
  }
  const all = { ...known, events: Object.fromEntries(events), outbox: Object.fromEntries(outbox) };
  const oldest = inOrder(all).slice(0, Math.max(0, outbox.size - messagesKept));
  return giveUp(
    all,
    oldest.map(([id]) => id),
    at,
  );
}

type Group = [Decision, ...Decision[]];

/** Returns the decisions of each message: one, or all of a phase for a channel if they are many. */
function groupByMessage(decisions: readonly Decision[]): Group[] {
  const groups = group(decisions.map((decision) => [`${decision.phase} ${decision.channel}`, decision]));
  return [...groups.values()].flatMap((own): Group[] =>
    own.length > digestAbove ? [own] : own.map((decision): Group => [decision]),
  );
}

/** Returns an id in 16 hexadecimal digits, the same for the same values. */
export function idOf(values: readonly unknown[]): string {
  return hash("sha256", JSON.stringify(values)).slice(0, 16);
}
