import * as z from "zod";
import { timestamp } from "./fields.ts";
import { byName, entryLines } from "./entry-lines.ts";
import { mapValues } from "./map-values.ts";

const hexId = z.string().regex(/^[0-9a-f]{16}$/);
const name = z.string().regex(/^[a-z0-9_-]{1,50}$/);
const nodeId = z.int().min(1);

/** How many nodes an event keeps, how many events there are, and how many messages wait. */
export const eventNodesKept = 1000;
export const eventsKept = 5000;
export const messagesKept = 1000;

/** To a channel: by which rule it began, and in which digest, if it did in one. */
const receiver = z.strictObject({ rule: name, digest: hexId.optional() });

/** An event of which a message was decided, until its end was sent to all. Times are epoch milliseconds. */
const event = z.strictObject({
  event: name,
  /** In ascending order. Empty for an event of the whole feed. */
  nodes: z.array(nodeId).max(eventNodesKept),
  incident: z.string().max(100).optional(),
  /** Of an event of a target: its place, and the ref that changed. */
  place: z.string().max(400).optional(),
  ref: z.string().max(1000).optional(),
  since: timestamp,
  /** By the names of channels. One leaves when the end was sent to it: until then, a message in the outbox says so. */
  to: z.record(name, receiver),
});

/** A message that waits to be sent. It holds no address and no text. */
const waiting = z.strictObject({
  channel: name,
  phase: z.enum(["begin", "end"]),
  events: z.array(hexId).min(1).max(eventsKept),
  at: timestamp,
  /** How often it failed, and when it is tried again. */
  attempts: z.int().min(1).max(100).optional(),
  next: timestamp.optional(),
});

/** What is known of messages, by ids. */
export const notificationsSchema = z.strictObject({
  events: z.record(hexId, event),
  outbox: z.record(hexId, waiting),
  /** How many messages were given up, and when the last of them. */
  dropped: z.tuple([z.int().min(1), timestamp]).optional(),
});

export type Notifications = z.infer<typeof notificationsSchema>;
export type NotifiedEvent = Readonly<z.infer<typeof event>>;
export type WaitingMessage = Readonly<z.infer<typeof waiting>>;

/** Returns notifications as text, with a line for each event and message. */
export function formatNotifications({ events, outbox, dropped }: Notifications): string {
  const parts = [
    `"events":{\n${entryLines(events, Object.keys(event.shape), byName)}}`,
    `"outbox":{\n${entryLines(outbox, Object.keys(waiting.shape), byName)}}`,
    ...(dropped === undefined ? [] : [`"dropped":${JSON.stringify(dropped)}`]),
  ];
  return `{${parts.join(",\n")}}`;
}

/** Returns the notifications without these nodes, which are other mirrors now. */
export function withoutEventNodes(notifications: Notifications, ids: ReadonlySet<string>): Notifications {
  const events = mapValues(notifications.events, (event) => {
    const nodes = event.nodes.filter((node) => !ids.has(String(node)));
    return nodes.length === event.nodes.length ? event : { ...event, nodes };
  });
  return { ...notifications, events };
}
