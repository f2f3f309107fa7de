import * as z from "zod";
import type { Channel } from "../channels/channel.ts";
import * as registry from "../channels/registry.ts";
import { strictObject as strict } from "../kinds/strict-object.ts";
import { quote } from "../base/text/quote.ts";
import { channelName } from "./notify.ts";

const allowPrivate = z
  .boolean()
  .default(false)
  .describe("Whether it may be at a loopback, private or link-local address, and be reached without TLS.")
  .meta({ examples: [true] });

type ChannelType = keyof typeof registry;

const channels: Readonly<Record<ChannelType, Channel>> = registry;
const [first = "email", ...others] = Object.keys(registry).filter(isChannelType);

const channel = z.discriminatedUnion("type", [schemaOf(first), ...others.map(schemaOf)], {
  error: `must be one of ${[first, ...others].map(quote).join(", ")}`,
});

const maxChannels = 1000;

/** The schema of `channels`: how messages are sent, without any secret. */
export const channelsKey = z
  .record(channelName, channel)
  .refine((channels) => Object.keys(channels).length <= maxChannels, {
    error: `must have ${maxChannels} channels or fewer`,
  })
  .default({})
  .describe(
    "How messages are sent, by names of your choice. Keys that end in Env hold the name of an environment variable, since this file is public.",
  )
  .meta({ examples: [{ ops: { type: "webhook", ...channels.webhook.example } }] });

export type ChannelConfig = z.infer<typeof channel>;

function schemaOf(type: ChannelType) {
  const { options, description } = channels[type];
  const key = z.literal(type).describe("The type of the channel: it decides the other keys.");
  return strict({ type: key, ...options, allowPrivate }).describe(description);
}

function isChannelType(text: string): text is ChannelType {
  return Object.hasOwn(registry, text);
}
