import * as z from "zod";
import * as registry from "../channels/registry.ts";
import { strictObject as strict } from "../kinds/strict-object.ts";
import { quote } from "../text/quote.ts";
import { channelName } from "./notify.ts";

const allowPrivate = z
  .boolean()
  .default(false)
  .describe("Whether it may be at a loopback, private or link-local address, and be reached without TLS.")
  .meta({ examples: [true] });

const { alertmanager, email, github, webhook } = registry;

/** Returns the schema of the key by which channels differ. */
function typeKey<Name extends string>(name: Name) {
  return z.literal(name).describe("The type of the channel: it decides the other keys.");
}

const types = Object.keys(registry).map(quote);

const channel = z.discriminatedUnion(
  "type",
  [
    strict({ type: typeKey("email"), ...email.options, allowPrivate }).describe(email.description),
    strict({ type: typeKey("webhook"), ...webhook.options, allowPrivate }).describe(webhook.description),
    strict({ type: typeKey("alertmanager"), ...alertmanager.options, allowPrivate }).describe(
      alertmanager.description,
    ),
    strict({ type: typeKey("github"), ...github.options, allowPrivate }).describe(github.description),
  ],
  { error: `must be one of ${types.join(", ")}` },
);

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
  .meta({ examples: [{ ops: { type: "webhook", ...webhook.example } }] });

export type ChannelConfig = z.infer<typeof channel>;
