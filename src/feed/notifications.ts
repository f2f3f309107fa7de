import type { Notifications } from "../state/schema.ts";
import type { Feed } from "./feed.ts";
import { messageCounts } from "./run.ts";

// For notifications, which import neither the configuration nor the state.
export type { ChannelConfig } from "../config/notify.ts";
export { contactName, type EventName, eventNames, type NotifyRule } from "../config/notify.ts";
export {
  eventNodesKept,
  eventsKept,
  messagesKept,
  type Notifications,
  type NotifiedEvent,
  type WaitingMessage,
} from "../state/schema.ts";

/** Returns a feed with these notifications. Their numbers are published only if mirrors.json has rules. */
export function withNotifications(
  feed: Omit<Feed, "notifications">,
  notifications: Notifications | undefined,
): Feed {
  const counts = feed.rules.length === 0 ? undefined : messageCounts(notifications);
  return { ...feed, run: { ...feed.run, notifications: counts }, notifications };
}
