import type { Delivery } from "../channels/channel.ts";
import type { Message } from "../channels/message.ts";
import * as registry from "../channels/registry.ts";
import type { ChannelConfig } from "../config/notify.ts";
import type { Node } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import { withDeadline } from "../base/http/failure.ts";
import { ProbeFailure } from "../base/http/failure.ts";
import type { Notifications, State } from "../state/schema.ts";
import type { CommandContext } from "../base/terminal/context.ts";
import { composeMessage } from "./compose.ts";
import { dueMessages, markFailed, markSent, maxAttempts } from "./outbox.ts";
import { missingVariables, withoutSecrets } from "./secrets.ts";
import { openSender, type Sender } from "./send-context.ts";

/** How many messages are sent before the state remembers it. A crash repeats at most these. */
const batchSize = 10;

/** How long the sending of one message may take, in milliseconds. */
const timeoutMs = 60_000;

/** A message that waits, with the channel that it goes to. */
export interface Waiting {
  readonly id: string;
  readonly channel: string;
  readonly entry: ChannelConfig;
  readonly message: Message;
  /** How often it failed before. */
  readonly failures: number;
}

/** A message, and what became of it: a failed one is tried again, and a refused one is given up. */
export interface Sent extends Waiting {
  readonly delivery: Delivery;
}

/** Where the state is kept: its value now, and a change of its notifications. */
export interface Outbox {
  readonly state: State;
  /** Changes the notifications of the stored state, and returns the new state. */
  readonly change: (update: (known: Notifications) => Notifications) => Promise<State>;
}

/** What is sent: everything, or the messages of one channel. */
export interface SendOptions {
  readonly channel?: string | undefined;
}

/** A message that is due; without `message` if nothing is left to say, or its channel has left mirrors.json. */
type Due = Waiting | { readonly id: string; readonly channel: string; readonly message: undefined };

/** Returns the messages of a state that are due at a time, in their order, as many as are taken of them. */
function* dueOf(
  config: Config,
  nodes: readonly Node[],
  state: State,
  now: number,
  { channel: only }: SendOptions,
): Generator<Due> {
  const { notifications } = state;
  if (notifications === undefined) return;
  for (const [id, item] of dueMessages(notifications, now)) {
    const { channel } = item;
    if (only !== undefined && channel !== only) continue;
    const entry = Object.hasOwn(config.channels, channel) ? config.channels[channel] : undefined;
    const message = entry && composeMessage(id, item, notifications, config, nodes, state);
    yield entry === undefined || message === undefined
      ? { id, channel, message: undefined }
      : { id, channel, entry, message, failures: item.attempts ?? 0 };
  }
}

/** Returns the messages of a state that are due, in their order. */
export function listDue(
  config: Config,
  nodes: readonly Node[],
  state: State,
  now: number,
  options: SendOptions = {},
): Waiting[] {
  return [...dueOf(config, nodes, state, now, options)].filter((due) => due.message !== undefined);
}

/**
 * Sends the messages that are due, in batches of ten, and marks each batch in the state. Messages to a channel whose
 * variables are not set stay. Calls `onSent` for each. Rejects with the reason of an interrupt, after what was sent is marked.
 */
export async function sendDue(
  config: Config,
  nodes: readonly Node[],
  outbox: Outbox,
  options: SendOptions,
  context: CommandContext,
  onSent: (sent: Sent) => void,
): Promise<void> {
  const sender = await openSender(config, context);
  const tried = new Set<string>();
  let { state } = outbox;
  try {
    for (;;) {
      const batch: Due[] = [];
      for (const due of dueOf(config, nodes, state, context.now(), options)) {
        const isReady =
          due.message === undefined || missingVariables(due.entry, context.environment).length === 0;
        if (!isReady || tried.has(due.id)) continue;
        tried.add(due.id);
        if (batch.push(due) === batchSize) break;
      }
      if (batch.length === 0) return;
      state = await sendBatch(batch, sender, outbox, context, onSent);
    }
  } finally {
    sender.close();
  }
}

/** Sends these messages one after the other, marks them in the state, and returns it. An interrupt ends the sending. */
async function sendBatch(
  batch: readonly Due[],
  sender: Sender,
  outbox: Outbox,
  context: CommandContext,
  onSent: (sent: Sent) => void,
): Promise<State> {
  const done: [id: string, delivery: Delivery][] = [];
  const mark = (): Promise<State> => {
    const now = context.now();
    const after = (known: Notifications, [id, delivery]: (typeof done)[number]): Notifications =>
      delivery.outcome === "sent" ? markSent(known, id) : markFailed(known, id, delivery, now);
    return outbox.change((known) => done.reduce(after, known));
  };
  try {
    for (const due of batch) {
      const delivery: Delivery =
        due.message === undefined ? { outcome: "sent" } : await sendOne(due, sender, context);
      done.push([due.id, delivery]);
      if (due.message !== undefined) onSent({ ...due, delivery });
    }
  } catch (error) {
    if (done.length > 0) await mark();
    throw error;
  }
  return mark();
}

/** Returns the outcome of one message. The last attempt that fails is refused, since no other one follows. */
async function sendOne(waiting: Waiting, sender: Sender, context: CommandContext): Promise<Delivery> {
  const delivery = await attempt(waiting, sender, context);
  if (delivery.outcome !== "failed" || waiting.failures + 1 < maxAttempts) return delivery;
  return { outcome: "refused", reason: `${delivery.reason} This was the last of ${maxAttempts} attempts.` };
}

async function attempt(
  { entry, message }: Waiting,
  sender: Sender,
  { interrupt, environment }: CommandContext,
): Promise<Delivery> {
  interrupt.throwIfAborted();
  try {
    const delivery = await withDeadline(timeoutMs, interrupt, (signal) =>
      registry[entry.type].send(message, entry, sender.contextFor(entry, signal)),
    );
    return delivery.outcome === "sent"
      ? delivery
      : { ...delivery, reason: withoutSecrets(delivery.reason, entry, environment) };
  } catch (error) {
    if (!(error instanceof ProbeFailure)) throw error;
    return { outcome: "failed", reason: `It did not answer (${error.code}).` };
  }
}
