import type { Config } from "../config/schema.ts";
import type { State } from "../state/document.ts";
import type { Notifications } from "../state/notification-document.ts";
import { applyConditions } from "./apply.ts";
import { noNotifications } from "./outbox.ts";

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
  const due = last + config.site.intervalMinutes * 60_000;
  const known = notifications ?? noNotifications;
  const updated = applyConditions(config, known, {
    conditions:
      due < now ? [{ event: "feed", nodes: [{ node: undefined, since: due, isFrozen: false }] }] : [],
    isJudged: (event) => event === "feed",
    at: now,
    lastRun: last,
  });
  return updated === known ? notifications : updated;
}
