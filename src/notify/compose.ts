import type { Message, MessageEvent, MessageMirror } from "../channels/message.ts";
import { notifyRules } from "../config/notify.ts";
import type { Node } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import { defaultKind } from "../kinds/kinds.ts";
import { isoTimestamp } from "../feed/timestamp.ts";
import type { Notifications, State, WaitingMessage } from "../state/schema.ts";
import { shellWord } from "../base/text/quote.ts";
import { type ChannelEvent, eventsFor } from "./channel-events.ts";
import {
  type Composing,
  composing,
  feedPage,
  incidentOf,
  incidentPage,
  nodePage,
  shortName,
  targetPage,
} from "./composing.ts";
import { eventText } from "./event-text.ts";
import { endedReceivers, receiverKey } from "./outbox.ts";
import { digestTitle, leaveText, reasonText } from "./message-text.ts";
import { mirrorEvidence } from "./mirror-evidence.ts";

/** How many mirrors a message lists. A digest lists one of each event at least. */
const maxMirrors = 20;

/** Returns a message that waits as its channel sends it, or undefined if nothing of it is left. */
export function composeMessage(
  id: string,
  waiting: WaitingMessage,
  notifications: Notifications,
  config: Config,
  nodes: readonly Node[],
  state: State,
): Message | undefined {
  const events = eventsFor(waiting, notifications, notifyRules(config), nodes, state);
  const [first] = events;
  if (first === undefined) return undefined;
  const { channel, phase, at } = waiting;
  const parts = composing(config, nodes, state, at);
  const lasting = lastingDigests(channel, notifications);
  const listed = Math.max(1, Math.floor(maxMirrors / events.length));
  const composed = events.map((event) => composeEvent(event, { lasting, listed }, parts));
  const [only] = composed;
  return {
    id,
    phase,
    at: isoTimestamp(at),
    title: only !== undefined && composed.length === 1 ? only.title : digestTitle(events, phase),
    events: composed,
    feed: { title: config.site.title, url: feedPage(parts) },
    reason: reasonText(channel, events),
    leave: leaveText(channel, events, parts),
  };
}

/** Returns the digests of a channel in which an event lasts. */
function lastingDigests(channel: string, notifications: Notifications): Set<string> {
  const ended = endedReceivers(notifications);
  const lasting = Object.entries(notifications.events).flatMap(([id, { to }]) =>
    ended.has(receiverKey(id, channel)) ? [] : (to[channel]?.digest ?? []),
  );
  return new Set(lasting);
}

/** Returns an event of which the first `listed` mirrors are listed. */
function composeEvent(
  event: ChannelEvent,
  { lasting, listed }: { readonly lasting: ReadonlySet<string>; readonly listed: number },
  parts: Composing,
): MessageEvent {
  const { id, digest, name, phase, rule, record, nodes } = event;
  const { incident, since } = record;
  const code = incidentOf(parts, record)?.code;
  return {
    id,
    digest: digest === undefined ? undefined : { id: digest, isOver: !lasting.has(digest) },
    event: name,
    phase,
    rule,
    host: shared(nodes.map(({ host }) => host)),
    place: shared(nodes.map(({ place }) => place)) ?? record.place,
    code: name === "offline" ? (code ?? (nodes[0] && parts.known(nodes[0]).code)) : undefined,
    incident,
    ...eventText(event, parts),
    since: isoTimestamp(since),
    until: phase === "end" ? isoTimestamp(parts.at) : undefined,
    mirrors: nodes.slice(0, listed).map((node) => composeMirror(event, node, parts)),
    moreMirrors: Math.max(0, nodes.length - listed),
    page: eventPage(event, parts),
  };
}

function composeMirror({ name, record }: ChannelEvent, node: Node, parts: Composing): MessageMirror {
  const { id, url, place } = node;
  return {
    id,
    name: shortName(node),
    url,
    place,
    page: nodePage(parts, node),
    evidence: mirrorEvidence(name, node, parts, record.since),
    command: probeCommand(node, parts),
  };
}

/** Returns a shell command that probes a mirror again and explains each step. */
function probeCommand({ url, settings: { kind } }: Node, { config }: Composing): string {
  return [
    "mirrorfeed probe",
    shellWord(url),
    "--explain",
    ...(kind === defaultKind ? [] : [`--kind ${kind}`]),
    ...(config.probe.allowPrivate ? ["--allow-private"] : []),
  ].join(" ");
}

function eventPage({ name, record, nodes }: ChannelEvent, parts: Composing): string | undefined {
  const [first, ...others] = nodes;
  if (name === "feed" || first === undefined) return feedPage(parts);
  if (name === "rewritten") return targetPage(parts, record.place ?? first.place);
  return incidentPage(parts, record) ?? (others.length === 0 ? nodePage(parts, first) : feedPage(parts));
}

/** Returns the value that all have, or undefined. */
function shared(values: readonly string[]): string | undefined {
  const [first, ...others] = new Set(values);
  return others.length === 0 ? first : undefined;
}
