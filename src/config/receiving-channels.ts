import type { ChannelConfig } from "./channels.ts";
import { listNodes } from "./nodes.ts";
import { contactName, notifyRules } from "./notify.ts";
import type { Config } from "./schema.ts";

/** Returns the channels that a rule names, or that are the contact of a mirror, by their names. */
export function receivingChannels(config: Config): Map<string, ChannelConfig> {
  const named = notifyRules(config).flatMap(({ to }) => to);
  const contacts = named.includes(contactName) ? listNodes(config).map(({ contact }) => contact) : [];
  const names = new Set([...named, ...contacts]);
  return new Map(Object.entries(config.channels).filter(([name]) => names.has(name)));
}
