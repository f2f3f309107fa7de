import { randomBytes } from "node:crypto";
import pLimit from "p-limit";
import { asError, InputError } from "../../core/base/errors.ts";
import type { CommandContext } from "../../core/base/terminal/context.ts";
import { minuteMs } from "../../core/base/text/duration.ts";
import type { Config } from "../../core/config/config-schema.ts";
import type { StateOptions } from "../../core/state/stored-state.ts";
import type { Delivery } from "./channels/channel.ts";
import { channels } from "./channels/channel-registry.ts";
import { claimDue, confirm, nextAttempt, type Outcome } from "./claims.ts";
import { composeMessage, testMessage } from "./compose.ts";
import { type Differences, differencesOf, keptLines } from "./difference.ts";
import { channelProblem, requireVariables } from "./secrets.ts";
import { messageMs, openSender, type Outgoing, type Sender, sendMessage } from "./send.ts";
import { servedRun } from "./served-run.ts";
import { type NotifiedFeed, nothingTold, type Told } from "./told.ts";
import { type Waiting, waitingIn } from "./waiting.ts";

/** How long all messages of a call may take, which is half of a claim's time. */
const callMs = 5 * minuteMs;

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

/** One call of `notify`, with a random id. */
interface Call {
  readonly by: string;
  readonly context: CommandContext;
  readonly sender: Sender;
  readonly compare: (feed: NotifiedFeed) => Differences;
  /** Returns what waits for the channels that the call is about. */
  readonly waiting: (feed: NotifiedFeed) => Waiting[];
}

/** Loads the feed. Throws InputError if there is no state, or if it cannot be read. */
async function withFeed<Result>(
  config: Config,
  { load }: NotifiedStore,
  { state, channel: only, retry }: NotifyOptions,
  context: CommandContext,
  use: (feed: NotifiedFeed, call: Call) => Promise<Result> | Result,
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
    const waiting = (known: NotifiedFeed): Waiting[] =>
      waitingIn(known, compare(known), context.now(), retry).filter(
        ({ channel }) => channel === (only ?? channel),
      );
    return await use(feed, { by: randomBytes(8).toString("hex"), context, sender, compare, waiting });
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
  return withFeed(config, store, options, context, (feed, call) => {
    const waiting = call.waiting(feed);
    const due = waiting.filter(({ next }) => next === undefined).map(({ channel }) => channel);
    const notifications = claimDue(feed, call.compare(feed), due, { by: call.by, now: context.now() });
    const after = { ...feed, notifications };
    return { messages: due.flatMap((channel) => messagesOf(after, channel, call.by)), waiting };
  });
}

interface Claimed extends Outgoing {
  readonly ids: readonly string[];
}

/** Composes the messages about the lines of a channel that `by` has claimed. */
function messagesOf(feed: NotifiedFeed, channel: string, by: string): Claimed[] {
  const entry = feed.channels[channel];
  if (entry === undefined) return [];
  const lines = Object.entries(feed.notifications?.lines ?? {}).filter(
    ([, line]) => line.claim?.by === by && line.channel === channel,
  );
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
    const due = call.waiting(feed).flatMap(({ channel, next }) => {
      const entry = config.channels[channel];
      return entry === undefined || next !== undefined ? [] : [[channel, entry] as const];
    });
    const usable = due
      .filter(([, entry]) => channelProblem(entry, context.environment) === undefined)
      .map(([channel]) => channel);
    let claimedAt = context.now();
    if (usable.length > 0 || keptLines(feed, call.compare(feed)) !== (feed.notifications ?? nothingTold))
      await save((before) => {
        claimedAt = context.now();
        return claimDue(before, call.compare(before), usable, { by: call.by, now: claimedAt });
      });
    const limit = pLimit(channelsAtOnce);
    const after = feed;
    const telling = usable.map((channel) =>
      limit(() => tell(channel, messagesOf(after, channel, call.by), claimedAt, call, save, onSent)),
    );
    await Promise.allSettled(telling);
    await Promise.all(telling);
    context.interrupt.throwIfAborted();
    requireVariables(new Map(due), context);
    return waitingIn(feed, call.compare(feed), context.now()).filter(
      ({ channel, next }) => next !== undefined && channel === (options.channel ?? channel),
    );
  });
}

/** Sends a channel's claimed messages and records the outcome. */
async function tell(
  channel: string,
  messages: readonly Claimed[],
  claimedAt: number,
  { by, sender, context }: Call,
  save: NotifiedStore["save"],
  onSent: (sent: Sent) => void,
): Promise<void> {
  if (messages.length === 0) return;
  const outcomes: Outcome[] = [];
  let last: Delivery | undefined;
  let error: Error | undefined;
  for (const message of messages) {
    const isLate = context.now() - claimedAt > callMs - messageMs;
    const isLeft = context.interrupt.aborted || error !== undefined || isLate || isHopeless(last);
    const delivery = isLeft
      ? undefined
      : await sendMessage(message, sender, context).catch((reason: unknown): undefined => {
          error = asError(reason);
        });
    last = delivery ?? last;
    outcomes.push({ ids: message.ids, delivery: isLeft ? undefined : (delivery ?? interrupted) });
  }
  const after = await save(({ notifications = nothingTold }) =>
    confirm(notifications, channel, outcomes, { by, claimedAt, now: context.now() }),
  );
  const next = nextAttempt(after.notifications?.channels[channel], context.now());
  messages.forEach((message, index) => {
    const delivery = outcomes[index]?.delivery;
    if (delivery !== undefined && delivery !== interrupted)
      onSent({ ...message, delivery, next: delivery.outcome === "failed" ? next : undefined });
  });
  if (error !== undefined) throw error;
}

const interrupted: Delivery = { outcome: "failed", reason: "It was interrupted.", mayHaveArrived: true };

/** Whether the next message would probably fail, too. */
function isHopeless(delivery: Delivery | undefined): boolean {
  if (delivery?.outcome !== "failed") return false;
  return delivery.mayHaveArrived === true || delivery.retryAfterMs !== undefined;
}

/** Sends a test to a channel. */
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
  try {
    const outgoing = { channel, entry, message: testMessage(channel, context.now()) };
    onSent({ ...outgoing, delivery: await sendMessage(outgoing, sender, context), next: undefined });
  } finally {
    sender.close();
  }
}
