import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChannelType } from "../../src/core/config/channels.ts";
import type { SendContext } from "../../src/features/notify/channels/channel.ts";
import type { Message, MessageEvent, MessageMirror } from "../../src/features/notify/channels/message.ts";
import { openSender } from "../../src/features/notify/send.ts";
import type { Certificate } from "./certificates.ts";
import { closeAfterTest } from "./close-after-test.ts";
import {
  composed,
  decidedAt,
  type GivenEvent,
  hoursBefore,
  incident,
  incidents,
  notifyState,
  timeout,
} from "./notified-feed.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export interface SendingOptions {
  readonly type?: ChannelType;
  readonly environment?: Readonly<Record<string, string>>;
  readonly trusted?: readonly Certificate[];
  readonly allowPrivate?: boolean;
  readonly now?: () => number;
  readonly signal?: AbortSignal;
}

/** Opens the context that a channel needs for sending. It is closed when the test ends. */
export async function sendContext({
  type = "webhook",
  environment = {},
  trusted = [],
  allowPrivate = true,
  now = () => decidedAt,
  signal = new AbortController().signal,
}: SendingOptions = {}): Promise<SendContext> {
  const folder = temporaryFolder();
  const ca = trusted.map(({ cert }, index) => {
    const file = join(folder, `${index}.pem`);
    writeFileSync(file, cert);
    return file;
  });
  const sender = closeAfterTest(await openSender(ca, undefined, { environment, now }));
  return sender.contextFor({ type, allowPrivate }, signal);
}

const outage: GivenEvent = { event: "offline", nodes: [1], subject: incident };
const begin = composed([outage], { state: notifyState({ 1: timeout, 2: {}, 3: {} }, { incidents }) });
const back = notifyState({ 1: { since: hoursBefore(0) }, 2: {}, 3: {} }, { incidents });
const end = composed([outage], { state: back, phase: "end" });

function firstOf<One>([one]: readonly One[]): One {
  if (one === undefined) throw new Error("It is empty.");
  return one;
}

/** By default, the event says that a mirror is offline. */
export function messageEvent(more: Partial<MessageEvent> = {}): MessageEvent {
  return { ...firstOf(begin.events), ...more };
}

export function messageMirror(more: Partial<MessageMirror> = {}): MessageMirror {
  return { ...firstOf(messageEvent().mirrors), ...more };
}

/** Composes a notification of one event. */
export function message(event: Partial<MessageEvent> = {}, more: Partial<Message> = {}): Message {
  return { ...begin, events: [messageEvent(event)], ...more };
}

/** Composes the notification that the event is over. */
export function endMessage(event: Partial<MessageEvent> = {}): Message {
  return { ...end, events: [{ ...firstOf(end.events), ...event }] };
}
