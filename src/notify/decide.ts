import { parseDuration } from "../base/text/duration.ts";
import type { Node } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import type { Notifications, State } from "../state/schema.ts";
import { applyConditions } from "./apply.ts";
import { conditionsOf, type StateMove } from "./conditions.ts";
import { noNotifications, withoutOldDropped } from "./outbox.ts";

/**
 * Returns the notifications after a run that was decided at a time (epoch milliseconds). They follow from those of the state
 * after the run, which still has those before it. Returns undefined if there are none.
 */
export function updateNotifications(
  config: Pick<Config, "notify" | "channels" | "maintenance">,
  nodes: readonly Node[],
  { before, after }: StateMove,
  at: number,
): Notifications | undefined {
  const { notifications: known } = after;
  const hasRules = !Array.isArray(config.notify) || config.notify.length > 0;
  if (known === undefined && !hasRules) return undefined;
  const updated = applyConditions(config, known ?? noNotifications, {
    conditions: conditionsOf(config, nodes, { before, after }, at),
    isJudged: (event) => event !== "feed",
    at,
  });
  const kept = withoutOldDropped(updated, at);
  const isEmpty = [kept.events, kept.outbox].every((record) => Object.keys(record).length === 0);
  return isEmpty && kept.dropped === undefined ? undefined : kept;
}

/**
 * Returns the notifications with the event of the feed as it is at a time (epoch milliseconds). It begins if the next run is
 * overdue for as long as a rule says, and ends with the next run that is saved. Returns those of the state if nothing is new.
 */
export function updateFeedEvent(
  config: Pick<Config, "notify" | "channels" | "site">,
  { runs, notifications }: Pick<State, "runs" | "notifications">,
  now: number,
): Notifications | undefined {
  const last = runs.at(-1)?.[1];
  if (last === undefined) return notifications;
  const due = last + parseDuration(config.site.interval);
  const known = notifications ?? noNotifications;
  const updated = applyConditions(config, known, {
    conditions:
      due < now ? [{ event: "feed", nodes: [{ node: undefined, since: due, isFrozen: false }] }] : [],
    isJudged: (event) => event === "feed",
    at: now,
  });
  return updated === known ? notifications : updated;
}
