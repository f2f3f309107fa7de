import type { Delivery } from "../channels/channel.ts";
import { dayMs, type Notifications, type NotifiedEvent, type WaitingMessage } from "../feed/feed.ts";

const firstWaitMs = 5 * 60_000;
const maxWaitMs = dayMs;
export const maxAttempts = 10;

const droppedKeptMs = 7 * dayMs;

export const noNotifications: Notifications = { events: {}, outbox: {} };

type Waiting = [id: string, message: WaitingMessage];

export function inOrder({ outbox }: Notifications): Waiting[] {
  return Object.entries(outbox).sort(
    ([id, one], [otherId, other]) =>
      one.at - other.at ||
      Number(one.phase === "end") - Number(other.phase === "end") ||
      (id < otherId ? -1 : 1),
  );
}

/**
 * Returns the messages that may be sent at a time (epoch milliseconds), in their order. One that failed waits, and so do those
 * that were decided after it for the same channel and event. They are due once it is marked.
 */
export function dueMessages(notifications: Notifications, now: number): Waiting[] {
  const earlier = new Set<string>();
  return inOrder(notifications).filter(([, { channel, events, next }]) => {
    const subjects = events.map((event) => receiverKey(event, channel));
    const isFirst = subjects.every((subject) => !earlier.has(subject));
    for (const subject of subjects) earlier.add(subject);
    // A time further ahead than any wait comes from a wrong clock.
    return isFirst && (next === undefined || next <= now || next > now + maxWaitMs);
  });
}

/**
 * Returns the notifications after an attempt at a time (epoch milliseconds): a failed message is tried again later, and any
 * other is done with. One that is no longer there changes nothing.
 */
export function mark(
  notifications: Notifications,
  id: string,
  delivery: Delivery,
  now: number,
): Notifications {
  const message = notifications.outbox[id];
  if (message === undefined) return notifications;
  if (delivery.outcome === "sent") return withoutMessage(notifications, id);
  const attempts = (message.attempts ?? 0) + 1;
  if (delivery.outcome === "refused" || attempts >= maxAttempts) return giveUp(notifications, [id], now);
  const { retryAfterMs = 0 } = delivery;
  const wait = Math.min(maxWaitMs, Math.max(retryAfterMs, firstWaitMs * 2 ** (attempts - 1)));
  const waiting = { ...message, attempts, next: now + wait };
  return { ...notifications, outbox: { ...notifications.outbox, [id]: waiting } };
}

/** Returns the notifications without a message, and without the events that it was the last one of. */
function withoutMessage(notifications: Notifications, id: string): Notifications {
  const { [id]: message, ...outbox } = notifications.outbox;
  if (message === undefined) return notifications;
  const said = new Set(message.events);
  const events = withReceivers(
    notifications.events,
    (channel, event, { event: name }) =>
      channel !== message.channel || !said.has(event) || (message.phase === "begin" && name !== "rewritten"),
  );
  return { ...notifications, events, outbox };
}

/** Returns the notifications without messages that were given up at a time, and with their number. */
export function giveUp(notifications: Notifications, ids: readonly string[], at: number): Notifications {
  if (ids.length === 0) return notifications;
  const [count] = notifications.dropped ?? [0];
  return { ...ids.reduce(withoutMessage, notifications), dropped: [count + ids.length, at] };
}

/** Returns the notifications without the number of messages that were given up long ago. */
export function withoutOldDropped({ dropped: known, ...rest }: Notifications, at: number): Notifications {
  return known === undefined || at - known[1] >= droppedKeptMs ? rest : { ...rest, dropped: known };
}

/** Returns the notifications without what belongs to channels that mirrors.json no longer has. */
export function withoutRemovedChannels(
  { events, outbox, ...rest }: Notifications,
  channels: Readonly<Record<string, unknown>>,
): Notifications {
  const isKept = (channel: string): boolean => Object.hasOwn(channels, channel);
  const messages = Object.entries(outbox).filter(([, { channel }]) => isKept(channel));
  return { ...rest, events: withReceivers(events, isKept), outbox: Object.fromEntries(messages) };
}

/** Returns the events with these receivers only, without those that have none. */
function withReceivers(
  events: Notifications["events"],
  isReceiver: (channel: string, id: string, event: NotifiedEvent) => boolean,
): Notifications["events"] {
  const left = Object.entries(events).flatMap(([id, event]) => {
    const to = Object.entries(event.to).filter(([channel]) => isReceiver(channel, id, event));
    return to.length === 0 ? [] : [[id, { ...event, to: Object.fromEntries(to) }] as const];
  });
  return Object.fromEntries(left);
}

/** Returns the events and channels, by `receiverKey`, whose end waits to be sent. */
export function endedReceivers({ outbox }: Notifications): Set<string> {
  const ends = Object.values(outbox).filter(({ phase }) => phase === "end");
  return new Set(ends.flatMap(({ channel, events }) => events.map((event) => receiverKey(event, channel))));
}

/** Returns the key of an event as a channel knows it. */
export function receiverKey(event: string, channel: string): string {
  return `${event} ${channel}`;
}
