import { formatDuration } from "../base/text/duration.ts";
import { printable } from "../base/text/quote.ts";
import { contactName, eventNames, type Feed, type FeedNode, type WaitingMessage } from "../feed/feed.ts";
import { channelsOf } from "./conditions.ts";

/** The data that all events of a message share. */
export interface Composing {
  readonly feed: Feed;
  readonly allNodes: readonly FeedNode[];
  /** When the message was decided, in epoch milliseconds. */
  readonly at: number;
  /** Returns a time (epoch milliseconds or ISO 8601) for people, such as `2 Nov 2026, 07:00 UTC`. */
  readonly time: (at: number | string) => string;
  /** Returns the date of a time (ISO 8601) for people, such as `2 Nov 2026`. */
  readonly date: (at: string) => string;
}

/** An event with the mirrors that concern a channel, and the data for its texts. */
export type ChannelEvent = NonNullable<ReturnType<typeof channelEvent>>;

/**
 * Returns an event of a message, or undefined if nothing of it is left for its channel. Rules and mirrors may have been
 * removed since the message was decided: then nothing of them begins. What began ends nevertheless.
 */
export function channelEvent(id: string, { channel, phase }: WaitingMessage, composing: Composing) {
  const { feed, allNodes, at } = composing;
  const record = feed.notifications?.events[id];
  const name = eventNames.find((known) => known === record?.event);
  const receiver = record?.to[channel];
  if (record === undefined || name === undefined || receiver === undefined) return undefined;
  const rules = feed.rules.filter((rule) => rule.events.has(name));
  const hears = (node: FeedNode | undefined): boolean =>
    rules.some((rule) => channelsOf(rule, node).includes(channel));
  const members = new Set(record.nodes);
  const known = allNodes.filter((node) => members.has(node.id)).sort((one, other) => one.id - other.id);
  const own = known.filter(hears);
  if (phase !== "end" && own.length === 0 && !(name === "feed" && hears(undefined))) return undefined;
  const direct = rules.map((rule) => ({ ...rule, to: rule.to.filter((to) => to !== contactName) }));
  const isForContact =
    own.length > 0 && !own.some((node) => direct.some((rule) => channelsOf(rule, node).includes(channel)));
  // A message may wait for days, and some mirrors are back by then.
  const offline =
    name === "offline" && phase === "begin" ? own.filter(({ state }) => state === "offline") : [];
  for (const { id } of known) members.delete(id);
  return {
    ...composing,
    ...{ id, name, phase, record },
    /** The rule that it began by, and the digest that it began in, if it did in one. */
    ...receiver,
    incident: feed.incidents.find((incident) => incident.id === record.incident),
    lasted: formatDuration(at - record.since),
    /** Whether the channel gets it only as the contact of these mirrors. */
    isForContact,
    nodes: offline.length > 0 ? offline : own,
    /** The ids of its mirrors that are no longer in mirrors.json. Only an event that is over has some. */
    gone: phase === "end" && !isForContact ? [...members] : [],
  };
}

const maxName = 120;

export function shortName({ name }: FeedNode): string {
  return printable(name, maxName);
}
