import { hash } from "node:crypto";
import { group } from "../../core/base/text/group.ts";
import { giveUp, hourMs, inOrder, isHourOver, isUrgent, setReceiver } from "./outbox.ts";
import { eventsKept, messagesKept, type Notifications, type WaitingMessage } from "./notifications.ts";

/**
 * How many separate messages of the same phase a run sends to a channel. If there would be more, the run sends one
 * digest instead. For events that are not urgent, a channel also gets at most this many messages in an hour.
 */
export const messagesPerHour = 10;

/** An event that begins or ends for a channel. `rule` is set only if the event begins. */
export interface Decision {
  readonly phase: WaitingMessage["phase"];
  readonly channel: string;
  readonly event: string;
  readonly rule?: string | undefined;
}

/**
 * Adds the messages for these decisions. Events that are not urgent and exceed the hourly limit wait for a digest at
 * the end of the hour. If more than `messagesKept` messages about events that are not urgent are pending, the oldest
 * are given up.
 */
export function addMessages(known: Notifications, decisions: readonly Decision[], at: number): Notifications {
  const events = { ...known.events };
  const outbox = { ...known.outbox };
  const hours = new Map(Object.entries(known.hours ?? {}));
  const isUrgentEvent = (id: string): boolean => isUrgent(events[id] ?? { event: "" });

  const put = (all: readonly Decision[], { channel, phase }: Decision, next?: number): void => {
    const added = all.map(({ event }) => event);
    const [id, held] = (next === undefined ? undefined : heldDigest(outbox, channel, phase)) ?? [
      idOf([phase, channel, at, added.sort()]),
      undefined,
    ];
    const ids = [...(held?.events ?? []), ...added].sort();
    outbox[id] = { ...held, channel, phase, events: ids, at, ...(next !== undefined && { next }) };
    const isDigest = next !== undefined || ids.length > 1;
    for (const { event, rule } of all) {
      if (rule === undefined) continue;
      setReceiver(events, event, channel, {
        ...events[event]?.to[channel],
        rule,
        digest: isDigest ? id : undefined,
      });
    }
  };

  const byReceiver = group(
    decisions.map((one) => [`${one.phase} ${one.channel} ${isUrgentEvent(one.event)}`, one]),
  );
  for (const all of byReceiver.values()) {
    const [first] = all;
    if (isUrgentEvent(first.event)) {
      if (all.length <= messagesPerHour) for (const one of all) put([one], one);
      else
        for (let start = 0; start < all.length; start += eventsKept)
          put(all.slice(start, start + eventsKept), first);
      continue;
    }
    const { channel } = first;
    const [start, count] = hours.get(channel) ?? [at, 0];
    const [begun, counted] = isHourOver(start, at) ? [at, 0] : [start, count];
    // Pending messages count as well, so that a channel that was unreachable for days is not flooded afterwards.
    const waiting = Object.values(outbox).filter(
      (message) => message.channel === channel && !message.events.some(isUrgentEvent),
    );
    const spent = Math.min(messagesPerHour, Math.max(counted, waiting.length));
    if (spent + all.length <= messagesPerHour) {
      for (const one of all) put([one], one);
      hours.set(channel, [begun, spent + all.length]);
    } else if (spent < messagesPerHour) {
      put(all, first);
      hours.set(channel, [begun, messagesPerHour]);
    } else {
      // The limit of this hour is used up, so these events wait for a digest at the end of the hour. The digest also
      // uses up the limit of the next hour.
      const next = heldDigest(outbox, channel)?.[1].next ?? begun + hourMs;
      put(all, first, next);
      hours.set(channel, [next, messagesPerHour]);
    }
  }
  const all = { ...known, events, outbox, ...(hours.size > 0 && { hours: Object.fromEntries(hours) }) };
  const notUrgent = inOrder(all).flatMap(([id, message]) => (message.events.some(isUrgentEvent) ? [] : [id]));
  return giveUp(all, notUrgent.slice(0, -messagesKept), at);
}

/**
 * Finds a channel's digest that waits for the end of the hour. If `phase` is given, finds only a digest of that phase.
 */
function heldDigest(
  outbox: Notifications["outbox"],
  channel: string,
  phase?: WaitingMessage["phase"],
): [id: string, message: WaitingMessage] | undefined {
  return Object.entries(outbox).find(
    ([, message]) =>
      message.channel === channel &&
      message.phase === (phase ?? message.phase) &&
      message.attempts === undefined &&
      message.next !== undefined,
  );
}

export function idOf(values: readonly unknown[]): string {
  return hash("sha256", JSON.stringify(values)).slice(0, 16);
}
