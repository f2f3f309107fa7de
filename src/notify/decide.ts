import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { group } from "../base/text/group.ts";
import {
  eventNodesKept,
  eventsKept,
  type Feed,
  messagesKept,
  type Notifications,
  type NotifiedEvent,
  type WaitingMessage,
} from "../feed/feed.ts";
import { type Condition, conditionKey, type ConditionNode, conditionsOf, receiversOf } from "./conditions.ts";
import {
  endedReceivers,
  giveUp,
  inOrder,
  noNotifications,
  receiverKey,
  withoutOldDropped,
  withoutRemovedChannels,
} from "./outbox.ts";

/** More events than this that begin or end for a channel in one run are one message. */
export const digestAbove = 10;

/** Returns the notifications after a run, from the feed before and after it. Returns undefined if there are none. */
export function updateNotifications(before: Feed | undefined, after: Feed): Notifications | undefined {
  const { notifications: known, rules, run } = after;
  if (known === undefined && rules.length === 0) return undefined;
  const at = Date.parse(run.generated_at);
  const updated = applyConditions(
    after,
    known ?? noNotifications,
    "mirrors",
    conditionsOf(before, after),
    at,
  );
  const kept = withoutOldDropped(updated, at);
  const isEmpty = [kept.events, kept.outbox].every((record) => Object.keys(record).length === 0);
  return isEmpty && kept.dropped === undefined ? undefined : kept;
}

/**
 * Returns the notifications with the event of the feed as it is at a time (epoch milliseconds). It begins if the next run is
 * overdue for as long as a rule says, and ends with the next run that is saved. Returns those of the feed if nothing is new.
 */
export function updateFeedEvent(feed: Feed, now: number): Notifications | undefined {
  const { run, notifications } = feed;
  // Without a run nothing is overdue.
  if (run.run === "") return notifications;
  const due = Date.parse(run.generated_at) + run.interval.scheduled_minutes * 60_000;
  const known = notifications ?? noNotifications;
  const overdue: Condition = { event: "feed", nodes: [{ node: undefined, since: due, isFrozen: false }] };
  const updated = applyConditions(feed, known, "feed", due < now ? [overdue] : [], now);
  return isDeepStrictEqual(updated, known) ? notifications : updated;
}

interface Decision {
  readonly phase: WaitingMessage["phase"];
  readonly channel: string;
  readonly event: string;
  readonly rule?: string | undefined;
}

/**
 * Returns the notifications at a time (epoch milliseconds) at which these are all conditions of mirrors, or of the feed:
 * events begin for the channels of their rules, and end. A channel gets one begin and one end of an event, whatever rules
 * name it. The order of the conditions does not matter.
 */
export function applyConditions(
  { rules, channels }: Pick<Feed, "rules" | "channels">,
  known: Notifications,
  about: "mirrors" | "feed",
  conditions: readonly Condition[],
  now: number,
): Notifications {
  const stored = withoutRemovedChannels(known, channels);
  // No two runs have messages of one time, so that the order of times is that of the runs.
  const at = Object.values(stored.outbox).reduce((latest, one) => Math.max(latest, one.at + 1), now);
  const ended = endedReceivers(stored);
  const lastsFor = (id: string, channel: string): boolean =>
    Object.hasOwn(stored.events[id]?.to ?? {}, channel) && !ended.has(receiverKey(id, channel));
  const judged = Object.entries(stored.events).filter(
    ([, { event }]) => (event === "feed") === (about === "feed") && event !== "rewritten",
  );
  const idsByKey = group(judged.map(([id, event]) => [conditionKey(event, event.nodes[0]), id]));
  const events = new Map(Object.entries(stored.events));
  const lasting = new Set<string>();
  const decisions: Decision[] = [];
  const keyed = conditions.map((one) => [conditionKey(one, one.nodes[0]?.node?.id), one] as const);
  for (const [key, condition] of keyed.sort(byKey)) {
    const ids: readonly string[] = idsByKey.get(key) ?? [];
    // A frozen condition keeps an event, and begins none.
    if (ids.length === 0 && condition.nodes.every(({ isFrozen }) => isFrozen)) continue;
    let created: string | undefined;
    for (const [channel, { rule, due }] of [...receiversOf(rules, condition, now)].sort(byKey)) {
      const open = ids.find((id) => lastsFor(id, channel));
      if (open === undefined && rule === undefined) continue;
      const shared = ids.find((id) => {
        const { to = {} } = stored.events[id] ?? {};
        return !Object.hasOwn(to, channel) && Object.keys(to).some((other) => lastsFor(id, other));
      });
      const id = open ?? shared ?? (created ??= create(events, key, condition, due, at));
      if (id === undefined) continue;
      join(events, id, due);
      if (open === undefined) decisions.push({ phase: "begin", channel, event: id, rule });
      else lasting.add(receiverKey(id, channel));
    }
  }
  for (const [event, { to }] of judged)
    for (const channel of Object.keys(to))
      if (lastsFor(event, channel) && !lasting.has(receiverKey(event, channel)))
        decisions.push({ phase: "end", channel, event });
  return addMessages({ ...stored, events: Object.fromEntries(events) }, decisions, at);
}

function byKey([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

/** Adds an event, and returns its id. Returns undefined if there are as many as are kept. */
function create(
  events: Map<string, NotifiedEvent>,
  key: string,
  { event, incident, place, ref }: Condition,
  due: readonly ConditionNode[],
  at: number,
): string | undefined {
  if (events.size >= eventsKept) return undefined;
  const since = due.reduce((earliest, one) => Math.min(earliest, one.since), at);
  const id = idOf([key, since, at]);
  events.set(id, { event, nodes: [], incident, place, ref, since, to: {} });
  return id;
}

function join(events: Map<string, NotifiedEvent>, id: string, due: readonly ConditionNode[]): void {
  const event = events.get(id);
  if (event === undefined) return;
  const members = new Set(event.nodes);
  const joining = due
    .flatMap(({ node }) => (node === undefined || members.has(node.id) ? [] : [node.id]))
    .sort((one, other) => one - other)
    .slice(0, eventNodesKept - members.size);
  if (joining.length === 0) return;
  events.set(id, { ...event, nodes: [...event.nodes, ...joining].sort((one, other) => one - other) });
}

/**
 * Returns the notifications with the messages of decisions: one of each, or one of all of a phase for a channel if they are
 * many. If more messages wait than are kept, the oldest ones are given up.
 */
function addMessages(known: Notifications, decisions: readonly Decision[], at: number): Notifications {
  const events = { ...known.events };
  const outbox = { ...known.outbox };
  const byReceiver = group(decisions.map((decision) => [`${decision.phase} ${decision.channel}`, decision]));
  const messages = [...byReceiver.values()].flatMap((all) =>
    all.length > digestAbove ? [all] : all.map((decision): typeof all => [decision]),
  );
  for (const message of messages) {
    const [{ channel, phase }] = message;
    const ids = message.map(({ event }) => event).sort();
    const id = idOf([phase, channel, at, ids]);
    outbox[id] = { channel, phase, events: ids, at };
    for (const { event, rule } of message) {
      const record = events[event];
      if (record === undefined || rule === undefined) continue;
      const receiver = ids.length > 1 ? { rule, digest: id } : { rule };
      events[event] = { ...record, to: { ...record.to, [channel]: receiver } };
    }
  }
  const all = { ...known, events, outbox };
  const ids = inOrder(all).map(([id]) => id);
  return giveUp(all, ids.slice(0, -messagesKept), at);
}

function idOf(values: readonly unknown[]): string {
  return hash("sha256", JSON.stringify(values)).slice(0, 16);
}
