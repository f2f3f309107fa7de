import type { Config } from "../../src/core/config/config-schema.ts";
import { listNodes } from "../../src/core/config/nodes.ts";
import type { HostFamilies } from "../../src/core/probe/observation.ts";
import type { RefSet } from "../../src/core/probe/ref-set.ts";
import type { NodeState } from "../../src/core/state/state-schema.ts";
import type { Delivery } from "../../src/features/notify/channels/channel.ts";
import type { Message } from "../../src/features/notify/channels/message.ts";
import { claimDue, claimedLines, confirm } from "../../src/features/notify/claims.ts";
import { composeMessage } from "../../src/features/notify/compose.ts";
import { differenceOf } from "../../src/features/notify/difference.ts";
import { type Line, type Phase } from "../../src/features/notify/told.ts";
import { resolveStored } from "../../src/app/advance-feed.ts";
import type { FeedState } from "../../src/app/state-document.ts";
import { hour, midnight } from "./playing.ts";
import { projectConfig, type Seen, stateAfter, vantageOf } from "./rounds.ts";

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
  const withPrimaries = [...targets].map(([target, network]) => {
    const primary = mirrors.find((one) => one.primary === true && (one.target ?? "t") === target)?.id;
    return { target, network, ...(primary !== undefined && { primary }) };
  });
  const channels = {
    ...{ ops: webhook, boss: webhook, ann: webhook, bob: webhook },
    issues: { type: "github", repository: "example/mirrors" },
  };
  return projectConfig(withPrimaries, { channels, notify, ...more });
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
  const length = Math.max(...listNodes(config).map(({ id }) => id));
  const ofMirrors = Array.from({ length }, (_, index) => (index + 1 in seen ? seen[index + 1] : "ok"));
  const vantage = { ...vantageOf("default", ofMirrors, ["ok"]), families };
  return stateAfter(config, before, { run, at: midnight + at * hour, vantages: [vantage], refs });
}

/** How a test tells the channels. By default, each gets what it is to be told, right after the last run. */
export interface TellOptions {
  readonly now?: number;
  readonly servedAt?: number;
  readonly deliver?: (channel: string) => Delivery | "killed";
}

/** Tells the channels the differences. Returns what was sent, as `channel phase event subject`, and the state after it. */
export function tell(
  config: Config,
  state: FeedState,
  { now = state.runs.at(-1)?.[1] ?? 0, servedAt, deliver = () => ({ outcome: "sent" }) }: TellOptions = {},
): { readonly said: string[]; readonly state: FeedState } {
  const said: string[] = [];
  const first = resolveStored(config, listNodes(config), state);
  const by = eventId(calls++);
  let told = first.notifications;
  for (const channel of Object.keys(config.channels).sort()) {
    const feed = { ...first, notifications: told };
    told = claimDue(feed, differenceOf(feed, now, servedAt), channel, { by, now });
    const claimed = claimedLines({ ...first, notifications: told }, channel, by);
    const delivery = deliver(channel);
    said.push(...claimed.flat().map(([, line]) => textOf(line)));
    if (delivery === "killed") continue;
    const outcomes = claimed.map((lines) => ({ ids: lines.map(([id]) => id), delivery }));
    if (claimed.length > 0) told = confirm(told, channel, outcomes, { by, claimedAt: now, now });
  }
  return { said, state: { ...state, notifications: told } };
}

let calls = 1;

function textOf({ channel, claim: made, event, subject, nodes }: Line): string {
  return `${channel} ${made?.phase} ${event} ${event === "offline" ? nodes.join() : subject}`;
}

/** The time at which the tests' notifications are decided. */
export const decidedAt = Date.parse("2026-11-22T12:00:00Z");

export function hoursBefore(hours: number): number {
  return decidedAt - hours * hour;
}

/** What the state knows of a mirror that has been offline for three hours. */
export const timeout = { status: 0, code: "timeout", phase: "connect", since: hoursBefore(3) } as const;

export const incident = "2026-11-22-abcdef";
export const incidents = {
  [incident]: { host: "git.example.org", code: "timeout", start: timeout.since, outages: [] },
};

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

/** The fields of a line that a test sets. By default, `rule-1` tells `ops`. */
export type GivenEvent = Partial<Line> & Pick<Line, "event">;

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
    readonly phase?: Phase;
  } = {},
): Message {
  const lines = events.map((given, index): [string, Line] => {
    const claimed = { phase, until: decidedAt, by: eventId(1) };
    const own = { channel, subject: "1", nodes: [], since: hoursBefore(3), rule: "rule-1", claim: claimed };
    return [eventId(index + 1), { ...own, ...given }];
  });
  return composeMessage(resolveStored(config, listNodes(config), state), channel, lines);
}
