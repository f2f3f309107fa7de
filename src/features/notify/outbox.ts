import type { Delivery } from "./channels/channel.ts";
import { dayMs } from "../../core/base/text/duration.ts";
import type { EventName } from "../../core/config/notify-rules.ts";
import type { Notifications, NotifiedEvent, WaitingMessage } from "./notifications.ts";

const firstWaitMs = 5 * 60_000;
const maxWaitMs = dayMs;
export const maxAttempts = 10;

const droppedKeptMs = 7 * dayMs;

export const noNotifications: Notifications = { events: {}, outbox: {} };

/**
 * Events that no limit delays or drops, because they say that a mirror is offline or that the feed itself has stopped.
 */
const urgentEvents: ReadonlySet<string> = new Set<EventName>(["offline", "never_online", "feed"]);

export function isUrgent({ event }: Pick<NotifiedEvent, "event">): boolean {
  return urgentEvents.has(event);
}

type Waiting = [id: string, message: WaitingMessage];

/**
 * Returns pending messages: urgent ones first, then by age, begins before ends. No message mixes urgent events with
 * others.
 */
export function inOrder({ events, outbox }: Notifications): Waiting[] {
  const canWait = ({ events: [id = ""] }: WaitingMessage): boolean => {
    const event = events[id];
    return event === undefined || !isUrgent(event);
  };
  return Object.entries(outbox).sort(
    ([id, one], [otherId, other]) =>
      Number(canWait(one)) - Number(canWait(other)) ||
      one.at - other.at ||
      Number(one.phase === "end") - Number(other.phase === "end") ||
      (id < otherId ? -1 : 1),
  );
}

/**
 * Returns the messages that can be sent now, in order. With `isRetry`, these include all messages that failed before.
 * `now` is in epoch milliseconds.
 */
export function dueMessages(notifications: Notifications, now: number, isRetry = false): Waiting[] {
  return inOrder(notifications).filter(
    ([, message]) => nextAttempt(message, now) === undefined || (isRetry && message.attempts !== undefined),
  );
}

/** Returns when to send a pending message, in epoch milliseconds. Undefined if it can be sent now. */
export function nextAttempt({ next }: WaitingMessage, now: number): number | undefined {
  // Ignore a time further ahead than the longest wait: it was set while the clock was wrong.
  return next === undefined || next <= now || next > now + maxWaitMs ? undefined : next;
}

/**
 * Records that an attempt to send these messages begins. Until `mark` records its outcome, nobody knows whether the
 * receiver has them.
 */
export function beginAttempts(notifications: Notifications, ids: readonly string[]): Notifications {
  const begun = ids.flatMap((id) => {
    const message = notifications.outbox[id];
    const attempts = Math.min(maxAttempts, (message?.attempts ?? 0) + 1);
    return message === undefined ? [] : [[id, { ...message, attempts }] as const];
  });
  return { ...notifications, outbox: { ...notifications.outbox, ...Object.fromEntries(begun) } };
}

/** Takes back `beginAttempts` for messages that were not sent after all. */
export function withoutAttempts(notifications: Notifications, ids: readonly string[]): Notifications {
  const left = ids.flatMap((id) => {
    const message = notifications.outbox[id];
    const attempts = (message?.attempts ?? 1) - 1;
    return message === undefined ? [] : [[id, { ...message, attempts: attempts || undefined }] as const];
  });
  return { ...notifications, outbox: { ...notifications.outbox, ...Object.fromEntries(left) } };
}

/**
 * Records the outcome of an attempt. A failed message is tried again later; any other is removed. An unknown id
 * changes nothing. `now` is in epoch milliseconds.
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
  const { attempts = 1 } = message;
  if (delivery.outcome === "refused" || attempts >= maxAttempts) return giveUp(notifications, [id], now);
  const { retryAfterMs = 0, mayHaveArrived = false } = delivery;
  const failures = mayHaveArrived ? message.failures : (message.failures ?? 0) + 1;
  const wait = Math.min(maxWaitMs, Math.max(retryAfterMs, firstWaitMs * 2 ** (attempts - 1)));
  const waiting = { ...message, attempts, failures, next: now + wait };
  return { ...notifications, outbox: { ...notifications.outbox, [id]: waiting } };
}

/**
 * Removes a message that was sent or given up. If it is about the end of events, also removes its channel from these
 * events. If it is about their beginning, the channel is no longer `unsure` about them.
 */
function withoutMessage(notifications: Notifications, id: string): Notifications {
  const { [id]: message, ...outbox } = notifications.outbox;
  if (message === undefined) return notifications;
  const events = { ...notifications.events };
  for (const event of message.events) {
    const receiver = receiverOf(events[event], message.channel);
    const told = receiver && message.phase === "begin" ? { ...receiver, unsure: undefined } : undefined;
    setReceiver(events, event, message.channel, told);
  }
  return { ...notifications, events, outbox };
}

type Events = Notifications["events"];
type Receiver = NotifiedEvent["to"][string];

export function receiverOf(event: NotifiedEvent | undefined, channel: string): Receiver | undefined {
  return event !== undefined && Object.hasOwn(event.to, channel) ? event.to[channel] : undefined;
}

/**
 * Sets an event's record for a channel. If `receiver` is undefined, the channel is removed from the event, and an event
 * without channels is removed too.
 */
export function setReceiver(
  events: Events,
  id: string,
  channel: string,
  receiver: Receiver | undefined,
): void {
  const event = events[id];
  if (event === undefined) return;
  const to = Object.entries(event.to).filter(([name]) => name !== channel);
  if (receiver !== undefined) to.push([channel, receiver]);
  if (to.length > 0) events[id] = { ...event, to: Object.fromEntries(to) };
  else Reflect.deleteProperty(events, id);
}

/** Removes messages, and counts them as dropped. */
export function giveUp(notifications: Notifications, ids: readonly string[], at: number): Notifications {
  if (ids.length === 0) return notifications;
  const [count] = notifications.dropped ?? [0];
  return { ...ids.reduce(withoutMessage, notifications), dropped: [count + ids.length, at] };
}

/**
 * Removes the message counts of hours that are over. Also removes the number of dropped messages, a week after the last
 * one was dropped.
 */
export function withoutOld({ dropped, hours = {}, ...rest }: Notifications, at: number): Notifications {
  const kept = Object.entries(hours).filter(([, [start]]) => !isHourOver(start, at));
  return {
    ...rest,
    ...(kept.length > 0 && { hours: Object.fromEntries(kept) }),
    ...(dropped !== undefined && at - dropped[1] < droppedKeptMs && { dropped }),
  };
}

export const hourMs = 3_600_000;

export function isHourOver(start: number, at: number): boolean {
  return at >= start + hourMs;
}

export function withoutRemovedChannels(
  { events, outbox, hours, ...rest }: Notifications,
  channels: Readonly<Record<string, unknown>>,
): Notifications {
  const isKept = (channel: string): boolean => Object.hasOwn(channels, channel);
  const messages = Object.entries(outbox).filter(([, { channel }]) => isKept(channel));
  return {
    ...rest,
    events: withReceivers(events, isKept),
    outbox: Object.fromEntries(messages),
    ...(hours !== undefined && {
      hours: Object.fromEntries(Object.entries(hours).filter(([channel]) => isKept(channel))),
    }),
  };
}

/** Keeps only the channels that satisfy `isKept`, and drops events that have no channel left. */
function withReceivers(events: Events, isKept: (channel: string) => boolean): Events {
  const left = Object.entries(events).flatMap(([id, event]) => {
    const to = Object.entries(event.to).filter(([channel]) => isKept(channel));
    return to.length === 0 ? [] : [[id, { ...event, to: Object.fromEntries(to) }] as const];
  });
  return Object.fromEntries(left);
}

/** Returns the `receiverKey` of each event and channel for which a message about the event's end is pending. */
export function endedReceivers({ outbox }: Notifications): Set<string> {
  const ends = Object.values(outbox).filter(({ phase }) => phase === "end");
  return new Set(ends.flatMap(({ channel, events }) => events.map((event) => receiverKey(event, channel))));
}

export function receiverKey(event: string, channel: string): string {
  return `${event} ${channel}`;
}
