import { randomBytes } from "node:crypto";
import pLimit from "p-limit";
import { asError, InputError } from "../../core/base/errors.ts";
import type { CommandContext } from "../../core/base/terminal/context.ts";
import { minuteMs } from "../../core/base/text/duration.ts";
import type { ChannelConfig } from "../../core/config/channels.ts";
import type { Config } from "../../core/config/config-schema.ts";
import type { StateOptions } from "../../core/state/stored-state.ts";
import type { Delivery } from "./channels/channel.ts";
import { channels } from "./channels/channel-registry.ts";
import type { Message } from "./channels/message.ts";
import { claim, confirm, nextAttempt, type Outcome } from "./claims.ts";
import { composeMessage, testMessage } from "./compose.ts";
import { type Difference, differencesOf, linesAfter } from "./difference.ts";
import type { NotifiedFeed } from "./notified-feed.ts";
import { isUsable, requireVariables } from "./secrets.ts";
import { messageMs, openSender, type Outgoing, type Sender, sendMessage } from "./send.ts";
import { servedRun } from "./served-run.ts";
import { type Line, nothingTold, type Told } from "./told.ts";

/** How long a channel may take, which is less than half of a claim's time. */
const channelMs = 5 * minuteMs;

/** Several channels may use the same mail server, which limits connections. */
const channelsAtOnce = 4;

export interface NotifyOptions extends StateOptions {
  readonly siteUrl?: string | undefined;
  /** Sends only to this channel. */
  readonly channel?: string | undefined;
  /** Sends to a channel that failed before its next attempt is due. */
  readonly retry?: boolean | undefined;
}

/** A message and its outcome. `next` is when the channel is tried again, in epoch milliseconds. */
export interface Sent extends Outgoing {
  readonly delivery: Delivery;
  readonly next: number | undefined;
}

/** A message that can be sent now or, if `next` is set, then. */
export interface Waiting extends Outgoing {
  readonly next: number | undefined;
}

export interface Results {
  readonly sent: readonly Sent[];
  readonly waiting: readonly Waiting[];
}

/** The feed of the stored state. */
export interface NotifiedStore {
  /** Returns undefined before the first run. Rejects with InputError if the state cannot be read. */
  readonly load: () => Promise<NotifiedFeed | undefined>;
  /** Stores what `update` returns, and returns the feed with it. If another process saved first, calls it again. */
  readonly save: (update: (feed: NotifiedFeed) => Told) => Promise<NotifiedFeed>;
}

/** Opens the store of a feed. `config` already has the URL of the site. */
export type OpenNotified = (config: Config, options: StateOptions, context: CommandContext) => NotifiedStore;

/** Returns what would be sent now, and what waits. Throws InputError if there is no state, or if it cannot be read. */
export async function preview(
  config: Config,
  { load }: NotifiedStore,
  options: NotifyOptions,
  context: CommandContext,
): Promise<Waiting[]> {
  const feed = await loadFeed(load, options);
  const sender = await openSender(config.probe.ca, config.site.url, context);
  try {
    const differences = differencesOf(feed, context.now(), await servedRun(feed, sender, context));
    return dueIn(feed, differences, options, context.now()).flatMap((due) => waitingFor(feed, due));
  } finally {
    sender.close();
  }
}

async function loadFeed(load: NotifiedStore["load"], { state }: NotifyOptions): Promise<NotifiedFeed> {
  const feed = await load();
  if (feed !== undefined) return feed;
  throw new InputError(
    `There is no state in ${state}; correct --state, or make the state with mirrorfeed run.`,
  );
}

/** A channel with something to be told now or, if `next` is set, then. */
interface Due {
  readonly channel: string;
  readonly entry: ChannelConfig;
  readonly says: Difference["says"];
  readonly next: number | undefined;
}

function dueIn(
  { channels: named, notifications }: NotifiedFeed,
  differences: ReadonlyMap<string, Difference>,
  { channel: only, retry }: NotifyOptions,
  now: number,
): Due[] {
  return [...differences].flatMap(([channel, { says }]) => {
    const entry = named[channel];
    if (entry === undefined || says.length === 0 || (only ?? channel) !== channel) return [];
    return [{ channel, entry, says, next: nextAttempt(notifications?.channels[channel], now, retry) }];
  });
}

/** How many messages to one channel are listed. */
const maxListed = 100;

/** Composes what a channel is to be told as if it were claimed now. */
function waitingFor(feed: NotifiedFeed, { channel, entry, says, next }: Due): Waiting[] {
  const none = "0".repeat(16);
  const { isSingle } = channels[entry.type];
  const lines = says.slice(0, isSingle ? maxListed : undefined).map(({ phase, id = none, line }) => {
    return [id, { ...line, claim: { phase, until: 0, by: none } }] as const;
  });
  return messagesOf(feed, channel, entry, lines).map(({ message }) => ({ channel, entry, message, next }));
}

interface Claimed extends Outgoing {
  readonly ids: readonly string[];
}

function messagesOf(
  feed: NotifiedFeed,
  channel: string,
  entry: ChannelConfig,
  lines: readonly (readonly [id: string, line: Line])[],
): Claimed[] {
  const groups = channels[entry.type].isSingle
    ? lines.map((line) => [line])
    : lines.length > 0
      ? [lines]
      : [];
  return groups.map((own) => {
    return { channel, entry, ids: own.map(([id]) => id), message: composeMessage(feed, channel, own) };
  });
}

/**
 * Tells each channel the difference between what is so and what it was told, and calls `onSent` for each message. After
 * an interrupt, records which messages were sent and rejects with the interrupt's reason. Throws InputError if there is
 * no state, and at the end if environment variables are not set for channels with something to be told.
 */
export async function notify(
  config: Config,
  { load, save }: NotifiedStore,
  options: NotifyOptions,
  context: CommandContext,
  onSent: (sent: Sent) => void,
): Promise<Results> {
  const sent: Sent[] = [];
  let feed = await loadFeed(load, options);
  const sender = await openSender(config.probe.ca, config.site.url, context);
  try {
    const servedAt = await servedRun(feed, sender, context);
    // One save at a time, since each begins with what the one before has stored.
    const saving = pLimit(1);
    const update: Telling["update"] = (change) =>
      saving(async () => {
        feed = await save((before) => change(before, differencesOf(before, context.now(), servedAt)));
        return feed;
      });
    const differences = differencesOf(feed, context.now(), servedAt);
    if (linesAfter(feed, differences).isChanged)
      await update((before, found) => linesAfter(before, found).told);
    const due = dueIn(feed, differences, options, context.now()).filter(({ next }) => next === undefined);
    const receivers = new Map(due.map(({ channel, entry }) => [channel, entry]));
    const limit = pLimit(channelsAtOnce);
    const telling = [...receivers]
      .filter(([, entry]) => isUsable(entry, context.environment))
      .map(([channel, entry]) =>
        limit(() =>
          tell(channel, entry, { update, sender, context }, (one) => {
            sent.push(one);
            onSent(one);
          }),
        ),
      );
    await Promise.allSettled(telling);
    await Promise.all(telling);
    requireVariables(receivers, context);
    const now = context.now();
    const later = dueIn(feed, differencesOf(feed, now, servedAt), { ...options, retry: false }, now).filter(
      ({ next }) => next !== undefined,
    );
    return { sent, waiting: later.flatMap((one) => waitingFor(feed, one)) };
  } finally {
    sender.close();
  }
}

/** Sends a test to a channel. Where events have a beginning and an end, the test has both. */
export async function sendTest(
  config: Config,
  channel: string,
  context: CommandContext,
  onSent: (sent: Sent) => void,
): Promise<void> {
  const entry = config.channels[channel];
  if (entry === undefined) return;
  requireVariables(new Map([[channel, entry]]), context);
  const sender = await openSender(config.probe.ca, config.site.url, context);
  const send = async (message: Message): Promise<Delivery> => {
    const delivery = await sendMessage({ channel, entry, message }, sender, context);
    onSent({ channel, entry, message, delivery, next: undefined });
    return delivery;
  };
  try {
    const begun = await send(testMessage(channel, "begin"));
    if (channels[entry.type].isSingle && begun.outcome === "sent")
      await send(testMessage(channel, "end", begun.number));
  } finally {
    sender.close();
  }
}

interface Telling {
  readonly update: (
    change: (feed: NotifiedFeed, differences: Map<string, Difference>) => Told,
  ) => Promise<NotifiedFeed>;
  readonly sender: Sender;
  readonly context: CommandContext;
}

/** Claims what a channel is to be told, sends it and records the outcome. */
async function tell(
  channel: string,
  entry: ChannelConfig,
  { update, sender, context }: Telling,
  onSent: (sent: Sent) => void,
): Promise<void> {
  context.interrupt.throwIfAborted();
  const by = randomBytes(8).toString("hex");
  const { isSingle } = channels[entry.type];
  let claimedAt = context.now();
  const feed = await update(({ notifications = nothingTold }, differences) => {
    claimedAt = context.now();
    const difference = differences.get(channel) ?? { lines: {}, says: [] };
    return claim(notifications, channel, difference, { by, now: claimedAt, isSingle });
  });
  const lines = Object.entries(feed.notifications?.lines ?? {}).filter(([, one]) => one.claim?.by === by);
  const messages = messagesOf(feed, channel, entry, lines);
  if (messages.length === 0) return;
  const outcomes: Outcome[] = [];
  const deliveries: (readonly [Claimed, Delivery])[] = [];
  let interrupted: Error | undefined;
  for (const message of messages) {
    let delivery: Delivery | undefined;
    const [, last] = deliveries.at(-1) ?? [];
    const isLate = context.now() - claimedAt > channelMs - messageMs;
    if (interrupted === undefined && !isLate && !isHopeless(last)) {
      try {
        delivery = await sendMessage(message, sender, context);
        deliveries.push([message, delivery]);
      } catch (thrown) {
        interrupted = asError(thrown);
        delivery = { outcome: "failed", reason: "It was interrupted.", mayHaveArrived: true };
      }
    }
    outcomes.push({ ids: message.ids, delivery });
  }
  const after = await update(({ notifications = nothingTold }) =>
    confirm(notifications, channel, outcomes, { by, claimedAt, now: context.now() }),
  );
  const next = nextAttempt(after.notifications?.channels[channel], context.now());
  for (const [message, delivery] of deliveries)
    onSent({ ...message, delivery, next: delivery.outcome === "failed" ? next : undefined });
  if (interrupted !== undefined) throw interrupted;
}

/** Whether the next message would probably fail, too. */
function isHopeless(delivery: Delivery | undefined): boolean {
  return delivery?.outcome === "failed" && (delivery.mayHaveArrived ?? delivery.retryAfterMs !== undefined);
}
