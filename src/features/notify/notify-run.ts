import { randomBytes } from "node:crypto";
import pLimit from "p-limit";
import { asError, InputError } from "../../core/base/errors.ts";
import type { CommandContext } from "../../core/base/terminal/context.ts";
import { formatCount } from "../../core/base/text/count.ts";
import { minuteMs } from "../../core/base/text/time.ts";
import { formatMinute, isoTimestamp } from "../../core/base/text/timestamp.ts";
import type { ChannelConfig } from "../../core/config/channels.ts";
import type { Config } from "../../core/config/config-schema.ts";
import type { StateOptions } from "../../core/state/stored-state.ts";
import type { Delivery } from "./channels/channel.ts";
import { claimDue, claimedLines, confirm, type Waiting, waitingIn } from "./claims.ts";
import { composeMessage, testMessage } from "./compose.ts";
import { type Difference, differenceOf } from "./difference.ts";
import { channelProblem, requireVariables } from "./secrets.ts";
import { messageMs, openSender, type Outgoing, type Sender, sendMessage, servedRun } from "./send.ts";
import type { NotifiedFeed, Told } from "./told.ts";

/** How long a channel may take, which is half of a claim's time. */
const channelMs = 5 * minuteMs;

/** Several channels may use the same mail server, which limits connections. */
const channelsAtOnce = 4;

export interface NotifyOptions extends StateOptions {
  /** Sends to a channel that failed before its next attempt is due. */
  readonly retry?: boolean | undefined;
  /** Composes the messages, and sends none. */
  readonly dryRun?: boolean | undefined;
}

export interface NotifiedStore {
  /** Returns undefined before the first run. Rejects with InputError if the state cannot be read. */
  readonly load: () => Promise<NotifiedFeed | undefined>;
  /** Stores what `update` returns, and returns the feed with it. If another process saved first, calls it again. */
  readonly save: (update: (feed: NotifiedFeed) => Told) => Promise<NotifiedFeed>;
}

/** `config` already has the URL of the site. */
export type OpenNotified = (config: Config, options: StateOptions, context: CommandContext) => NotifiedStore;

/** One call of `notify`, with a random id. */
interface Call {
  readonly by: string;
  readonly context: CommandContext;
  readonly sender: Sender;
  readonly compare: (feed: NotifiedFeed) => Difference;
  readonly save: NotifiedStore["save"];
  readonly onSent: (sent: Outgoing) => void;
}

/**
 * Tells each channel the difference between what is so and what it was told, and calls `onSent` for each message.
 * Returns what waits. After an interrupt, records which messages were sent and rejects with the interrupt's reason.
 * Throws InputError if there is no state or if it cannot be read, and at the end if environment variables are not set
 * for channels with something to be told.
 */
export async function notify(
  config: Config,
  store: NotifiedStore,
  options: NotifyOptions,
  context: CommandContext,
  onSent: (sent: Outgoing) => void,
): Promise<Waiting[]> {
  const first = await store.load();
  if (first === undefined)
    throw new InputError(
      `There is no state in ${options.state}; correct --state, or make the state with mirrorfeed run.`,
    );
  let feed = first;
  const sender = await openSender(config.probe.ca, config.site.url, context);
  try {
    const by = randomBytes(8).toString("hex");
    const servedAt = await servedRun(feed, sender, context);
    const compare = (known: NotifiedFeed) => differenceOf(known, context.now(), servedAt);
    const difference = compare(feed);
    const before = waitingIn(feed, difference, context.now(), options.retry);
    const due = before.flatMap(({ channel, next }) => (next === undefined ? channel : []));
    if (options.dryRun === true) {
      for (const name of due) {
        const notifications = claimDue(feed, difference, name, { by, now: context.now() });
        for (const one of messagesOf({ ...feed, notifications }, name, by)) onSent(one);
      }
      return before.filter(({ channel }) => !due.includes(channel));
    }
    // One save at a time, since each begins with what the one before has stored.
    const saving = pLimit(1);
    const save: NotifiedStore["save"] = (update) => saving(async () => (feed = await store.save(update)));
    const call = { by, context, sender, compare, save, onSent };
    const receivers = Object.entries(config.channels).filter(([name]) => due.includes(name));
    const usable = receivers.filter(([, entry]) => channelProblem(entry, context.environment) === undefined);
    const limit = pLimit(channelsAtOnce);
    const telling = usable.map(([name]) => limit(() => tell(name, call)));
    await Promise.allSettled(telling);
    await Promise.all(telling);
    if (telling.length === 0) await save((before) => compare(before).kept);
    requireVariables(receivers, context);
    return waitingIn(feed, compare(feed), context.now());
  } finally {
    sender.close();
  }
}

/** Notifies, and logs each message and what waits. */
export async function notifyAfterRun(
  config: Config,
  store: NotifiedStore,
  options: NotifyOptions,
  context: CommandContext,
): Promise<void> {
  const waiting = await notify(config, store, options, context, (one) => {
    context.log(sentLine(one));
  });
  for (const one of waiting) context.log(waitingLine(one));
}

export function sentLine({ channel, message, delivery }: Outgoing): string {
  const line = `${delivery?.outcome}  ${channel}  ${message.title}`;
  if (delivery?.outcome === "failed") return `${line}. ${delivery.reason}`;
  return delivery?.note === undefined ? line : `${line}. Note: ${delivery.note}`;
}

/** Returns a line such as `waiting  ops  2 notifications until 2026-11-22 12:24 UTC`. */
export function waitingLine({ channel, lines, next }: Waiting): string {
  const until = next === undefined ? "" : ` until ${formatMinute(isoTimestamp(next))}`;
  return `waiting  ${channel}  ${formatCount(lines, "notification")}${until}`;
}

/** Composes the messages about the lines of a channel that `by` has claimed. */
function messagesOf(feed: NotifiedFeed, channel: string, by: string): Outgoing[] {
  const entry = feed.channels[channel];
  if (entry === undefined) return [];
  return claimedLines(feed, channel, by).map((lines) => {
    const ids = lines.map(([id]) => id);
    return { channel, entry, ids, message: composeMessage(feed, channel, lines) };
  });
}

const interrupted: Delivery = { outcome: "failed", reason: "It was interrupted.", mayHaveArrived: true };

/** Claims what a channel is to be told just before it is sent, sends it and records the outcome. */
async function tell(channel: string, { by, sender, context, compare, save, onSent }: Call): Promise<void> {
  context.interrupt.throwIfAborted();
  const claimedAt = context.now();
  const claimed = await save((before) => claimDue(before, compare(before), channel, { by, now: claimedAt }));
  const outcomes: Outgoing[] = [];
  let last: Delivery | undefined;
  let error: Error | undefined;
  for (const message of messagesOf(claimed, channel, by)) {
    const isLate = context.now() - claimedAt > channelMs - messageMs;
    const isLeft = context.interrupt.aborted || isLate || isHopeless(last);
    if (!isLeft)
      last = await sendMessage(message, sender, context).catch((reason: unknown) => {
        error = asError(reason);
        return interrupted;
      });
    outcomes.push({ ...message, delivery: isLeft ? undefined : last });
  }
  if (outcomes.length === 0) return;
  await save(({ notifications }) =>
    confirm(notifications, channel, outcomes, { by, claimedAt, now: context.now() }),
  );
  for (const one of outcomes) if (one.delivery !== undefined && one.delivery !== interrupted) onSent(one);
  if (error !== undefined) throw error;
}

/** Whether the next message would probably fail, too. */
function isHopeless(delivery: Delivery | undefined): boolean {
  if (delivery?.outcome !== "failed") return false;
  return delivery.mayHaveArrived === true || delivery.retryAfterMs !== undefined;
}

export async function sendTest(
  config: Config,
  [channel, entry]: readonly [name: string, channel: ChannelConfig],
  context: CommandContext,
  onSent: (sent: Outgoing) => void,
): Promise<void> {
  requireVariables([[channel, entry]], context);
  const sender = await openSender(config.probe.ca, config.site.url, context);
  try {
    const outgoing = { channel, entry, ids: [], message: testMessage(channel, context.now()) };
    onSent({ ...outgoing, delivery: await sendMessage(outgoing, sender, context) });
  } finally {
    sender.close();
  }
}
