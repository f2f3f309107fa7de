import type { Config } from "../../core/config/config-schema.ts";
import { type NotifyRule, notifyRules } from "../../core/config/notify-rules.ts";
import { type Feed, withMessages } from "../../core/feed/feed.ts";
import { messageCounts, type Notifications } from "./notifications.ts";
import type { ChannelConfig } from "../../core/config/channels.ts";

/** A feed, and what is never published of it: who is told about what. */
export interface NotifiedFeed extends Feed {
  readonly rules: readonly NotifyRule[];
  readonly channels: Readonly<Record<string, ChannelConfig>>;
  readonly notifications: Notifications | undefined;
  readonly allowPrivate: boolean;
}

/** Adds to a feed who is told about what, and publishes how many messages are pending. */
export function notifiedFeed(
  feed: Feed,
  config: Pick<Config, "notify" | "channels" | "probe">,
  notifications: Notifications | undefined,
): NotifiedFeed {
  const rules = notifyRules(config);
  return {
    ...withMessages(feed, rules.length > 0 ? messageCounts(notifications) : undefined),
    rules,
    channels: config.channels,
    notifications,
    allowPrivate: config.probe.allowPrivate,
  };
}
