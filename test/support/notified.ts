import { listNodes } from "../../src/config/nodes.ts";
import type { Config } from "../../src/config/schema.ts";
import type { Message } from "../../src/channels/message.ts";
import { resolveState } from "../../src/feed/feed.ts";
import { composeMessage } from "../../src/notify/compose.ts";
import { hourMs } from "../../src/state/counts.ts";
import type { NodeState, NotifiedEvent, State, WaitingMessage } from "../../src/state/schema.ts";
import { notifiedConfig } from "./notified-feed.ts";

/** When the events of these tests are decided. */
export const decidedAt = Date.parse("2026-11-22T12:00:00Z");

/** Returns a time some hours before the events are decided. */
export function hoursBefore(hours: number): number {
  return decidedAt - hours * hourMs;
}

/** Returns a configuration with these keys beside a feed of three mirrors at one host, and one elsewhere. */
export function notifyConfig(more: object = {}): Config {
  const host = "git.example.org";
  const mirrors = [
    { id: 1, host, target: "one", path: "a/one" },
    { id: 2, host, target: "one", path: "b/one" },
    { id: 3, host: "other.example.net", target: "one", path: "one" },
    { id: 4, host, target: "two", path: "a/two" },
  ];
  const site = { title: "Mirrors of example", url: "https://status.example.org/feed/" };
  const hook = { type: "webhook", urlEnv: "HOOK" };
  return notifiedConfig(mirrors, { to: ["ops"] }, { site, channels: { ops: hook, admin: hook }, ...more });
}

/** Returns a state in which these nodes are known. */
export function notifyState(
  known: Readonly<Record<number, Partial<NodeState>>>,
  more: Partial<State> = {},
): State {
  const nodes = Object.entries(known).map(([id, own]): [string, NodeState] => [
    id,
    { status: 1, code: "ok", since: hoursBefore(2000), transitions: [], ...own },
  ]);
  return {
    schema: 1,
    runs: [["run", decidedAt]],
    nodes: Object.fromEntries(nodes),
    references: {},
    vantages: {},
    ...more,
  };
}

/** Returns the id of the event with this number. */
export function eventId(number: number): string {
  return number.toString(16).padStart(16, "0");
}

/** An event for a test; it is sent to `ops` by `rule-1` if nothing else is given. */
export type GivenEvent = Partial<NotifiedEvent> & Pick<NotifiedEvent, "event">;

/** Returns the message of these events to a channel. */
export function composed(
  events: readonly GivenEvent[],
  {
    config = notifyConfig(),
    state = notifyState({}),
    channel = "ops",
    phase = "begin",
  }: {
    readonly config?: Config;
    readonly state?: State;
    readonly channel?: string;
    readonly phase?: WaitingMessage["phase"];
  } = {},
): Message | undefined {
  const id = phase === "begin" ? "beefbeefbeefbeef" : "e".repeat(16);
  const records = events.map((given, index): [string, NotifiedEvent] => [
    eventId(index + 1),
    {
      nodes: [],
      since: hoursBefore(3),
      to: { [channel]: { rule: "rule-1" } },
      ...given,
    },
  ]);
  const waiting = { channel, phase, events: records.map(([own]) => own), at: decidedAt };
  const notifications = { events: Object.fromEntries(records), outbox: { [id]: waiting } };
  return composeMessage(id, waiting, resolveState(config, listNodes(config), { ...state, notifications }));
}

/** Returns a message. Throws if there is none. */
export function present(message: Message | undefined): Message {
  if (message === undefined) throw new Error("There is no message.");
  return message;
}
