import { isDeepStrictEqual } from "node:util";
import { group } from "../../core/base/text/group.ts";
import { type Condition, conditionKey, type ConditionNode, conditionsOf, receiversOf } from "./conditions.ts";
import { Draft } from "./draft.ts";
import { noNotifications, receiverKey, withoutOld, withoutRemovedChannels } from "./outbox.ts";
import { addMessages, type Decision } from "./queue.ts";
import { dayMs } from "../../core/base/text/duration.ts";
import type { Notifications } from "./notifications.ts";
import type { NotifiedFeed } from "./notified-feed.ts";

/**
 * How many runs in a row must see the renewed certificate before the event ends. If a host name has two servers, one of
 * them may still have the old certificate.
 */
const renewedRuns = 8;

/** Returns the notifications after a run, or undefined if there are none. */
export function updateNotifications(
  before: NotifiedFeed | undefined,
  after: NotifiedFeed,
): Notifications | undefined {
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
  const kept = withoutOld(updated, at);
  const isEmpty = [kept.events, kept.outbox].every((record) => Object.keys(record).length === 0);
  return isEmpty && kept.dropped === undefined ? undefined : kept;
}

/**
 * Updates the event about the feed. The event begins when the next run has been overdue for as long as a rule says, and
 * ends with the next saved run. `now` is in epoch milliseconds. Returns `feed.notifications` itself if nothing changes.
 */
export function updateFeedEvent(feed: NotifiedFeed, now: number): Notifications | undefined {
  const { run, notifications } = feed;
  // Before the first run, nothing is overdue.
  if (run.run === "") return notifications;
  const due = Date.parse(run.generated_at) + run.interval.scheduled_minutes * 60_000;
  const known = notifications ?? noNotifications;
  const overdue: Condition = { event: "feed", nodes: [{ node: undefined, since: due, isFrozen: false }] };
  const updated = applyConditions(feed, known, "feed", due < now ? [overdue] : [], now);
  return isDeepStrictEqual(updated, known) ? notifications : updated;
}

/**
 * Begins and ends events so that they match `conditions`, which must be all current conditions of the mirrors or of the
 * feed, in any order. Cancels a pending end if its event goes on, and a pending begin if its event is over. `now` is in
 * epoch milliseconds.
 */
export function applyConditions(
  { rules, channels }: Pick<NotifiedFeed, "rules" | "channels">,
  known: Notifications,
  about: "mirrors" | "feed",
  conditions: readonly Condition[],
  now: number,
): Notifications {
  const stored = withoutRemovedChannels(known, channels);
  // The messages of this run get a later time than all pending ones, so that sorting by time also sorts by run.
  const at = Object.values(stored.outbox).reduce((latest, one) => Math.max(latest, one.at + 1), now);
  const draft = new Draft(stored);
  if (about === "mirrors") forgetRewritten(draft, now);
  const judged = Object.entries(draft.events).filter(
    ([, { event }]) => (event === "feed") === (about === "feed") && event !== "rewritten",
  );
  const idsByKey = group(judged.map(([id, event]) => [conditionKey(event, event.nodes[0]), id]));
  const offlineByNode = group(
    judged.flatMap(([id, { event, nodes }]) =>
      event === "offline" ? nodes.map((node) => [node, id] as const) : [],
    ),
  );
  /**
   * For an offline condition, returns the stored offline events of `nodes`. Some may be from earlier incidents, because
   * an event is kept until its end has been sent to all channels.
   */
  const alsoOffline = ({ event }: Condition, nodes: readonly ConditionNode[]): readonly string[] =>
    event === "offline" ? nodes.flatMap(({ node }) => offlineByNode.get(node?.id ?? 0) ?? []) : [];
  const lasting = new Set<string>();
  const decisions: Decision[] = [];
  const keyed = conditions
    .map((one) => [conditionKey(one, one.nodes[0]?.node?.id), one] as const)
    .sort(byKey);
  for (const [key, condition] of keyed) {
    const ids: readonly string[] = idsByKey.get(key) ?? [];
    // A frozen condition keeps an event that has begun, but does not begin a new one.
    const isFrozen = condition.nodes.every((one) => one.isFrozen);
    if (isFrozen && ids.length === 0 && alsoOffline(condition, condition.nodes).length === 0) continue;
    let created: string | undefined;
    for (const [channel, { rule, nodes, due }] of [...receiversOf(rules, condition, now)].sort(byKey)) {
      const told = [...ids, ...alsoOffline(condition, nodes)].filter((id) => draft.receiver(id, channel));
      for (const id of told) {
        lasting.add(receiverKey(id, channel));
        if (draft.phaseOf(id, channel) === "end") draft.cancel(id, channel);
        if (draft.receiver(id, channel)?.renewed_runs !== undefined)
          draft.update(id, channel, { renewed_runs: undefined });
      }
      if (rule === undefined) continue;
      const open = told.find((id) => ids.includes(id) || areAllOf(draft.events[id]?.nodes ?? [], due));
      const id =
        open ??
        ids.find((one) => draft.receiver(one, channel) === undefined) ??
        (created ??= draft.create(key, condition, due, at));
      if (id === undefined) continue;
      draft.join(id, due);
      const isTold = open !== undefined && draft.receiver(open, channel)?.unsure === undefined;
      if (!isTold && draft.phaseOf(id, channel) === undefined)
        decisions.push({ phase: "begin", channel, event: id, rule });
    }
  }
  const conditionOf = new Map(keyed);
  for (const [id, event] of judged)
    for (const channel of Object.keys(event.to)) {
      if (lasting.has(receiverKey(id, channel)) || draft.phaseOf(id, channel) === "end") continue;
      const isWaiting = draft.phaseOf(id, channel) === "begin";
      draft.cancel(id, channel);
      const { unsure, renewed_runs = 0 } = draft.receiver(id, channel) ?? {};
      const [seen] = conditionOf.get(conditionKey(event, event.nodes[0]))?.nodes ?? [];
      // A run in which the mirror was offline does not count, because it saw no certificate.
      const runs = renewed_runs + (seen?.isFrozen === false && seen.node?.status === 1 ? 1 : 0);
      if (isWaiting && unsure === undefined) draft.remove(id, channel);
      else if (event.event !== "certificate" || seen === undefined || runs >= renewedRuns)
        decisions.push({ phase: "end", channel, event: id });
      else if (runs > 0) draft.update(id, channel, { renewed_runs: runs });
    }
  return addMessages({ ...stored, events: draft.events, outbox: draft.outbox }, decisions, at);
}

/** Removes events about rewritten tags a day after they were reported. */
function forgetRewritten(draft: Draft, now: number): void {
  for (const [id, { decided = now, to }] of Object.entries(draft.events))
    if (now - decided >= dayMs)
      for (const channel of Object.keys(to))
        if (draft.phaseOf(id, channel) === undefined) draft.remove(id, channel);
}

function areAllOf(members: readonly number[], nodes: readonly ConditionNode[]): boolean {
  const known = new Set(members);
  return nodes.every(({ node }) => node !== undefined && known.has(node.id));
}

function byKey([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}
