import * as z from "../../core/base/zod.ts";
import { userAgent } from "../../core/base/files/package.ts";
import { hasRoute, isPublic } from "../../core/base/http/address.ts";
import { ProbeFailure, withDeadline } from "../../core/base/http/failure.ts";
import { openConnections } from "../../core/base/http/open-transport.ts";
import { Transport, wholeAnswer } from "../../core/base/http/transport.ts";
import { tryParseJson } from "../../core/base/text/json.ts";
import type { CommandContext } from "../../core/base/terminal/context.ts";
import type { ChannelConfig } from "../../core/config/channels.ts";
import { reportRoot } from "../../core/contract/contract.ts";
import type { Delivery, SendContext } from "./channels/channel.ts";
import { channels } from "./channels/channel-registry.ts";
import type { Message } from "./channels/message.ts";
import { readContext } from "./secrets.ts";
import type { NotifiedFeed } from "./told.ts";

/** The time limit for sending one message. */
export const messageMs = 60_000;

/** A message for a channel and, once it was sent, its outcome. */
export interface Outgoing {
  readonly channel: string;
  readonly entry: ChannelConfig;
  /** The lines that the message is about. */
  readonly ids: readonly string[];
  readonly message: Message;
  readonly delivery?: Delivery | undefined;
}

export function sendMessage(
  { entry, message }: Outgoing,
  sender: Sender,
  { interrupt }: Pick<CommandContext, "interrupt">,
): Promise<Delivery> {
  return withDeadline(messageMs, interrupt, (signal) =>
    channels[entry.type].send(message, entry, sender.contextFor(entry, signal)),
  );
}

/** Enough for a page of a hundred GitHub issues with their text, and for the report of a large feed. */
const maxBytes = 32 * 1024 * 1024;

export type Sender = Awaited<ReturnType<typeof openSender>>;

/**
 * Opens a sender with the certificates, resolver and proxies of a run. `site` is the site's URL, for the user agent.
 * Throws InputError if a certificate file cannot be read or contains no valid certificate.
 */
export async function openSender(
  ca: readonly string[],
  site: string | undefined,
  { environment, now }: Pick<CommandContext, "environment" | "now">,
) {
  const connections = await openConnections(ca, environment);
  const { resolver, secureContext, families } = connections;
  const shared = { ...connections, maxBytes, userAgent: userAgent({ site }) };
  const onlyPublic = new Transport({ ...shared, isAllowed: isPublic });
  const any = new Transport({ ...shared, isAllowed: () => true });
  return {
    contextFor: (
      channel: Pick<ChannelConfig, "type" | "allowPrivate">,
      signal: AbortSignal,
    ): SendContext => ({
      ...readContext(channel, environment),
      request: (url, options) =>
        (channel.allowPrivate ? any : onlyPublic).request(url, wholeAnswer, signal, options),
      resolve: async (hostname) => {
        const isAllowed = channel.allowPrivate ? () => true : isPublic;
        const isUsable = (address: string): boolean => isAllowed(address) && hasRoute(address, families);
        const { first, rest } = await resolver.resolve(hostname, signal);
        const address = first.find(isUsable) ?? (await rest)?.find(isUsable);
        if (address !== undefined) return address;
        throw new ProbeFailure(first.some(isAllowed) ? "no_route" : "blocked_address");
      },
      secureContext,
      signal,
      now,
    }),
    close: () => {
      onlyPublic.close();
      any.close();
    },
  };
}

const servedRunMs = 10_000;

const heartbeat = z.object({ generated_at: z.iso.datetime() });

/**
 * Asks the published site for the time of the run that it shows, in epoch milliseconds. Returns undefined if the site
 * does not say, or if no rule is about the feed.
 */
export async function servedRun(
  feed: NotifiedFeed,
  sender: Sender,
  { interrupt }: Pick<CommandContext, "interrupt">,
): Promise<number | undefined> {
  const { url, rules, allowPrivate } = feed;
  if (url === undefined || !rules.some(({ events }) => events.has("feed"))) return undefined;
  try {
    const { body } = await withDeadline(servedRunMs, interrupt, (signal) =>
      sender.contextFor({ type: "webhook", allowPrivate }, signal).request(new URL(`${url}/${reportRoot}/`)),
    );
    const { data } = heartbeat.safeParse(tryParseJson(body.toString()));
    return data && Date.parse(data.generated_at);
  } catch (error) {
    if (error instanceof ProbeFailure) return undefined;
    throw error;
  }
}
