import { updateNotifications } from "./decide.ts";
import { mark } from "./outbox.ts";
import type { Notifications } from "./notifications.ts";
import type { NotifiedFeed } from "./notified-feed.ts";

/**
 * Returns the notifications after the first run with a restored state. The state that was lost may have told about all
 * that is so now, whatever the delays of the rules, so all of it counts as told, and nothing stays pending.
 */
export function notificationsAsTold(
  before: NotifiedFeed | undefined,
  after: NotifiedFeed,
): Notifications | undefined {
  const rules = after.rules.map((rule) => ({ ...rule, afterMs: () => 0 }));
  const updated = updateNotifications(before, { ...after, rules });
  const at = Date.parse(after.run.generated_at);
  return (
    updated &&
    Object.keys(updated.outbox).reduce((told, id) => mark(told, id, { outcome: "sent" }, at), updated)
  );
}
