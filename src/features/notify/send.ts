import { userAgent } from "../../core/base/files/package.ts";
import { hasRoute, isPublic } from "../../core/base/http/address.ts";
import { openConnections } from "../../core/base/http/open-transport.ts";
import { Transport, wholeAnswer } from "../../core/base/http/transport.ts";
import { ProbeFailure, withDeadline } from "../../core/base/http/failure.ts";
import type { CommandContext } from "../../core/base/terminal/context.ts";
import type { Delivery, SendContext } from "./channels/channel.ts";
import type { Message } from "./channels/message.ts";
import { channels } from "./channels/channel-registry.ts";
import { composeMessage } from "./compose.ts";
import { dueMessages, inOrder, maxAttempts, nextAttempt, noNotifications } from "./outbox.ts";
import { readContext, withoutSecrets } from "./secrets.ts";
import type { WaitingMessage } from "./notifications.ts";
import type { NotifiedFeed } from "./notified-feed.ts";
import type { ChannelConfig } from "../../core/config/channels.ts";

/** The time limit for sending one message, in milliseconds. */
const timeoutMs = 60_000;

/** A pending message and its channel. */
export interface Waiting {
  readonly id: string;
  readonly channel: string;
  readonly entry: ChannelConfig;
  readonly message: Message;
  /** How many attempts have begun. */
  readonly attempts: number;
  /** When the message is due, in epoch milliseconds. Undefined if it is due now. */
  readonly next: number | undefined;
}

export interface Selection {
  /** Sends only to this channel. */
  readonly channel?: string | undefined;
  /** Sends failed messages before their next attempt is due. */
  readonly retry?: boolean | undefined;
}

/** A message and its outcome. A failed message is tried again, and a refused one is given up. */
export interface Sent extends Waiting {
  readonly delivery: Delivery;
}

/**
 * A message that is due. `message` is undefined if nothing is left to tell the channel, or if the channel is no
 * longer in mirrors.json.
 */
type Due = Waiting | { readonly id: string; readonly channel: string; readonly message: undefined };

/** Composes due messages one at a time, in order, until the caller stops. */
export function* dueOf(
  feed: NotifiedFeed,
  now: number,
  { channel: only, retry }: Selection,
  isWanted: (id: string, channel: string) => boolean,
): Generator<Due> {
  const { notifications = noNotifications } = feed;
  for (const [id, item] of dueMessages(notifications, now, retry)) {
    const { channel } = item;
    if ((only ?? channel) === channel && isWanted(id, channel))
      yield compose(feed, id, item, now) ?? { id, channel, message: undefined };
  }
}

/**
 * Returns all pending messages that still have something to say, in order. With `retry`, messages that failed before
 * are due now.
 */
export function listWaiting(
  feed: NotifiedFeed,
  now: number,
  { channel, retry = false }: Selection,
): Waiting[] {
  return inOrder(feed.notifications ?? noNotifications).flatMap(([id, item]) => {
    const waiting = (channel ?? item.channel) === item.channel ? compose(feed, id, item, now) : undefined;
    if (waiting === undefined) return [];
    return retry && waiting.attempts > 0 ? { ...waiting, next: undefined } : waiting;
  });
}

/** Returns undefined if nothing is left to tell the channel, or if the channel is no longer in mirrors.json. */
function compose(feed: NotifiedFeed, id: string, item: WaitingMessage, now: number): Waiting | undefined {
  const { channel, attempts = 0 } = item;
  const entry = Object.hasOwn(feed.channels, channel) ? feed.channels[channel] : undefined;
  const message = entry && composeMessage(id, item, feed);
  if (entry === undefined || message === undefined) return undefined;
  return { id, channel, entry, message, attempts, next: nextAttempt(item, now) };
}

/**
 * Sends a message whose attempt is already recorded. If this is the message's last attempt and it fails, the outcome is
 * `refused`.
 */
export async function sendMessage(
  { entry, message, attempts }: Waiting,
  sender: Sender,
  { interrupt, environment }: Pick<CommandContext, "interrupt" | "environment">,
): Promise<Delivery> {
  interrupt.throwIfAborted();
  const delivery = await withDeadline(timeoutMs, interrupt, (signal) =>
    channels[entry.type].send(message, entry, sender.contextFor(entry, signal)),
  ).catch((error: unknown): Delivery => {
    if (!(error instanceof ProbeFailure)) throw error;
    return { outcome: "failed", reason: `It did not answer (${error.code}).`, mayHaveArrived: true };
  });
  if (delivery.outcome === "sent") return delivery;
  const reason = withoutSecrets(delivery.reason, entry, environment);
  return delivery.outcome === "refused" || attempts < maxAttempts
    ? { ...delivery, reason }
    : { outcome: "refused", reason: `${reason} This was the last of ${maxAttempts} attempts.` };
}

/** Enough for a page of a hundred GitHub issues with their text. */
const maxBytes = 16 * 1024 * 1024;

export interface Sender {
  readonly contextFor: (
    channel: Pick<ChannelConfig, "type" | "allowPrivate">,
    signal: AbortSignal,
  ) => SendContext;
  readonly close: () => void;
}

/**
 * Opens a sender with the certificates, resolver and proxies of a run. `site` is the site's URL, for the user agent.
 * Throws InputError if a certificate file cannot be read or contains no valid certificate.
 */
export async function openSender(
  ca: readonly string[],
  site: string | undefined,
  { environment, now }: Pick<CommandContext, "environment" | "now">,
): Promise<Sender> {
  const connections = await openConnections(ca, environment);
  const { resolver, secureContext, families } = connections;
  const shared = { ...connections, maxBytes, userAgent: userAgent({ site }) };
  const anyAddress = (): boolean => true;
  const onlyPublic = new Transport({ ...shared, isAllowed: isPublic });
  const any = new Transport({ ...shared, isAllowed: anyAddress });
  return {
    contextFor: ({ type, allowPrivate }, signal) => ({
      ...readContext({ type, allowPrivate }, environment),
      request: (url, options) => (allowPrivate ? any : onlyPublic).request(url, wholeAnswer, signal, options),
      resolve: async (hostname) => {
        const isAllowed = allowPrivate ? anyAddress : isPublic;
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
