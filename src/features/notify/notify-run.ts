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
import { claim, confirm, nextAttempt, type Outcome } from "./claims.ts";
import { composeMessage, testMessage } from "./compose.ts";
import type { Difference } from "./comparison.ts";
import { differencesOf, linesAfter, noDifference } from "./difference.ts";
import type { NotifiedFeed } from "./notified-feed.ts";
import { isUsable, requireVariables } from "./secrets.ts";
import { messageMs, openSender, type Outgoing, type Sender, sendMessage } from "./send.ts";
import { servedRun } from "./served-run.ts";
import { nothingTold, type Told } from "./told.ts";
import { type Waiting, waitingIn } from "./waiting.ts";

/** How long a channel may take, which is half of a claim's time. */
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

/** The feed of the stored state. */
export interface NotifiedStore {
  /** Returns undefined before the first run. Rejects with InputError if the state cannot be read. */
  readonly load: () => Promise<NotifiedFeed | undefined>;
  /** Stores what `update` returns, and returns the feed with it. If another process saved first, calls it again. */
  readonly save: (update: (feed: NotifiedFeed) => Told) => Promise<NotifiedFeed>;
}

/** Opens the store of a feed. `config` already has the URL of the site. */
export type OpenNotified = (config: Config, options: StateOptions, context: CommandContext) => NotifiedStore;

/** One call of `notify`. */
interface Call {
  readonly context: CommandContext;
  readonly sender: Sender;
  readonly compare: (feed: NotifiedFeed) => Map<string, Difference>;
  /** What the channels are to be told as of now. */
  readonly waiting: (feed: NotifiedFeed, retry?: boolean) => Waiting[];
}

/** Loads the feed. Throws InputError if there is no state, or if it cannot be read. */
async function withFeed<Result>(
  config: Config,
  { load }: NotifiedStore,
  { state, channel: only }: NotifyOptions,
  context: CommandContext,
  use: (feed: NotifiedFeed, call: Call) => Promise<Result>,
): Promise<Result> {
  const feed = await load();
  if (feed === undefined)
    throw new InputError(
      `There is no state in ${state}; correct --state, or make the state with mirrorfeed run.`,
    );
  const sender = await openSender(config.probe.ca, config.site.url, context);
  try {
    const servedAt = await servedRun(feed, sender, context);
    const compare = (known: NotifiedFeed) => differencesOf(known, context.now(), servedAt);
    const waiting = (known: NotifiedFeed, retry?: boolean): Waiting[] =>
      waitingIn(known, compare(known), context.now(), retry).filter(
        ({ channel }) => channel === (only ?? channel),
      );
    return await use(feed, { context, sender, compare, waiting });
  } finally {
    sender.close();
  }
}

/** Returns what would be sent now, and what waits. */
export function preview(
  config: Config,
  store: NotifiedStore,
  options: NotifyOptions,
  context: CommandContext,
): Promise<{ messages: Outgoing[]; waiting: Waiting[] }> {
  return withFeed(config, store, options, context, (feed, { compare, waiting }) => {
    const by = "0".repeat(16);
    const all = waiting(feed, options.retry);
    const messages = all.flatMap(({ channel, next }) => {
      const entry = config.channels[channel];
      if (entry === undefined || next !== undefined) return [];
      return messagesOf(claimed(feed, compare(feed), channel, entry, by, context.now()), channel, entry, by);
    });
    return Promise.resolve({ messages, waiting: all });
  });
}

function claimed(
  feed: NotifiedFeed,
  differences: ReadonlyMap<string, Difference>,
  channel: string,
  { type }: ChannelConfig,
  by: string,
  now: number,
): NotifiedFeed & { readonly notifications: Told } {
  const { notifications: told = nothingTold } = feed;
  const difference = differences.get(channel) ?? noDifference;
  const notifications = claim(told, channel, difference, { by, now, isSingle: channels[type].isSingle });
  return { ...feed, notifications };
}

/** Composes the messages about the lines that `by` has claimed. */
function messagesOf(feed: NotifiedFeed, channel: string, entry: ChannelConfig, by: string) {
  const lines = Object.entries(feed.notifications?.lines ?? {}).filter(([, line]) => line.claim?.by === by);
  const groups = channels[entry.type].isSingle ? lines.map((line) => [line]) : [lines];
  return groups
    .filter((own) => own.length > 0)
    .map((own) => {
      const ids = own.map(([id]) => id);
      return { channel, entry, ids, message: composeMessage(feed, channel, own) };
    });
}

/**
 * Tells each channel the difference between what is so and what it was told, and calls `onSent` for each message.
 * Returns what waits. After an interrupt, records which messages were sent and rejects with the interrupt's reason.
 * Throws InputError at the end if environment variables are not set for channels with something to be told.
 */
export function notify(
  config: Config,
  store: NotifiedStore,
  options: NotifyOptions,
  context: CommandContext,
  onSent: (sent: Sent) => void,
): Promise<Waiting[]> {
  return withFeed(config, store, options, context, async (first, call) => {
    let feed = first;
    // One save at a time, since each begins with what the one before has stored.
    const saving = pLimit(1);
    const save: NotifiedStore["save"] = (update) => saving(async () => (feed = await store.save(update)));
    if (linesAfter(feed, call.compare(feed)).isChanged)
      await save((before) => linesAfter(before, call.compare(before)).told);
    const due = call.waiting(feed, options.retry).filter(({ next }) => next === undefined);
    const receivers = due.flatMap(({ channel }) => {
      const entry = config.channels[channel];
      return entry === undefined ? [] : [[channel, entry] as const];
    });
    const limit = pLimit(channelsAtOnce);
    const telling = receivers
      .filter(([, entry]) => isUsable(entry, context.environment))
      .map(([channel, entry]) => limit(() => tell(channel, entry, call, save, onSent)));
    await Promise.allSettled(telling);
    await Promise.all(telling);
    requireVariables(new Map(receivers), context);
    return call.waiting(feed).filter(({ next }) => next !== undefined);
  });
}

/** Claims what a channel is to be told, sends it and records the outcome. */
async function tell(
  channel: string,
  entry: ChannelConfig,
  { compare, sender, context }: Call,
  save: NotifiedStore["save"],
  onSent: (sent: Sent) => void,
): Promise<void> {
  context.interrupt.throwIfAborted();
  const by = randomBytes(8).toString("hex");
  let claimedAt = 0;
  const feed = await save((before) => {
    claimedAt = context.now();
    return claimed(before, compare(before), channel, entry, by, claimedAt).notifications;
  });
  const outcomes: Outcome[] = [];
  const tried: Omit<Sent, "next">[] = [];
  let interrupted: Error | undefined;
  for (const { ids, ...message } of messagesOf(feed, channel, entry, by)) {
    let delivery: Delivery | undefined;
    const isLate = context.now() - claimedAt > channelMs - messageMs;
    if (interrupted === undefined && !isLate && !isHopeless(tried.at(-1)?.delivery)) {
      try {
        delivery = await sendMessage(message, sender, context);
        tried.push({ ...message, delivery });
      } catch (error) {
        interrupted = asError(error);
        delivery = { outcome: "failed", reason: "It was interrupted.", mayHaveArrived: true };
      }
    }
    outcomes.push({ ids, delivery });
  }
  if (outcomes.length === 0) return;
  const after = await save(({ notifications = nothingTold }) =>
    confirm(notifications, channel, outcomes, { by, claimedAt, now: context.now() }),
  );
  const next = nextAttempt(after.notifications?.channels[channel], context.now());
  for (const one of tried) onSent({ ...one, next: one.delivery.outcome === "failed" ? next : undefined });
  if (interrupted !== undefined) throw interrupted;
}

/** Whether the next message would probably fail, too. */
function isHopeless(delivery: Delivery | undefined): boolean {
  if (delivery?.outcome !== "failed") return false;
  return delivery.mayHaveArrived === true || delivery.retryAfterMs !== undefined;
}

/** Sends a test to a channel. Where each event is a message of its own, the test begins and ends. */
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
  const at = context.now();
  let number: number | undefined;
  try {
    for (const phase of ["begin", "end"] as const) {
      if (phase === "end" && number === undefined) break;
      const outgoing = { channel, entry, message: testMessage(channel, phase, at, number) };
      const delivery = await sendMessage(outgoing, sender, context);
      onSent({ ...outgoing, delivery, next: undefined });
      number = delivery.outcome === "sent" ? delivery.number : undefined;
    }
  } finally {
    sender.close();
  }
}
