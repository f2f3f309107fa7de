import type { Notifications } from "../state/schema.ts";

/** How many messages wait to be sent, how many of them have failed before, and how many were given up in the last week. */
export interface MessageCounts {
  readonly waiting: number;
  readonly failing: number;
  readonly dropped: number;
}

/** Returns the number of messages of a state's notifications. */
export function messageCounts(notifications: Notifications | undefined): MessageCounts {
  const waiting = Object.values(notifications?.outbox ?? {});
  return {
    waiting: waiting.length,
    failing: waiting.filter(({ attempts }) => attempts !== undefined).length,
    dropped: notifications?.dropped?.[0] ?? 0,
  };
}
