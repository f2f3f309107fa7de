import * as z from "zod";
import type { MessageCounts } from "../../core/feed/feed-run.ts";
import { nodeId, place, timestamp } from "../../core/state/content-schema.ts";

/** Limit for events that can wait. Urgent events are always kept. */
export const eventsKept = 5000;
/**
 * Limit for an event's mirrors. No feed has that many mirrors, so the contact of every mirror is told about its outage.
 */
export const eventNodesKept = 100_000;
/** Limit for messages about events that can wait. Messages about urgent events are always kept. */
export const messagesKept = 1000;

const hexId = z.string().regex(/^[0-9a-f]{16}$/);
const name = z.string().regex(/^[a-z0-9_-]{1,50}$/);

/** An event that has a message. It is kept until all channels have been told that the event has ended. */
const event = z.strictObject({
  event: name,
  /** In ascending order. Empty for events about the whole feed. */
  nodes: z.array(nodeId).max(eventNodesKept),
  incident: z.string().max(100).optional(),
  /** Set for events about a target. */
  place: place.optional(),
  /** Set for events about a host. */
  host: z.string().max(2000).optional(),
  since: timestamp,
  /**
   * For rewritten tags: when the message was created. The target's next message about rewritten tags is created at
   * least a day later.
   */
  decided: timestamp.optional(),
  /** By channel. A channel is removed once it has received the message about the end. */
  to: z.record(
    name,
    z.strictObject({
      /** The rule that announced the beginning. */
      rule: name,
      /** The id of the digest that announced the beginning, if it was a digest. */
      digest: hexId.optional(),
      /** A message was cancelled after an attempt to send it, so it may or may not have arrived. */
      unsure: z.literal(true).optional(),
      /** For certificates that expire soon: how many runs in a row have found a renewed certificate. */
      renewed_runs: z.int().min(1).max(100).optional(),
    }),
  ),
});

/** A pending message. It contains no address and no text. Each channel has at most one message per event. */
const waiting = z.strictObject({
  channel: name,
  phase: z.enum(["begin", "end"]),
  events: z.array(hexId).min(1).max(eventsKept),
  at: timestamp,
  /** How many attempts were started. */
  attempts: z.int().min(1).max(100).optional(),
  /** How many attempts certainly failed. */
  failures: z.int().min(1).max(100).optional(),
  /** The earliest time of the next attempt. */
  next: timestamp.optional(),
});

const notifications = z.strictObject({
  events: z.record(hexId, event),
  outbox: z.record(hexId, waiting),
  /** By channel: the start of an hour, and how many messages about events that can wait were created in that hour. */
  hours: z.record(name, z.tuple([timestamp, z.int().min(1).max(100)])).optional(),
  /** How many messages were given up, and when that last happened. */
  dropped: z.tuple([z.int().min(1), timestamp]).optional(),
});

/** What the state keeps. */
export const notificationsPart = { schema: notifications, lines: { events: {}, outbox: {} } } as const;

export type Notifications = z.infer<typeof notifications>;
export type NotifiedEvent = Readonly<z.infer<typeof event>>;
export type WaitingMessage = Readonly<z.infer<typeof waiting>>;

/** Removes from events the mirrors whose ids belong to other mirrors now. */
export function withoutNodes(notifications: Notifications, moved: ReadonlySet<number>): Notifications {
  if (moved.size === 0) return notifications;
  const events = Object.entries(notifications.events).map(([id, event]) => {
    const nodes = event.nodes.filter((node) => !moved.has(node));
    return [id, { ...event, nodes }] as const;
  });
  return { ...notifications, events: Object.fromEntries(events) };
}

/**
 * Returns how many messages are pending, how many of these have failed before, and how many were given up (`dropped`).
 * `dropped` goes back to 0 a week after a message was last given up.
 */
export function messageCounts(notifications: Notifications | undefined): MessageCounts {
  const waiting = Object.values(notifications?.outbox ?? {});
  return {
    waiting: waiting.length,
    failing: waiting.filter(({ attempts }) => attempts !== undefined).length,
    dropped: notifications?.dropped?.[0] ?? 0,
  };
}
