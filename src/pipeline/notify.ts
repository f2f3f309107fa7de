import { listNodes, type NetworkNode } from "../config/nodes.ts";
import { withSiteUrl } from "../config/base-path.ts";
import type { Config } from "../config/schema.ts";
import { InputError } from "../errors.ts";
import { updateFeedEvent } from "../notify/feed-event.ts";
import { missingVariables } from "../notify/secrets.ts";
import { listDue, type Outbox, sendDue, type SendOptions, type Sent } from "../notify/send.ts";
import type { State } from "../state/document.ts";
import type { Notifications } from "../state/notification-document.ts";
import type { CommandContext } from "../terminal/context.ts";
import { formatCount } from "../text/count.ts";
import { openState, type StateOptions, type StoredState } from "./stored-state.ts";

export interface NotifyOptions extends StateOptions, SendOptions {
  /** The URL of the published site, if the configuration has none. */
  readonly siteUrl?: string | undefined;
}

/** An outbox, and the configuration with the URL of the site that its messages are about. */
export interface LoadedOutbox {
  readonly config: Config;
  readonly nodes: readonly NetworkNode[];
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
 * Sends what waits in the state, and calls `onSent` for each message. Returns how many were sent and how many were not accepted.
 * Throws InputError at the end if variables of channels with messages are not set.
 */
export async function notify(
  loaded: Config,
  options: NotifyOptions,
  context: CommandContext,
  onSent: (sent: Sent) => void,
): Promise<{ sent: number; failed: number }> {
  const outcome = { sent: 0, failed: 0 };
  const known = await loadOutbox(loaded, options, context);
  if (known === undefined) return outcome;
  const { config, nodes, outbox, isFeedEventNew } = known;
  // The begin and the end of the event of the feed are remembered before anything is sent.
  const state = isFeedEventNew ? await outbox.change((same) => same) : outbox.state;
  await sendDue(config, nodes, { ...outbox, state }, options, context, (sent) => {
    if (sent.delivery.outcome === "sent") outcome.sent += 1;
    else outcome.failed += 1;
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
 * Sends what waits after a run. Logs each message that was not accepted, which is tried again after a later run, and the
 * total.
 */
export async function notifyAfterRun(
  config: Config,
  options: NotifyOptions,
  context: CommandContext,
): Promise<void> {
  const { sent, failed } = await notify(config, options, context, (one) => {
    if (one.delivery.outcome !== "sent" || one.delivery.note !== undefined) context.log(lineOf(one));
  });
  if (sent + failed > 0) context.log(totalOf(sent, failed));
}

/** Returns what became of a message, in one line. */
export function lineOf({ channel, message, delivery }: Sent): string {
  const { outcome } = delivery;
  const more = outcome === "sent" ? delivery.note : delivery.reason;
  return `${outcome}  ${channel}  ${message.title}${more === undefined ? "" : `. ${outcome === "sent" ? "But: " : "Not sent: "}${more}`}`;
}

/** Returns how many messages were sent, and how many not. */
export function totalOf(sent: number, failed: number): string {
  if (sent + failed === 0) return "No message is due.";
  return failed === 0
    ? `${formatCount(sent, "message")} sent.`
    : `${formatCount(sent, "message")} sent, ${failed} not accepted.`;
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
