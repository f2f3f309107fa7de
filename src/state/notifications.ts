import * as z from "zod";
import { nodeId, place, timestamp } from "./stored-values.ts";

// How many of each are kept.
/** Of the events that can wait. Urgent ones stay, however many they are. */
export const eventsKept = 5000;
/** More than any feed has mirrors, because each mirror's contact is told about its outage. */
export const eventNodesKept = 100_000;
/** Of the messages about events that can wait, likewise. */
export const messagesKept = 1000;

const hexId = z.string().regex(/^[0-9a-f]{16}$/);
const name = z.string().regex(/^[a-z0-9_-]{1,50}$/);

/** An event of which a message was decided, until its end was sent to all. */
const event = z.strictObject({
  event: name,
  /** In ascending order. Empty for an event of the whole feed. */
  nodes: z.array(nodeId).max(eventNodesKept),
  incident: z.string().max(100).optional(),
  /** Only for an event of a target. */
  place: place.optional(),
  /** Only for an event of a host. */
  host: z.string().max(2000).optional(),
  since: timestamp,
  /** For rewritten tags: when the message was decided. The next one about the target comes a day later. */
  decided: timestamp.optional(),
  /** By channel. A channel leaves once it got the end. */
  to: z.record(
    name,
    z.strictObject({
      /** The rule that sent the beginning, and its digest if any. */
      rule: name,
      digest: hexId.optional(),
      /** A message was cancelled after an attempt of which nobody knows whether it arrived. */
      unsure: z.literal(true).optional(),
      /** For a certificate: how many runs in a row found one that does not expire soon. */
      renewed_runs: z.int().min(1).max(100).optional(),
    }),
  ),
});

/**
 * A message that waits to be sent. It holds no address and no text. An event is in one message for a channel at most.
 */
const waiting = z.strictObject({
  channel: name,
  phase: z.enum(["begin", "end"]),
  events: z.array(hexId).min(1).max(eventsKept),
  at: timestamp,
  /** How many attempts began, how many of them surely failed, and when it may be sent. */
  attempts: z.int().min(1).max(100).optional(),
  failures: z.int().min(1).max(100).optional(),
  next: timestamp.optional(),
});

/** Sent and pending notifications. */
export const notifications = z.strictObject({
  events: z.record(hexId, event),
  outbox: z.record(hexId, waiting),
  /** By channel: the start of an hour, and how many messages about events that can wait it has in that hour. */
  hours: z.record(name, z.tuple([timestamp, z.int().min(1).max(100)])).optional(),
  /** How many messages were given up, and when the last of them. */
  dropped: z.tuple([z.int().min(1), timestamp]).optional(),
});

export type Notifications = z.infer<typeof notifications>;
export type NotifiedEvent = Readonly<z.infer<typeof event>>;
export type WaitingMessage = Readonly<z.infer<typeof waiting>>;
