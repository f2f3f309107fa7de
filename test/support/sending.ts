import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChannelType } from "../../src/core/config/channels.ts";
import type { SendContext } from "../../src/features/notify/channels/channel.ts";
import type { Message, MessageEvent, MessageMirror } from "../../src/features/notify/channels/message.ts";
import { openSender } from "../../src/features/notify/send.ts";
import type { Certificate } from "./certificates.ts";
import { closeAfterTest } from "./close-after-test.ts";
import { decidedAt } from "./notified-feed.ts";
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

export function messageMirror(more: Partial<MessageMirror> = {}): MessageMirror {
  const url = "https://git.example.org/joomla/packages";
  return {
    id: 7,
    name: "git.example.org/joomla/packages",
    url,
    place: "community/jcb/packages",
    page: "https://status.example.org/status/community/jcb/packages/7/",
    evidence: [
      { name: "Code", value: "timeout" },
      { name: "Phase", value: "It did not accept a connection in time." },
    ],
    command: `mirrorfeed probe ${url} --explain`,
    ...more,
  };
}

/** By default, the event says that a host is offline. */
export function messageEvent(more: Partial<MessageEvent> = {}): MessageEvent {
  return {
    id: "00000000000000e1",
    event: "offline",
    phase: "begin",
    rule: "rule-1",
    code: "timeout",
    incident: "i1",
    title: "git.example.org is offline",
    sentence: "It did not accept a connection in time.",
    since: "2026-03-10T10:00:00.000Z",
    evidence: [{ name: "Code", value: "timeout" }],
    mirrors: [messageMirror()],
    more_mirrors: 0,
    page: "https://status.example.org/incidents/#i1",
    ...more,
  };
}

/** Composes a notification of one event. */
export function message(event: Partial<MessageEvent> = {}, more: Partial<Message> = {}): Message {
  const one = messageEvent(event);
  return {
    id: one.phase === "begin" ? "00000000000000a1" : "00000000000000b2",
    at: "2026-03-10T12:00:00.000Z",
    title: one.title,
    events: [one],
    more_events: 0,
    feed: { title: "Mirrors of JCB", url: "https://status.example.org/" },
    reason: 'It came by the rule "rule-1" of notify in mirrors.json.',
    leave: 'To be left out, ask for the removal of "ops" from that rule.',
    ...more,
  };
}

export function endMessage(event: Partial<MessageEvent> = {}, more: Partial<Message> = {}): Message {
  return message(
    { phase: "end", title: "git.example.org is back", until: "2026-03-10T13:00:00.000Z", ...event },
    { at: "2026-03-10T13:05:00.000Z", ...more },
  );
}
