import { describe, expect, test } from "vitest";
import { listNodes, type Node } from "../../../src/core/config/nodes.ts";
import type { Delivery } from "../../../src/features/notify/channels/channel.ts";
import { group } from "../../../src/core/base/text/group.ts";
import type { Config } from "../../../src/core/config/config-schema.ts";
import { nodesOf, targetsOf } from "../../../src/core/feed/feed.ts";
import type { NotifiedFeed } from "../../../src/features/notify/notified-feed.ts";
import { updateFeedEvent, updateNotifications } from "../../../src/features/notify/decide.ts";
import {
  beginAttempts,
  dueMessages,
  endedReceivers,
  mark,
  noNotifications,
  receiverKey,
} from "../../../src/features/notify/outbox.ts";
import { notifiedConfig, type NotifiedMirror } from "../../support/notified-feed.ts";
import { day, hour, midnight, minute } from "../../support/playing.ts";
import { type Seen, vantageOf } from "../../support/rounds.ts";
import { randomNumbers, seed, trials } from "../../support/trials.ts";
import type { EventName } from "../../../src/core/config/notify-rules.ts";
import type { FeedNode } from "../../../src/core/feed/feed-node.ts";
import {
  eventsKept,
  messagesKept,
  type Notifications,
  type WaitingMessage,
} from "../../../src/features/notify/notifications.ts";
import { formatState, parseState } from "../../support/stored.ts";
import { advanceState, resolveStored } from "../../../src/app/advance-feed.ts";
import type { FeedState } from "../../../src/app/state-document.ts";

const runsOfWorld = 1000;
const batchSize = 10;

/** Twelve mirrors of one target that can all be behind at the same time, and two hosts with three mirrors each. */
const mirrors: readonly NotifiedMirror[] = [
  ...Array.from({ length: 12 }, (_, index) => ({
    id: index + 1,
    host: `m${index + 1}.example.org`,
    target: "many",
    ...(index === 0 && { primary: true }),
    ...(index % 4 === 0 && { contact: "ann" }),
  })),
  ...Array.from({ length: 6 }, (_, index) => ({
    id: index + 13,
    host: `${["a", "b"][index % 2] ?? ""}.example.org`,
    target: "few",
    ...(index === 0 && { primary: true }),
    ...(index % 2 === 1 && { contact: "bob" }),
  })),
];

const rules = {
  all: { name: "all", to: ["ops", "issues"], after: "1h" },
  late: { name: "late", to: ["boss"], events: ["offline", "never_online"], after: "6h" },
  people: { name: "people", to: ["contact"], after: "2h" },
  hostOnly: { name: "host", to: ["ops", "boss"], scope: "b.example.org", after: "0s" },
};

/** Returns successive configurations, in which mirrors and rules come and go. */
function configsOf(random: () => number, runs: number): Config[] {
  const places = ["a.example.org", "b.example.org", "s/p/few", 3, 14];
  const maintenance = Array.from({ length: Math.ceil(runs / 60) }, () => {
    const from = midnight + Math.floor(random() * runs) * 30 * minute;
    const to = from + (1 + Math.floor(random() * 20)) * hour;
    const [start, end] = [from, to].map((time) => new Date(time).toISOString());
    return { scope: places[Math.floor(random() * places.length)], from: start, to: end, reason: "Work" };
  });
  const build = (own: readonly NotifiedMirror[], notify: unknown, more: object = {}): Config =>
    notifiedConfig(own, notify, { ...settings, maintenance, ...more });
  const settings = { site: { interval: "30m" }, freshness: { grace: "1h" } };
  const moved = mirrors.map((one) => (one.id === 17 || one.id === 2 ? { ...one, path: "moved" } : one));
  const fewer = mirrors.filter(({ id }) => id !== 16 && id !== 18 && id !== 5);
  return [
    build(mirrors, [rules.all, rules.late, rules.people]),
    build(moved, [rules.people, rules.all]),
    build(fewer, [rules.all, rules.late]),
    build(mirrors, [rules.hostOnly]),
    build(mirrors, []),
    build(mirrors, [rules.all, rules.people], {
      channels: {
        ops: { type: "webhook", urlEnv: "HOOK_URL" },
        ann: { type: "webhook", urlEnv: "A" },
        bob: { type: "webhook", urlEnv: "B" },
        issues: { type: "webhook", urlEnv: "C" },
      },
    }),
  ];
}

/** The mirrors' true state. */
class World {
  proberDown = 0;
  isHealed = false;
  readonly #random: () => number;
  readonly #hostDown = new Map<string, number>();
  readonly #nodeDown = new Map<number, number>();
  readonly #held = new Map<number, number>();
  readonly #expiry = new Map<number, number>();
  #newest = 1;
  #stalled = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Advances the world by half an hour. */
  live(nodes: readonly Node[], at: number): void {
    const roll = this.#random;
    this.proberDown = Math.max(0, this.proberDown - 1) || (roll() < 0.01 ? 1 + Math.floor(roll() * 20) : 0);
    // Now and then, no mirror follows the primary for hours, and then all catch up at the same time.
    const isOver = this.#stalled === 1;
    this.#stalled = Math.max(0, this.#stalled - 1) || (roll() < 0.01 ? 5 + Math.floor(roll() * 10) : 0);
    if (roll() < 0.02 || this.#stalled > 4) this.#newest += 1;
    for (const { id, host, primary } of nodes) {
      const down = this.#hostDown.get(host) ?? 0;
      if (!this.#hostDown.has(host) || roll() < 0.4)
        this.#hostDown.set(host, Math.max(0, down - 1) || (roll() < 0.003 ? 1 + Math.floor(roll() * 30) : 0));
      const own = this.#nodeDown.get(id) ?? 0;
      this.#nodeDown.set(id, Math.max(0, own - 1) || (roll() < 0.01 ? 1 + Math.floor(roll() * 8) : 0));
      if (primary || isOver || (this.#stalled === 0 && roll() < 0.2) || !this.#held.has(id))
        this.#held.set(id, this.#newest);
      const expiry = this.#expiry.get(id) ?? at + roll() * 60 * day;
      this.#expiry.set(id, expiry - at < 13 * day && roll() < 0.05 ? at + 60 * day : expiry);
    }
  }

  see({ id, host, primary }: Node, at: number): Seen {
    if (this.proberDown > 0 && !this.isHealed) return "dns";
    const revision = (this.isHealed || primary ? this.#newest : (this.#held.get(id) ?? 1))
      .toString(16)
      .padStart(16, "0")
      .padEnd(40, "0");
    const expiry = this.isHealed ? at + 80 * day : (this.#expiry.get(id) ?? at);
    const tls_expires_at = new Date(expiry).toISOString();
    if (this.isHealed) return { revision, branch: "main", tls_expires_at };
    if ((this.#hostDown.get(host) ?? 0) > 0) return "timeout";
    if ((this.#nodeDown.get(id) ?? 0) > 0) return this.#random() < 0.8 ? "refused" : "timeout";
    if (this.#random() < 0.01) return "rate_limited";
    return { revision, branch: "main", tls_expires_at };
  }
}

/** A replacement for expect(), which would take longer than the runs. */
function hold(isTrue: boolean, sentence: string): void {
  if (!isTrue) throw new Error(sentence);
}

/** The outcome of sending a message. It is not yet recorded in the state. */
interface Mark {
  readonly id: string;
  readonly message: WaitingMessage;
  readonly delivery: Delivery;
  readonly now: number;
}

class Receivers {
  crashes = 0;
  delivered = 0;
  repeated = 0;
  givenUp = new Set<string>();
  readonly first = new Map<string, WaitingMessage>();

  deliver(id: string, message: WaitingMessage): void {
    this.delivered += 1;
    const known = this.first.get(id);
    if (known === undefined) {
      this.first.set(id, message);
      return;
    }
    this.repeated += 1;
    // A message that waits to be tried again can lose events, but never gets new ones.
    hold(
      message.events.every((event) => known.events.includes(event)) &&
        known.channel === message.channel &&
        known.phase === message.phase,
      "A repeated message has another content.",
    );
  }
}

/** Returns the delay after which each channel is told about a node's event. */
function waitsOf({ rules }: NotifiedFeed, event: EventName, node: FeedNode): Map<string, number> {
  const { host, id, contact, target } = node;
  const waits = new Map<string, number>();
  for (const { events, scope, to, afterMs } of rules) {
    if (!events.has(event) || ![undefined, host, id, target.place].includes(scope)) continue;
    for (const name of to) {
      const channel = name === "contact" ? contact : name;
      if (channel !== undefined) waits.set(channel, Math.min(waits.get(channel) ?? Infinity, afterMs(event)));
    }
  }
  return waits;
}

/** Returns when a node's event began, `over` if the event does not hold, or `unknown` if the feed cannot say. */
function truthOf(event: EventName, node: FeedNode, at: number): number | "over" | "unknown" {
  const { status, transitions, freshness, late, since = "", behind_since = "" } = node;
  if (event === "offline" || event === "never_online") {
    const isSo = status === 0 && (transitions.length === 0) === (event === "never_online");
    return isSo ? Date.parse(since) : "over";
  }
  if (event === "certificate") {
    const expiry = Date.parse(node.tls_expires_at ?? "9999-01-01T00:00:00Z");
    // Find the start of the first day on which fewer than fourteen days are left.
    let first = Math.floor(at / day) * day;
    if (expiry - first >= 14 * day) return "over";
    while (expiry - (first - day) < 14 * day) first -= day;
    return first;
  }
  if (status === 0 || freshness === "unknown") return "unknown";
  return late ? Date.parse(behind_since) : "over";
}

const watched: readonly EventName[] = ["offline", "never_online", "certificate", "behind"];

/** After a run, checks that a feed's notifications follow its rules. */
function checkEvents(
  feed: NotifiedFeed,
  before: Notifications | undefined,
  known: Notifications | undefined,
): void {
  const at = Date.parse(feed.run.generated_at);
  const nodes = nodesOf(targetsOf(feed.systems));
  const { events, outbox } = known ?? noNotifications;
  const ended = endedReceivers(known ?? noNotifications);
  const open = Object.entries(events).flatMap(([id, event]) =>
    Object.keys(event.to).flatMap((channel) =>
      ended.has(receiverKey(id, channel)) ? [] : [{ id, event, channel }],
    ),
  );
  const openOf = group(
    open.flatMap((one) =>
      one.event.nodes.map((node) => [`${one.event.event} ${node} ${one.channel}`, one] as const),
    ),
  );
  const isDue = (event: EventName, node: FeedNode, channel: string): boolean => {
    const since = truthOf(event, node, at);
    const after = waitsOf(feed, event, node).get(channel) ?? Infinity;
    return typeof since === "number" && node.maintenance === undefined && at - since >= after;
  };
  for (const event of watched)
    for (const node of nodes)
      for (const channel of waitsOf(feed, event, node).keys()) {
        const own = openOf.get(`${event} ${node.id} ${channel}`) ?? [];
        if (isDue(event, node, channel))
          hold(own.length > 0, `${event} of ${node.id} has not begun for ${channel}.`);
        if (event !== "offline")
          hold(own.length <= 1, `${event} of ${node.id} has begun twice for ${channel}.`);
      }
  for (const { id, event, channel } of open) {
    const members = nodes.filter((node) => event.nodes.includes(node.id));
    const name = watched.find((one) => one === event.event);
    // A certificate event goes on for several runs after the renewal.
    if (name === undefined || name === "certificate") continue;
    const scope = event.incident === undefined ? members : nodes;
    const isSo = scope.some(
      (node) => waitsOf(feed, name, node).has(channel) && truthOf(name, node, at) !== "over",
    );
    hold(
      isSo || scope.some(({ maintenance }) => maintenance !== undefined),
      `${event.event} ${id} lasts for ${channel}, but is over.`,
    );
    hold(
      before?.events[id]?.to[channel] !== undefined || members.some((node) => isDue(name, node, channel)),
      `${event.event} ${id} began for ${channel} too early, or in maintenance.`,
    );
  }
  hold(
    Object.keys(events).length <= eventsKept && Object.keys(outbox).length <= messagesKept,
    "There are too many.",
  );
}

const worlds = Array.from({ length: trials(10) }, (_, index) => seed + index);

describe.each(worlds)("1,000 runs, with crashes at any point (seed %s)", (from) => {
  test("tell every channel once when an event begins and once when it ends", () => {
    const random = randomNumbers(from);
    const world = new World(random);
    const receivers = new Receivers();
    const configs = configsOf(random, runsOfWorld);
    let config = configs[0] ?? notifiedConfig(mirrors);
    let nodes = listNodes(config);
    let state: FeedState | undefined;
    let feed: NotifiedFeed | undefined;
    /** The events and channels, as `event channel`, for which the outcome of an attempt was recorded late or never. */
    const unknown = new Set<string>();
    const removed = new Set<string>();
    const failing = new Map<string, "failed" | "refused">();
    let late: Mark[] = [];
    const seenKinds = new Set<string>();

    const note = (before: Notifications | undefined, after: Notifications | undefined): void => {
      for (const [id, message] of Object.entries(after?.outbox ?? {})) {
        if (before?.outbox[id] !== undefined) continue;
        if (message.events.length > 10) seenKinds.add(`digest ${message.phase}`);
        for (const event of message.events) seenKinds.add(`${message.phase} ${after?.events[event]?.event}`);
      }
    };
    const apply = (marks: readonly Mark[]): void => {
      for (const { id, message, delivery, now } of marks) {
        if (state?.notifications === undefined) return;
        const known = state.notifications;
        const notifications = mark(known, id, delivery, now);
        state = { ...state, notifications };
        if (delivery.outcome !== "sent" && known.outbox[id] !== undefined && !(id in notifications.outbox))
          for (const event of message.events) receivers.givenUp.add(`${event} ${message.channel}`);
      }
    };
    const send = (now: number): void => {
      if (state === undefined || feed === undefined) return;
      apply(late);
      late = [];
      const judged = updateFeedEvent({ ...feed, notifications: state.notifications }, now);
      note(state.notifications, judged);
      state = { ...state, notifications: judged };
      const due = judged === undefined ? [] : dueMessages(judged, now);
      for (let start = 0; start < due.length; start += batchSize) {
        const crashAt = random() < 0.03 && !world.isHealed ? Math.floor(random() * batchSize) : Infinity;
        const marks: Mark[] = [];
        const batch = due.slice(start, start + batchSize);
        const notifications = beginAttempts(
          state.notifications ?? noNotifications,
          batch.map(([id]) => id),
        );
        state = { ...state, notifications };
        for (const [id, message] of batch.slice(0, crashAt)) {
          const outcome = failing.get(message.channel) ?? "sent";
          if (outcome === "sent") receivers.deliver(id, message);
          marks.push({ id, message, delivery: { outcome, reason: "" }, now });
        }
        const attempted = batch.flatMap(([, { channel, events }]) =>
          events.map((event) => `${event} ${channel}`),
        );
        if (crashAt < batchSize) {
          for (const key of attempted) unknown.add(key);
          receivers.crashes += 1;
          return;
        }
        // Sometimes, another run saves its state before the outcomes are recorded.
        if (random() < 0.1 && !world.isHealed) {
          for (const key of attempted) unknown.add(key);
          late = marks;
          return;
        }
        apply(marks);
      }
    };

    for (let run = 0; run < runsOfWorld + 100; run += 1) {
      const now = midnight + run * 30 * minute;
      world.isHealed = run >= runsOfWorld;
      if (world.isHealed) failing.clear();
      if (random() < 0.01 || run === runsOfWorld) {
        config =
          (world.isHealed
            ? configs[0]
            : configs[Math.floor(Math.max(0, random() * 2 - 1) * configs.length)]) ?? config;
        nodes = listNodes(config);
        if (!Object.hasOwn(config.channels, "boss")) removed.add("boss");
      }
      if (world.isHealed) config = { ...config, maintenance: [] };
      else if (random() < 0.01)
        failing.set(["ops", "ann", "issues"][run % 3] ?? "ops", random() < 0.9 ? "failed" : "refused");
      else if (random() < 0.02) failing.clear();
      world.live(nodes, now);
      const isLate = run > 10 && random() < 0.02;
      const at = isLate ? now - 3 * hour : now + Math.floor(random() * 10) * minute;
      const largest = Math.max(...nodes.map(({ id }) => id));
      const byId = new Map(nodes.map((node) => [node.id, node]));
      const see = (): Seen[] =>
        Array.from({ length: largest }, (_, index) => {
          const node = byId.get(index + 1);
          return node === undefined ? undefined : world.see(node, now);
        });
      const vantages = ["x", "y", "z"].slice(0, random() < 0.8 ? 1 : 3);
      const control = world.proberDown > 0 && !world.isHealed ? "dns" : "ok";
      const round = {
        run: `r${run}`,
        at,
        vantages: vantages.map((name) => vantageOf(name, see(), [control])),
      };
      for (let again = 0; again < (random() < 0.05 ? 2 : 1); again += 1) {
        const before: FeedState | undefined = state;
        const { state: after, decidedAt } = advanceState(config, nodes, round, before);
        if (after === undefined) continue;
        // Drop the counts: updating them takes most of the time, and events do not depend on them.
        state = { ...after, vantages: {} };
        const feedBefore = feed;
        feed = resolveStored(config, nodes, state);
        if (decidedAt === undefined) {
          hold(listKeys(after) === listKeys(before), "A run without a decision decided.");
          continue;
        }
        const isOlder = before !== undefined && at < (before.runs.at(-1)?.[1] ?? 0) - 5 * minute;
        hold(again === 0 && !isOlder && control === "ok", "A run decided that must not.");
        const notifications = updateNotifications(feedBefore, feed);
        state = { ...state, notifications };
        note(before?.notifications, notifications);
        checkEvents(feed, before?.notifications, notifications);
      }
      if (random() < 0.1 && state !== undefined) state = parseState(formatState(state), "here");
      if (random() < 0.8 || world.isHealed) send(now + 11 * minute);
    }

    // Every event must have ended, and no message may be pending.
    hold(listKeys(state) === "[[],[]]", "Something is left.");
    const { first, crashes, repeated } = receivers;
    hold(repeated <= crashes * batchSize, "More than a batch was repeated.");
    const phases = new Map<string, string[]>();
    for (const { channel, phase, events } of first.values())
      for (const event of events) {
        const key = `${event} ${channel}`;
        phases.set(key, [...(phases.get(key) ?? []), phase]);
      }
    // If the outcome of an attempt was unknown, a channel may get a begin or an end twice. The last message that it
    // gets must still be an end.
    for (const [key, heard] of phases) {
      const isLost = receivers.givenUp.has(key) || removed.has(key.split(" ")[1] ?? "");
      const isRight = unknown.has(key)
        ? heard.at(-1) === "end"
        : /^(?:begin,end(?:,|$))+$/.test(heard.join());
      hold(isLost || isRight, `A channel heard ${heard.join()}.`);
    }
    expect(crashes).toBeGreaterThan(3);
    expect([...seenKinds]).toEqual(
      expect.arrayContaining([
        "begin offline",
        "end offline",
        "begin behind",
        "digest begin",
        "digest end",
        "end certificate",
        "begin feed",
        "end feed",
      ]),
    );
  });
});

function listKeys(state: FeedState | undefined): string {
  const { events = {}, outbox = {} } = state?.notifications ?? {};
  // Mirrors whose URL has changed leave their events in any run, without a decision.
  const told = Object.entries(events).map(([id, event]) => [id, { ...event, nodes: undefined }]);
  return JSON.stringify([told, Object.entries(outbox)]);
}
