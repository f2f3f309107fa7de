import { formatDuration } from "../../core/base/text/duration.ts";
import { contactName } from "../../core/config/notify-rules.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import type { Incident } from "../../core/feed/incidents.ts";
import type { NotifiedFeed } from "./notified-feed.ts";
import { channelsOf } from "./rules.ts";
import type { Line, Phase } from "./told.ts";

/** An event with those of its mirrors that concern a channel, and with the data for its text. */
export interface ChannelEvent {
  readonly id: string;
  readonly phase: Phase;
  readonly line: Line;
  readonly feed: NotifiedFeed;
  readonly allNodes: readonly FeedNode[];
  readonly byId: ReadonlyMap<number, FeedNode>;
  readonly nodes: readonly FeedNode[];
  readonly incident: Incident | undefined;
  /** The time of the last run or, if the event is over, when it ended, in epoch milliseconds. */
  readonly at: number;
  readonly lasted: string;
  /** Formats a time (epoch milliseconds or ISO 8601), such as `2 Nov 2026, 07:00 UTC`. */
  readonly time: (at: number | string) => string;
  /** Formats the date of a time, such as `2 Nov 2026`. */
  readonly date: (at: number) => string;
}

export function channelEvent(
  id: string,
  line: Line,
  shared: Pick<ChannelEvent, "feed" | "allNodes" | "byId" | "time" | "date">,
): ChannelEvent {
  const { channel, event, subject, since, claim } = line;
  const { feed, byId } = shared;
  const phase = claim?.phase ?? "begin";
  const rules = feed.rules.filter((rule) => rule.events.has(event));
  const concerned = line.nodes
    .flatMap((node) => byId.get(node) ?? [])
    .filter((node) => rules.some((rule) => channelsOf(rule, node).includes(channel)));
  // Those that are back already are not what begins.
  const offline =
    event === "offline" && phase === "begin" ? concerned.filter((node) => node.status === 0) : [];
  const nodes = offline.length > 0 ? offline : concerned;
  const run = Date.parse(feed.run.generated_at);
  const back = nodes.map((one) => Date.parse(one.since ?? "") || run);
  const isOver = phase === "end" && event === "offline";
  const at = isOver ? back.reduce((latest, time) => Math.max(latest, time), since) : run;
  const incident = feed.incidents.find((one) => event === "offline" && one.id === subject);
  const lasted = formatDuration(at - since);
  return { ...shared, id, phase, line, nodes, incident, at, lasted };
}

/** Whether the channel gets an event only because it is the contact of its mirrors. */
export function isForContact({ line, nodes, feed }: ChannelEvent): boolean {
  const direct = feed.rules
    .filter((rule) => rule.events.has(line.event))
    .map((rule) => ({ ...rule, to: rule.to.filter((name) => name !== contactName) }));
  const isDirect = (node: FeedNode): boolean =>
    direct.some((rule) => channelsOf(rule, node).includes(line.channel));
  return nodes.length > 0 && !nodes.some(isDirect);
}
