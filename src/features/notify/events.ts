import { formatDuration } from "../../core/base/text/duration.ts";
import { printable } from "../../core/base/text/quote.ts";
import { channelsOf } from "./conditions.ts";
import { contactName, eventNames } from "../../core/config/notify-rules.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import type { WaitingMessage } from "./notifications.ts";
import type { NotifiedFeed } from "./notified-feed.ts";

/** Data that all events of a message share. */
export interface Composing {
  readonly feed: NotifiedFeed;
  readonly allNodes: readonly FeedNode[];
  /** When mirrorfeed decided to send the message, in epoch milliseconds. */
  readonly at: number;
  /** Formats a time (epoch milliseconds or ISO 8601), such as `2 Nov 2026, 07:00 UTC`. */
  readonly time: (at: number | string) => string;
  /** Formats the date of an ISO 8601 timestamp, such as `2 Nov 2026`. */
  readonly date: (at: string) => string;
}

/** An event with those of its mirrors that concern a channel, and with the data for its text. */
export type ChannelEvent = NonNullable<ReturnType<typeof channelEvent>>;

/**
 * Returns undefined if there is nothing to tell the channel. If rules or mirrors were removed after the message was
 * created, so that an event no longer concerns the channel, its beginning is not mentioned, but its end is.
 */
export function channelEvent(id: string, { channel, phase }: WaitingMessage, composing: Composing) {
  const { feed, allNodes, at } = composing;
  const record = feed.notifications?.events[id];
  const name = eventNames.find((known) => known === record?.event);
  const receiver = record?.to[channel];
  if (record === undefined || name === undefined || receiver === undefined) return undefined;
  const rules = feed.rules.filter((rule) => rule.events.has(name));
  const isForChannel = (node: FeedNode | undefined): boolean =>
    rules.some((rule) => channelsOf(rule, node).includes(channel));
  const members = new Set(record.nodes);
  const present = allNodes.filter((node) => members.has(node.id)).sort((one, other) => one.id - other.id);
  const concerned = present.filter(isForChannel);
  if (phase !== "end" && concerned.length === 0 && !(name === "feed" && isForChannel(undefined)))
    return undefined;
  const direct = rules.map((rule) => ({ ...rule, to: rule.to.filter((to) => to !== contactName) }));
  const isForContact =
    concerned.length > 0 &&
    !concerned.some((node) => direct.some((rule) => channelsOf(rule, node).includes(channel)));
  // The message can wait for days, so a begin mentions only the mirrors that are still offline, if there are any.
  const offline =
    name === "offline" && phase === "begin" ? concerned.filter(({ state }) => state === "offline") : [];
  for (const { id } of present) members.delete(id);
  return {
    ...composing,
    ...{ id, name, phase, record },
    /** The rule that began the event and, if a digest announced it, the digest. */
    ...receiver,
    incident: feed.incidents.find((incident) => incident.id === record.incident),
    lasted: formatDuration(at - record.since),
    /** Whether the channel gets the event only because it is the contact of these mirrors. */
    isForContact,
    nodes: offline.length > 0 ? offline : concerned,
    /**
     * The ids of the event's mirrors that are no longer in mirrors.json. Always empty if the event begins, or if the
     * channel is only a contact.
     */
    gone: phase === "end" && !isForContact ? [...members] : [],
  };
}

const maxName = 120;

export function shortName({ name }: FeedNode): string {
  return printable(name, maxName);
}
