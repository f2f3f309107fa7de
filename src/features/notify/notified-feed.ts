import type { ChannelConfig } from "../../core/config/channels.ts";
import type { Config } from "../../core/config/config-schema.ts";
import { type NotifyRule, notifyRules } from "../../core/config/notify-rules.ts";
import type { Feed } from "../../core/feed/feed.ts";
import type { Told } from "./told.ts";

/** A feed, and what is never published of it: who is told about what, and what they were told. */
export interface NotifiedFeed extends Feed {
  readonly rules: readonly NotifyRule[];
  readonly channels: Readonly<Record<string, ChannelConfig>>;
  readonly notifications: Told | undefined;
  readonly allowPrivate: boolean;
}

export function notifiedFeed(
  feed: Feed,
  { probe, ...config }: Pick<Config, "notify" | "channels" | "probe">,
  notifications: Told | undefined,
): NotifiedFeed {
  const { channels } = config;
  return { ...feed, rules: notifyRules(config), channels, notifications, allowPrivate: probe.allowPrivate };
}
