import { notifyRules } from "../config/notify.ts";
import type { Config } from "../config/schema.ts";
import { eventNodesKept, eventsKept, type Notifications, type NotifiedEvent } from "../state/schema.ts";
import { type Condition, conditionKey, momentary } from "./conditions.ts";
import { addMessages, type Decision, idOf } from "./messages.ts";
import { endedReceivers, receiverKey, withoutRemovedChannels } from "./outbox.ts";
import { type Receiver, receiversOf } from "./receivers.ts";

/** The conditions that hold, of which events they are all, and when that was so (epoch milliseconds). */
export interface Judgement {
  readonly conditions: readonly Condition[];
  readonly isJudged: (event: string) => boolean;
  readonly at: number;
}

/**
 * Returns the notifications after a run: events begin for the channels of their rules, and end. A channel gets one
 * begin and one end of an event, whatever rules name it. The order of the conditions does not matter. Returns the known
 * notifications if nothing is new.
 */
export function applyConditions(
  config: Pick<Config, "notify" | "channels">,
  known: Notifications,
  { conditions, isJudged, at: now }: Judgement,
): Notifications {
  const rules = notifyRules(config);
  const stored = withoutRemovedChannels(known, config.channels);
  // No two runs have messages of one time, so that the order of times is that of the runs.
  const at = Object.values(stored.outbox).reduce((latest, one) => Math.max(latest, one.at + 1), now);
  const ended = endedReceivers(stored);
  const lastsFor = (id: string, channel: string): boolean =>
    stored.events[id]?.to[channel] !== undefined && !ended.has(receiverKey(id, channel));
  const judged = Object.entries(stored.events).filter(
    ([, { event }]) => isJudged(event) && !momentary.has(event),
  );
  const idsByKey = groupByKey(judged);
  const events = new Map(Object.entries(stored.events));
  const lasting = new Set<string>();
  const decisions: Decision[] = [];
  for (const [key, condition] of inKeyOrder(conditions, idsByKey)) {
    const ids = idsByKey.get(key) ?? [];
    let created: string | undefined;
    for (const [channel, receiver] of inNameOrder(receiversOf(rules, condition, now))) {
      const open = ids.find((id) => lastsFor(id, channel));
      const { rule } = receiver;
      if (open !== undefined) {
        lasting.add(receiverKey(open, channel));
        join(events, open, receiver);
      } else if (rule !== undefined && Object.hasOwn(config.channels, channel)) {
        const ofOthers = ids.find((id) => canJoin(id, stored.events[id], channel, lastsFor));
        const event = ofOthers ?? created ?? create(events, key, condition, receiver, at);
        if (event === undefined) continue;
        if (event !== ofOthers) created = event;
        join(events, event, receiver);
        decisions.push({ phase: "begin", channel, event, rule });
      }
    }
  }
  for (const [event, { to }] of judged)
    for (const channel of Object.keys(to))
      if (lastsFor(event, channel) && !lasting.has(receiverKey(event, channel)))
        decisions.push({ phase: "end", channel, event });
  const isSame = [...events].every(([id, event]) => known.events[id] === event);
  if (isSame && stored === known && decisions.length === 0) return known;
  return addMessages({ ...stored, events: Object.fromEntries(events) }, decisions, at);
}

function groupByKey(events: readonly (readonly [id: string, event: NotifiedEvent])[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [id, event] of events) {
    const key = conditionKey(event, event.nodes[0]);
    groups.set(key, [...(groups.get(key) ?? []), id]);
  }
  return groups;
}

/** Returns the conditions in an order of their own, without those that neither begin nor keep an event. */
function inKeyOrder(
  conditions: readonly Condition[],
  known: ReadonlyMap<string, unknown>,
): [key: string, condition: Condition][] {
  return conditions
    .map((condition): [string, Condition] => [
      conditionKey(condition, condition.nodes[0]?.node?.id),
      condition,
    ])
    .filter(([key, { nodes }]) => known.has(key) || nodes.some(({ isFrozen }) => !isFrozen))
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

function inNameOrder<Value>(byName: ReadonlyMap<string, Value>): [name: string, value: Value][] {
  return [...byName].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Returns whether an event lasts for other channels, and this one does not know of it. */
function canJoin(
  id: string,
  event: NotifiedEvent | undefined,
  channel: string,
  lastsFor: (id: string, channel: string) => boolean,
): boolean {
  if (event === undefined || event.to[channel] !== undefined) return false;
  return Object.keys(event.to).some((other) => lastsFor(id, other));
}

/** Adds an event, and returns its id. Returns undefined if there are as many as are kept. */
function create(
  events: Map<string, NotifiedEvent>,
  key: string,
  { event, incident, place, ref }: Condition,
  { due }: Receiver,
  at: number,
): string | undefined {
  if (events.size >= eventsKept) return undefined;
  const since = due.reduce((earliest, one) => Math.min(earliest, one.since), at);
  const id = idOf([key, since, at]);
  events.set(id, { event, nodes: [], incident, place, ref, since, to: {} });
  return id;
}

/** Adds mirrors to an event, up to as many as are kept. */
function join(events: Map<string, NotifiedEvent>, id: string, { due }: Receiver): void {
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
