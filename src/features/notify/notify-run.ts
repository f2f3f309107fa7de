import pLimit from "p-limit";
import { InputError } from "../../core/base/errors.ts";
import type { Delivery } from "./channels/channel.ts";
import type { CommandContext } from "../../core/base/terminal/context.ts";
import { formatCount } from "../../core/base/text/count.ts";
import { group } from "../../core/base/text/group.ts";
import type { Config } from "../../core/config/config-schema.ts";
import { updateFeedEvent } from "./decide.ts";
import { beginAttempts, mark, noNotifications, withoutAttempts } from "./outbox.ts";
import { waitingSentence } from "./pending.ts";
import {
  dueOf,
  listWaiting,
  openSender,
  type Selection,
  sendMessage,
  type Sent,
  type Waiting,
} from "./send.ts";
import { channelProblem, missingVariables } from "./secrets.ts";
import type { StateOptions } from "../../core/state/stored-state.ts";
import type { NotifiedFeed } from "./notified-feed.ts";
import type { Notifications } from "./notifications.ts";
import type { ChannelConfig } from "../../core/config/channels.ts";

/**
 * How many messages to send to a channel before saving the outcomes. After a crash, at most this many are sent again.
 */
const batchSize = 10;

/**
 * When sending to a channel has taken this long, its other messages wait for the next call, so that no slow receiver
 * delays the next run.
 */
const channelMs = 60_000;

/** Several channels may use the same mail server, which limits connections. */
const channelsAtOnce = 4;

export interface NotifyOptions extends StateOptions, Selection {
  readonly siteUrl?: string | undefined;
}

/** How many messages were sent, failed or were given up, and which ones still wait for their next attempt. */
export interface Outcome extends Readonly<Record<Delivery["outcome"], number>> {
  readonly waiting: readonly Waiting[];
}

/** The feed of the stored state. */
export interface NotifiedStore {
  /** Returns undefined before the first run. Rejects with InputError if the state cannot be read. */
  readonly load: () => Promise<NotifiedFeed | undefined>;
  /** Stores the notifications that `update` returns, and returns the feed with them. */
  readonly save: (update: (feed: NotifiedFeed) => Notifications | undefined) => Promise<NotifiedFeed>;
}

/** Opens the store of a feed. `config` already has the URL of the site. */
export type OpenNotified = (config: Config, options: StateOptions, context: CommandContext) => NotifiedStore;

/**
 * Returns the feed from the stored state. Updates the event about the feed itself, which depends on the age of the last
 * run. Throws InputError if there is no state, or if it cannot be read.
 */
export async function loadFeed(
  store: NotifiedStore,
  options: NotifyOptions,
  context: CommandContext,
): Promise<NotifiedFeed> {
  const feed = await store.load();
  if (feed === undefined) throw missingState(options);
  return { ...feed, notifications: updateFeedEvent(feed, context.now()) };
}

/**
 * Sends the messages that are due or that `options` select for a retry, and calls `onSent` for each. After an
 * interrupt, records which messages were sent and rejects with the interrupt's reason. Throws InputError if there is no state, and at the end if
 * environment variables are not set for channels with pending messages.
 */
export async function notify(
  config: Config,
  { load, save }: NotifiedStore,
  options: NotifyOptions,
  context: CommandContext,
  onSent: (sent: Sent) => void,
): Promise<Outcome> {
  const outcome = { sent: 0, failed: 0, refused: 0 };
  let feed = await load();
  if (feed === undefined) throw missingState(options);
  // The event about the feed itself may have begun or ended, and the state must record this before anything is sent.
  if (updateFeedEvent(feed, context.now()) !== feed.notifications)
    feed = await save((before) => updateFeedEvent(before, context.now()));
  const sender = await openSender(config.probe.ca, config.site.url, context);
  const tried = new Set<string>();
  const spentMs = new Map<string, number>();
  const limit = pLimit(channelsAtOnce);
  try {
    for (;;) {
      const ids: string[] = [];
      const counts = new Map<string, number>();
      const isWanted = (id: string, channel: string): boolean =>
        !tried.has(id) && (counts.get(channel) ?? 0) < batchSize;
      for (const due of dueOf(feed, context.now(), options, isWanted)) {
        const { id, channel } = due;
        tried.add(id);
        if (due.message !== undefined) {
          if (!isUsable(due.entry, context.environment)) continue;
          if ((spentMs.get(channel) ?? 0) >= channelMs) continue;
        }
        ids.push(id);
        counts.set(channel, (counts.get(channel) ?? 0) + 1);
      }
      if (ids.length === 0) break;
      // If this process is killed, the state still says that receivers may already have these messages.
      feed = await save(({ notifications = noNotifications }) => beginAttempts(notifications, ids));
      const batch = [...dueOf(feed, context.now(), options, (id) => ids.includes(id))];
      const done: [id: string, delivery: Delivery][] = [];
      const postponed: string[] = [];
      const send = async (due: Waiting): Promise<void> => {
        const spent = spentMs.get(due.channel) ?? 0;
        if (spent >= channelMs) {
          postponed.push(due.id);
          return;
        }
        const startedAt = context.now();
        const delivery = await sendMessage(due, sender, context);
        spentMs.set(due.channel, spent + context.now() - startedAt);
        done.push([due.id, delivery]);
        outcome[delivery.outcome] += 1;
        onSent({ ...due, delivery });
      };
      for (const due of batch) if (due.message === undefined) done.push([due.id, { outcome: "sent" }]);
      const byChannel = group(
        batch.flatMap((due) => (due.message === undefined ? [] : [[due.channel, due] as const])),
      );
      // Sends to the channels in parallel, so that a slow receiver does not delay the others.
      const sending = [...byChannel.values()].map((own) =>
        limit(async () => {
          for (const due of own) await send(due);
        }),
      );
      await Promise.allSettled(sending);
      const now = context.now();
      feed = await save(({ notifications = noNotifications }) =>
        withoutAttempts(
          done.reduce((known, [id, delivery]) => mark(known, id, delivery, now), notifications),
          postponed,
        ),
      );
      await Promise.all(sending);
    }
  } finally {
    sender.close();
  }
  const left = listWaiting(feed, context.now(), { channel: options.channel });
  const unsent = left.filter(({ next }) => next === undefined);
  requireVariables(new Map(unsent.map(({ channel, entry }) => [channel, entry])), context);
  return { ...outcome, waiting: left };
}

function missingState({ state }: NotifyOptions): InputError {
  return new InputError(
    `There is no state in ${state}; correct --state, or make the state with mirrorfeed run.`,
  );
}

function isUsable(entry: ChannelConfig, environment: CommandContext["environment"]): boolean {
  return (
    missingVariables(entry, environment).length === 0 && channelProblem(entry, environment) === undefined
  );
}

/** Throws InputError if environment variables of channels are not set or have unusable values. */
export function requireVariables(
  channels: ReadonlyMap<string, ChannelConfig>,
  { environment }: Pick<CommandContext, "environment">,
): void {
  const missing = [...channels].flatMap(([name, entry]) =>
    missingVariables(entry, environment).map((variable) => `${variable} (channel ${name})`),
  );
  const unusable = [...channels].flatMap(([name, entry]) => {
    const problem = channelProblem(entry, environment);
    return problem === undefined ? [] : [`channels.${name}: ${problem}`];
  });
  const sentences = [
    ...(missing.length === 0
      ? []
      : [
          `${formatCount(missing.length, "environment variable")} not set: ${missing.slice(0, 20).join(", ")}; set the variables named by the channels in mirrors.json.`,
        ]),
    ...unusable.slice(0, 20),
  ];
  if (sentences.length > 0) throw new InputError(sentences);
}

/** Logs the totals, and each message that not all receivers accepted. */
export async function notifyAfterRun(
  config: Config,
  store: NotifiedStore,
  options: NotifyOptions,
  context: CommandContext,
): Promise<void> {
  const outcome = await notify(config, store, options, context, (one) => {
    if (one.delivery.outcome !== "sent" || one.delivery.note !== undefined) context.log(lineOf(one));
  });
  for (const line of totalLines(outcome, context.now())) context.log(line);
}

export function lineOf({ channel, message, delivery }: Sent): string {
  const { outcome } = delivery;
  const more = outcome === "sent" ? delivery.note : delivery.reason;
  const line = `${outcome}  ${channel}  ${message.title}`;
  return more === undefined ? line : `${line}. ${prefixes[outcome]}: ${more}`;
}

const prefixes = {
  sent: "Note",
  failed: "It will be tried again",
  refused: "It was dropped",
};

export function totalLines({ sent, failed, refused, waiting }: Outcome, now: number): string[] {
  const parts = [
    `${formatCount(sent, "notification")} sent`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(refused === 0 ? [] : [`${refused} dropped`]),
  ];
  return [...(sent + failed + refused === 0 ? [] : [`${parts.join(", ")}.`]), ...waitingLines(waiting, now)];
}

export function waitingLines(waiting: readonly Waiting[], now: number): string[] {
  const times = waiting.flatMap(({ next }) => next ?? []);
  return times.length === 0 ? [] : [waitingSentence(times, now)];
}
