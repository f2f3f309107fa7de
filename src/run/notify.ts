import { listNodes, type Node } from "../config/nodes.ts";
import { withSiteUrl, type Config } from "../config/schema.ts";
import { InputError } from "../base/errors.ts";
import { updateFeedEvent } from "../notify/decide.ts";
import { missingVariables } from "../notify/secrets.ts";
import { listDue, type Outbox, sendDue, type SendOptions, type Sent } from "../notify/send.ts";
import type { Notifications, State } from "../state/schema.ts";
import type { CommandContext } from "../base/terminal/context.ts";
import { formatCount } from "../base/text/count.ts";
import { openState, type StateOptions, type StoredState } from "./stored-state.ts";

export interface NotifyOptions extends StateOptions, SendOptions {
  /** The URL of the published site, if the configuration has none. */
  readonly siteUrl?: string | undefined;
}

/** How many messages were sent, were not and are tried again, and were given up. */
export interface Outcome {
  readonly sent: number;
  readonly failed: number;
  readonly refused: number;
}

/** An outbox, and the configuration with the URL of the site that its messages are about. */
export interface LoadedOutbox {
  readonly config: Config;
  readonly nodes: readonly Node[];
  readonly outbox: Outbox;
  /** Whether the event of the feed begins or ends now, and is not stored yet. */
  readonly isFeedEventNew: boolean;
}

/**
 * Returns the state with the event of the feed, which is judged by the age of the last run and stored by the first change.
 * Undefined if there is no state yet. Throws InputError if the state cannot be read.
 */
export async function loadOutbox(
  loaded: Config,
  options: NotifyOptions,
  context: CommandContext,
): Promise<LoadedOutbox | undefined> {
  const config = withSiteUrl(loaded, options.siteUrl);
  const nodes = listNodes(config);
  const stored = openState(options, context);
  const before = await stored.load();
  if (before === undefined) return undefined;
  const now = context.now();
  const state = withFeedEvent(config, before, now);
  return {
    config,
    nodes,
    isFeedEventNew: state !== before,
    outbox: { state, change: (update) => changeStored(stored, config, now, update) },
  };
}

/**
 * Sends what waits in the state, and calls `onSent` for each message. Returns how many had which outcome. Throws InputError at
 * the end if variables of channels with messages are not set.
 */
export async function notify(
  loaded: Config,
  options: NotifyOptions,
  context: CommandContext,
  onSent: (sent: Sent) => void,
): Promise<Outcome> {
  const outcome = { sent: 0, failed: 0, refused: 0 };
  const known = await loadOutbox(loaded, options, context);
  if (known === undefined) return outcome;
  const { config, nodes, outbox, isFeedEventNew } = known;
  // The begin and the end of the event of the feed are remembered before anything is sent.
  const state = isFeedEventNew ? await outbox.change((same) => same) : outbox.state;
  await sendDue(config, nodes, { ...outbox, state }, options, context, (sent) => {
    outcome[sent.delivery.outcome] += 1;
    onSent(sent);
  });
  const left = listDue(config, nodes, state, context.now(), options);
  const channels = new Map(left.map(({ channel, entry }) => [channel, entry]));
  requireVariables(channels, context);
  return outcome;
}

/** Throws InputError if variables of channels are not set: all that `notify` of a configuration names, or these. */
export function requireVariables(
  channels: ReadonlyMap<string, Config["channels"][string]>,
  { environment }: Pick<CommandContext, "environment">,
): void {
  const missing = [...channels].flatMap(([name, entry]) =>
    missingVariables(entry, environment).map((variable) => `${variable} (channel ${name})`),
  );
  if (missing.length === 0) return;
  const [first = ""] = missing;
  const list = missing.length === 1 ? first : missing.slice(0, 20).join(", ");
  throw new InputError(
    `${formatCount(missing.length, "environment variable")} not set: ${list}; set what the channels of mirrors.json name.`,
  );
}

/**
 * Sends what waits after a run. Logs each message that was not accepted, or not by all of its receivers, and the total.
 */
export async function notifyAfterRun(
  config: Config,
  options: NotifyOptions,
  context: CommandContext,
): Promise<void> {
  const outcome = await notify(config, options, context, (one) => {
    if (one.delivery.outcome !== "sent" || one.delivery.note !== undefined) context.log(lineOf(one));
  });
  if (countOf(outcome) > 0) context.log(totalOf(outcome));
}

/** Returns what became of a message, in one line. */
export function lineOf({ channel, message, delivery }: Sent): string {
  const { outcome } = delivery;
  const more = outcome === "sent" ? delivery.note : delivery.reason;
  const line = `${outcome}  ${channel}  ${message.title}`;
  return more === undefined ? line : `${line}. ${prefixes[outcome]}: ${more}`;
}

const prefixes = {
  sent: "But",
  failed: "Not sent, and tried again later",
  refused: "Not sent, and given up",
};

/** Returns how many messages had which outcome. */
export function totalOf(outcome: Outcome): string {
  if (countOf(outcome) === 0) return "No message is due.";
  const { sent, failed, refused } = outcome;
  const parts = [
    `${formatCount(sent, "message")} sent`,
    ...(failed === 0 ? [] : [`${failed} not accepted and tried again later`]),
    ...(refused === 0 ? [] : [`${refused} given up`]),
  ];
  return `${parts.join(", ")}.`;
}

function countOf({ sent, failed, refused }: Outcome): number {
  return sent + failed + refused;
}

function withFeedEvent(config: Config, state: State, now: number): State {
  const notifications = updateFeedEvent(config, state, now);
  return notifications === state.notifications ? state : { ...state, notifications };
}

async function changeStored(
  stored: StoredState,
  config: Config,
  now: number,
  update: (known: Notifications) => Notifications,
): Promise<State> {
  let after: State | undefined;
  await stored.save((before) => {
    if (before === undefined)
      throw new InputError("The state vanished while messages were sent; restore it.");
    const known = withFeedEvent(config, before, now);
    after = { ...known, notifications: update(known.notifications ?? { events: {}, outbox: {} }) };
    return after;
  });
  if (after === undefined) throw new Error("The state was not saved.");
  return after;
}
