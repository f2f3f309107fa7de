import { formatCount, formatInteger, formatList } from "../../core/base/text/count.ts";
import { shellWord } from "../../core/base/text/quote.ts";
import { formatIn } from "../../core/base/text/time-format.ts";
import { isoTimestamp } from "../../core/base/text/timestamp.ts";
import type { Message, MessageEvent, MessageMirror } from "./channels/message.ts";
import { incidentPath, nodePath, targetPath } from "../../core/feed/page-paths.ts";
import { nodesOf, targetsOf } from "../../core/feed/feed.ts";
import { defaultKind } from "../../core/kinds/kinds.ts";
import { mirrorEvidence } from "./message-evidence.ts";
import { endedReceivers, noNotifications, receiverKey } from "./outbox.ts";
import { channelEvent, type ChannelEvent, type Composing, shortName } from "./events.ts";
import { eventText } from "./texts.ts";
import { type EventName, eventNames } from "../../core/config/notify-rules.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import type { WaitingMessage } from "./notifications.ts";
import type { NotifiedFeed } from "./notified-feed.ts";

/**
 * How many mirrors a message lists. The events of a digest share this number equally, but each event lists at least one
 * mirror, so a large digest lists more.
 */
const maxMirrors = 20;
const maxRules = 5;

/** Composes a pending message. Returns undefined if nothing is left to tell the channel. */
export function composeMessage(id: string, waiting: WaitingMessage, feed: NotifiedFeed): Message | undefined {
  const { channel, phase, at } = waiting;
  const { site } = feed;
  const format = formatIn(site.timezone);
  const composing: Composing = {
    feed,
    allNodes: nodesOf(targetsOf(feed.systems)),
    at,
    time: (time) => format.timestamp(new Date(time).toISOString()),
    date: format.date,
  };
  const events = waiting.events.flatMap((event) => channelEvent(event, waiting, composing) ?? []);
  const [first] = events;
  if (first === undefined) return undefined;
  const lasting = lastingDigests(channel, feed.notifications);
  const listed = Math.max(1, Math.floor(maxMirrors / events.length));
  const composed = events.map((event): MessageEvent => {
    const { name, digest, rule, record, incident, nodes } = event;
    return {
      id: event.id,
      digest: digest === undefined ? undefined : { id: digest, isOver: !lasting.has(digest) },
      event: name,
      phase,
      rule,
      host: shared(nodes.map(({ host }) => host)),
      place: shared(nodes.map(({ target }) => target.place)) ?? record.place,
      code: name === "offline" ? (incident?.code ?? nodes[0]?.code) : undefined,
      incident: record.incident,
      ...eventText(event),
      since: isoTimestamp(record.since),
      until: phase === "end" ? isoTimestamp(at) : undefined,
      mirrors: nodes.slice(0, listed).map((node) => composeMirror(event, node)),
      page: pageAt(feed, eventPath(event)),
      more_mirrors: Math.max(0, nodes.length - listed),
    };
  });
  return {
    id,
    phase,
    at: isoTimestamp(at),
    title: composed.length === 1 ? (composed[0]?.title ?? "") : digestTitle(events, phase),
    events: composed,
    feed: { title: site.title, url: pageAt(feed, "/") },
    ...reasons(channel, events, feed),
  };
}

function lastingDigests(channel: string, notifications = noNotifications): Set<string> {
  const ended = endedReceivers(notifications);
  const lasting = Object.entries(notifications.events).flatMap(([id, { to }]) =>
    ended.has(receiverKey(id, channel)) ? [] : (to[channel]?.digest ?? []),
  );
  return new Set(lasting);
}

function composeMirror(event: ChannelEvent, node: FeedNode): MessageMirror {
  const { id, url, kind, target } = node;
  const { feed } = event;
  const probe = ["mirrorfeed probe", shellWord(url), "--explain"];
  if (kind !== defaultKind) probe.push(`--kind ${kind}`);
  if (feed.allowPrivate) probe.push("--allow-private");
  return {
    id,
    name: shortName(node),
    url,
    place: target.place,
    page: pageAt(feed, nodePath(node)),
    evidence: mirrorEvidence(event, node),
    command: probe.join(" "),
  };
}

function eventPath({ name, record, incident, nodes }: ChannelEvent): string {
  const [first, ...others] = nodes;
  if (name === "feed" || first === undefined) return "/";
  if (name === "rewritten") return targetPath({ place: record.place ?? first.target.place });
  if (incident !== undefined) return incidentPath(incident.id);
  return others.length === 0 ? nodePath(first) : "/";
}

function pageAt({ url }: NotifiedFeed, path: string): string | undefined {
  return url === undefined ? undefined : `${url}${path}`;
}

function shared(values: readonly string[]): string | undefined {
  const [first, ...others] = new Set(values);
  return others.length === 0 ? first : undefined;
}

/** The words after each count in a digest's title, such as `offline` in `9 offline`. */
const counted: Readonly<Record<EventName, string>> = {
  offline: "offline",
  behind: "behind",
  differs: "different",
  wrong_content: "with wrong content",
  rewritten: "with rewritten tags",
  certificate: "about certificates",
  ipv4_unreachable: "without IPv4",
  ipv6_unreachable: "without IPv6",
  never_online: "never online",
  feed: "about the feed",
};

/** Returns the title of a digest, such as `12 events: 9 offline, 3 behind`. */
function digestTitle(events: readonly ChannelEvent[], phase: Message["phase"]): string {
  const parts = eventNames.flatMap((name) => {
    const count = events.filter((event) => event.name === name).length;
    return count === 0 ? [] : [`${formatInteger(count)} ${counted[name]}`];
  });
  const total = formatCount(events.length, "event");
  return `${phase === "end" ? `${total} ${events.length === 1 ? "is" : "are"} over` : total}: ${parts.join(", ")}`;
}

function reasons(
  channel: string,
  events: readonly ChannelEvent[],
  feed: NotifiedFeed,
): Pick<Message, "reason" | "leave"> {
  const names = [...new Set(events.map(({ rule }) => rule))];
  const more = names.length - maxRules;
  const shown = more > 0 ? [...names.slice(0, maxRules), `${more} more`] : names;
  const [rules, notify] =
    names.length === 1
      ? [`rule ${shown.join("")}`, "notifies"]
      : [`rules ${formatList(shown, "and")}`, "notify"];
  const { title } = feed.site;
  const url = pageAt(feed, "/");
  const ask = `in mirrors.json, or ask whoever runs ${url === undefined ? title : `${title} (${url})`} to do so.`;
  if (!events.every((event) => event.isForContact))
    return {
      reason: `You get this because the ${rules} ${notify} the channel ${channel}.`,
      leave: `To stop these notifications, remove ${channel} from the rules ${ask}`,
    };
  const isOfOne = new Set(events.flatMap(({ nodes }) => nodes)).size === 1;
  const mirrors = isOfOne ? "this mirror" : "these mirrors";
  return {
    reason: `You get this because the channel ${channel} is the contact for ${mirrors} (${rules}).`,
    leave: `To stop these notifications, remove the contact ${channel} from ${mirrors} ${ask}`,
  };
}
