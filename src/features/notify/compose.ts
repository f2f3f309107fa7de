import { formatCount, formatInteger, formatList } from "../../core/base/text/count.ts";
import { group } from "../../core/base/text/group.ts";
import { printable, shellWord } from "../../core/base/text/quote.ts";
import { formatIn } from "../../core/base/text/time.ts";
import { isoTimestamp } from "../../core/base/text/timestamp.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { nodesOf, targetsOf } from "../../core/feed/feed.ts";
import { countStates, formatStates } from "../../core/feed/verdict.ts";
import { incidentPath, nodePath, pageUrl, targetPath } from "../../core/feed/page-paths.ts";
import { defaultKind } from "../../core/kinds/kinds.ts";
import {
  eventsShown,
  type Fact,
  type Message,
  type MessageEvent,
  type MessageMirror,
  webhookDocument,
} from "./channels/message.ts";
import { channelEvent, type ChannelEvent, eventText, rewrittenTags, stateOf } from "./texts.ts";
import { idOf, type Line, type NotifiedFeed } from "./told.ts";

/** How many mirrors a message lists. Its events share this number equally, but each lists at least one mirror. */
const maxMirrors = 20;

/** Composes a message about claimed lines. Its content depends on nothing but the feed and these lines. */
export function composeMessage(
  feed: NotifiedFeed,
  channel: string,
  lines: readonly (readonly [id: string, line: Line])[],
): Message {
  const format = formatIn(feed.site.timezone);
  const time = (at: number | string): string => format.timestamp(new Date(at).toISOString());
  const byId = new Map(nodesOf(targetsOf(feed.systems)).map((node) => [node.id, node]));
  const events = lines.map(([id, line]) => channelEvent(id, line, { feed, byId, time }));
  const shown = events.slice(0, eventsShown);
  const mirrors = Math.max(1, Math.floor(maxMirrors / shown.length));
  const composed = shown.map((event) => composeEvent(event, mirrors));
  const { site, url } = feed;
  const rules = [...new Set(events.map(({ line }) => line.rule))];
  const operator = url === undefined ? site.title : `${site.title} (${url}/)`;
  const message = {
    id: "",
    at: feed.run.generated_at,
    title: titleOf(events, composed),
    events: composed,
    more_events: events.length - shown.length,
    feed: { title: site.title, url: pageUrl(feed, "/") },
    reason: `You get this because of the ${rules.length === 1 ? "rule" : "rules"} ${formatList(rules, "and")} for the channel ${channel}.`,
    leave: `To stop these notifications, remove ${channel} from the rules and contacts in mirrors.json, or ask whoever runs ${operator} to do so.`,
  };
  return { ...message, id: idOf([webhookDocument(message)]) };
}

/** Returns a message that shows that a channel works. Its id is new each time, because receivers drop repeated ids. */
export function testMessage(channel: string, now: number): Message {
  const at = isoTimestamp(now);
  const title = `A test of the channel ${channel}`;
  const id = idOf([title, now]);
  const sentence = "mirrorfeed can send notifications to this channel.";
  const event = { id, event: "test", phase: "begin", rule: "test", title, sentence, since: at } as const;
  return {
    ...{ id, at, title, more_events: 0, feed: { title: "mirrorfeed" } },
    events: [{ ...event, evidence: [], mirrors: [], more_mirrors: 0 }],
    reason: `You get this because someone ran mirrorfeed notify --test ${channel}.`,
    leave: "You don't need to do anything.",
  };
}

function composeEvent(event: ChannelEvent, maxListed: number): MessageEvent {
  const { id, phase, line, incident, nodes, at, feed } = event;
  const { event: name, claim, number } = line;
  const [title, sentence] = eventText(event);
  return {
    ...{ id, event: name, phase, rule: line.rule },
    code: name === "offline" ? nodes[0]?.code : undefined,
    incident: incident?.id,
    ...{ title, sentence },
    since: isoTimestamp(Math.min(line.since, at)),
    until: phase === "end" ? isoTimestamp(at) : undefined,
    evidence: eventFacts(event),
    mirrors: nodes.slice(0, maxListed).map((node) => composeMirror(event, node)),
    page: pageUrl(feed, eventPath(event)),
    more_mirrors: Math.max(0, nodes.length - maxListed),
    number,
    isRepeated: claim?.again === true,
  };
}

function composeMirror(event: ChannelEvent, node: FeedNode): MessageMirror {
  const { id, url, kind, target } = node;
  const { feed } = event;
  const probe = ["mirrorfeed probe", shellWord(url), "--explain"];
  if (kind !== defaultKind) probe.push(`--kind ${kind}`);
  if (feed.allowPrivate) probe.push("--allow-private");
  return {
    ...{ id, name: printable(node.name), url, place: target.place, page: pageUrl(feed, nodePath(node)) },
    evidence: mirrorFacts(event, node),
    command: probe.join(" "),
  };
}

/** Lists the tags that an event is about, when it began and, once it is over, when it ended. */
function eventFacts(event: ChannelEvent): Fact[] {
  const { phase, line, at, time } = event;
  const tags = rewrittenTags(event).map(({ tag, from, to = "missing" }) => {
    return { name: "Ref", value: `${printable(tag)}, ${from} before, ${to} now` };
  });
  const isEndless = line.event === "certificate" || line.event === "rewritten";
  const since = isEndless ? undefined : time(line.since);
  return [...tags, ...facts({ Since: since, Until: phase === "end" ? time(at) : undefined })];
}

function mirrorFacts({ line, nodes, feed, byId, time }: ChannelEvent, node: FeedNode): Fact[] {
  const { status, code, content_code, families, target, freshness, revision: own } = node;
  const others = [...byId.values()].filter((other) => other.target === target && other !== node);
  const seen = node.vantages();
  const hasFailed = seen.length > 1 && seen.some((one) => one.code !== "ok");
  const locations = seen.map((one) => `${one.vantage} ${one.code ?? "not observed"}`).join(", ");
  const { reference } = target;
  const revision = freshness === "in_sync" || own === reference?.revision ? undefined : own;
  return facts({
    // The state of a single mirror is in the sentence.
    State: nodes.length > 1 ? stateOf(node, feed) || node.state : undefined,
    Code: status === 0 ? code : content_code,
    IPv4: line.event === "ipv4_unreachable" ? families?.ipv4 : undefined,
    IPv6: line.event === "ipv6_unreachable" ? families?.ipv6 : undefined,
    Locations: hasFailed ? locations : undefined,
    Revision: revision && printable(revision),
    Reference: revision && reference && `${printable(reference.revision)}, since ${time(reference.since)}`,
    "Other mirrors": formatStates(countStates(others)) || "none",
  });
}

/** Leaves out entries without a value. */
function facts(values: Readonly<Record<string, string | undefined>>): Fact[] {
  return Object.entries(values).flatMap(([name, value]) => (value ? [{ name, value }] : []));
}

function eventPath({ line, incident, nodes }: ChannelEvent): string {
  const [first, ...others] = nodes;
  if (line.event === "rewritten") return targetPath({ place: line.subject });
  if (incident !== undefined) return incidentPath(incident.id);
  return first === undefined || others.length > 0 ? "/" : nodePath(first);
}

/** Returns a title such as `git.example.org is offline, and 2 more events` or `12 events: 9 offline, 1 behind, 2 over`. */
function titleOf(events: readonly ChannelEvent[], composed: readonly MessageEvent[]): string {
  const [{ title } = { title: "" }, ...others] = composed;
  if (events.length <= eventsShown)
    return others.length === 0 ? title : `${title}, and ${formatCount(others.length, "more event")}`;
  const sorts = events.map(({ phase, line }) => (phase === "end" ? "over" : line.event.replaceAll("_", " ")));
  const counts = [...group(sorts.map((sort) => [sort, sort]))];
  const parts = counts.map(([sort, { length }]) => `${formatInteger(length)} ${sort}`);
  return `${formatCount(events.length, "event")}: ${parts.join(", ")}`;
}
