import { listNodes, type Node } from "../../src/core/config/nodes.ts";
import type { Message } from "../../src/features/notify/channels/message.ts";
import type { Config } from "../../src/core/config/config-schema.ts";
import { validateConfig } from "../../src/core/config/validate.ts";
import { composeMessage } from "../../src/features/notify/compose.ts";
import { updateNotifications } from "../../src/features/notify/decide.ts";
import { mark, noNotifications } from "../../src/features/notify/outbox.ts";
import type { NodeState } from "../../src/core/state/state-schema.ts";
import type { HostFamilies } from "../../src/core/probe/observation.ts";
import type { RefSet } from "../../src/core/probe/ref-set.ts";
import type { VantageRound } from "../../src/core/state/round.ts";
import { hour, midnight } from "./playing.ts";
import { type Seen, vantageOf } from "./rounds.ts";
import type {
  Notifications,
  NotifiedEvent,
  WaitingMessage,
} from "../../src/features/notify/notifications.ts";
import { advanceState, resolveStored } from "../../src/app/advance-feed.ts";
import type { FeedState } from "../../src/app/state-document.ts";

const webhook = { type: "webhook", urlEnv: "HOOK_URL" };

export interface NotifiedMirror {
  readonly id: number;
  readonly host?: string;
  readonly target?: string;
  readonly contact?: string;
  readonly path?: string;
  readonly primary?: boolean;
}

/** Returns a configuration with the mirrors. Its channels are webhooks, except `issues`. */
export function notifiedConfig(
  mirrors: readonly NotifiedMirror[],
  notify: unknown = { to: ["ops"] },
  more: object = {},
): Config {
  const targets = new Map<string, object[]>();
  for (const { id, host = "a.example.org", target = "t", contact, path = `x/${id}` } of mirrors) {
    const node = { id, url: `https://${host}/${path}`, ...(contact !== undefined && { contact }) };
    targets.set(target, [...(targets.get(target) ?? []), node]);
  }
  const projects = [
    {
      project: "p",
      targets: [...targets].map(([target, network]) => {
        const primary = mirrors.find((one) => one.primary === true && (one.target ?? "t") === target)?.id;
        return { target, network, ...(primary !== undefined && { primary }) };
      }),
    },
  ];
  const channels = {
    ...{ ops: webhook, boss: webhook, ann: webhook, bob: webhook },
    issues: { type: "github", repository: "example/mirrors" },
  };
  return validateConfig(
    JSON.stringify({ systems: [{ system: "s", projects }], channels, notify, ...more }),
    "mirrors.json",
  );
}

/** A run, `at` hours after midnight. `seen` has what the run saw of each mirror, by id (default: `ok`). */
export interface NotifiedRun {
  readonly at: number;
  readonly seen?: Readonly<Record<number, Seen>>;
  readonly run?: string;
  readonly refs?: ReadonlyMap<string, RefSet>;
  readonly families?: readonly HostFamilies[];
}

export function playRun(
  config: Config,
  before: FeedState | undefined,
  { at, seen = {}, run = `r${at}`, refs, families }: NotifiedRun,
): FeedState {
  const nodes = listNodes(config);
  const time = midnight + at * hour;
  const vantage: VantageRound = vantageOf(
    "default",
    Array.from({ length: Math.max(...nodes.map(({ id }) => id)) }, (_, index) => seen[index + 1] ?? "ok"),
    ["ok"],
  );
  const round = { run, at: time, vantages: [{ ...vantage, families }], refs };
  const { state, decidedAt } = advanceState(config, nodes, round, before);
  if (state === undefined) throw new Error("The round is void.");
  return decidedAt === undefined ? state : withDecision(config, nodes, before, state);
}

/** Adds a run's notifications to the state after it. */
export function withDecision(
  config: Config,
  nodes: readonly Node[],
  before: FeedState | undefined,
  after: FeedState,
): FeedState {
  const feedBefore = before && resolveStored(config, nodes, before);
  return { ...after, notifications: updateNotifications(feedBefore, resolveStored(config, nodes, after)) };
}

/** Returns the notifications with all pending ones marked as sent. */
export function allSent(known: Notifications = noNotifications): Notifications {
  return Object.keys(known.outbox).reduce((left, id) => mark(left, id, { outcome: "sent" }, 0), known);
}

/** Returns the pending notifications in order, as `channel phase event nodes`. */
export function messagesOf({ notifications }: Pick<FeedState, "notifications">): string[] {
  if (notifications === undefined) return [];
  const { events, outbox } = notifications;
  return Object.values(outbox)
    .sort((one, other) => one.at - other.at)
    .flatMap(({ channel, phase, events: ids }) =>
      ids.length > 1
        ? [`${channel} ${phase} ${ids.length} events`]
        : ids.map((id) => `${channel} ${phase} ${events[id]?.event} ${events[id]?.nodes.join(",")}`),
    );
}

/** The time at which the tests' notifications are decided. */
export const decidedAt = Date.parse("2026-11-22T12:00:00Z");

export function hoursBefore(hours: number): number {
  return decidedAt - hours * hour;
}

/** Returns a configuration with the given keys, three mirrors at one host, and one elsewhere. */
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

export function notifyState(
  known: Readonly<Record<number, Partial<NodeState>>>,
  more: Partial<FeedState> = {},
): FeedState {
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

export function eventId(number: number): string {
  return number.toString(16).padStart(16, "0");
}

/** The fields of an event that a test sets. By default, `rule-1` sends the event to `ops`. */
export type GivenEvent = Partial<NotifiedEvent> & Pick<NotifiedEvent, "event">;

/** Composes the notification that a channel gets about these events. */
export function composed(
  events: readonly GivenEvent[],
  {
    config = notifyConfig(),
    state = notifyState({}),
    channel = "ops",
    phase = "begin",
  }: {
    readonly config?: Config;
    readonly state?: FeedState;
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
  return composeMessage(id, waiting, resolveStored(config, listNodes(config), { ...state, notifications }));
}

export function present(message: Message | undefined): Message {
  if (message === undefined) throw new Error("There is no message.");
  return message;
}
