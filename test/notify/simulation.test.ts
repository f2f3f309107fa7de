import { describe, expect, test } from "vitest";
import { listNodes, type Node } from "../../src/config/nodes.ts";
import { type EventName, notifyRules } from "../../src/config/notify.ts";
import type { Config } from "../../src/config/schema.ts";
import { resolveState } from "../../src/feed/resolve.ts";
import { updateFeedEvent } from "../../src/notify/decide.ts";
import { dueMessages, markFailed, markSent } from "../../src/notify/outbox.ts";
import { advance } from "../../src/state/advance.ts";
import { formatState, parseState } from "../../src/state/document.ts";
import type { State } from "../../src/state/schema.ts";
import { freshnessOf } from "../../src/state/freshness.ts";
import { maintenanceReason } from "../../src/state/maintenance.ts";
import { eventsKept, messagesKept, type Notifications, type WaitingMessage } from "../../src/state/schema.ts";
import { notifiedConfig, type NotifiedMirror, withDecision } from "../support/notified-feed.ts";
import { day, hour, midnight, minute } from "../support/playing.ts";
import { type Seen, vantageOf } from "../support/rounds.ts";
import { randomNumbers, seed, trials } from "../support/trials.ts";

const runsOfWorld = 1000;
const batchSize = 10;

/** Twelve mirrors of one target, which can be behind all at once, and two hosts with three mirrors each. */
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

/** Returns the configurations that follow each other: mirrors and rules come and go. */
function configsOf(random: () => number, runs: number): Config[] {
  const places = ["a.example.org", "b.example.org", "s/p/few", 3, 14];
  const maintenance = Array.from({ length: Math.ceil(runs / 60) }, () => {
    const from = midnight + Math.floor(random() * runs) * 30 * minute;
    const to = from + (1 + Math.floor(random() * 20)) * hour;
    const [start, end] = [from, to].map((time) => new Date(time).toISOString());
    return { scope: places[Math.floor(random() * places.length)], from: start, to: end, reason: "Work" };
  });
  const build = (own: readonly NotifiedMirror[], notify: unknown, more: object = {}): Config =>
    notifiedConfig(own, notify, { maintenance, site: { interval: "30m" }, ...more });
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

/** What the mirrors are really like. */
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

  /** Half an hour goes by. */
  live(nodes: readonly Node[], at: number): void {
    const roll = this.#random;
    this.proberDown = Math.max(0, this.proberDown - 1) || (roll() < 0.01 ? 1 + Math.floor(roll() * 20) : 0);
    // Now and then no mirror follows for hours, and then all do at once.
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

/** Throws unless it is true: so many calls of expect() take longer than the runs. */
function hold(isTrue: boolean, sentence: string): void {
  if (!isTrue) throw new Error(sentence);
}

/** What the receivers got. */
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
    hold(
      known.events.join() === message.events.join() &&
        known.channel === message.channel &&
        known.phase === message.phase,
      "A repeated message has another content.",
    );
  }
}

type Reached = (event: EventName, node: Node) => Map<string, number>;

/** Returns how long each channel waits for an event of a node. */
function reachedBy(config: Config): Reached {
  const all = notifyRules(config);
  return (event, node) => {
    const channels = new Map<string, number>();
    for (const { events, scope, to, afterMs } of all) {
      const isNamed = scope === undefined || scope === node.host || scope === node.id || scope === node.place;
      if (!events.has(event) || !isNamed) continue;
      for (const name of to) {
        const channel = name === "contact" ? node.contact : name;
        if (channel === undefined) continue;
        channels.set(channel, Math.min(channels.get(channel) ?? Infinity, afterMs(event)));
      }
    }
    return channels;
  };
}

/** Returns since when an event is so of a node, `over` if it is not, and `unknown` if the state cannot say. */
function truthOf(event: EventName, node: Node, state: State, at: number): number | "over" | "unknown" {
  const stored = state.nodes[node.id];
  if (stored === undefined) return "over";
  const isNever = stored.transitions.length === 0;
  if (event === "offline") return stored.status === 0 && !isNever ? stored.since : "over";
  if (event === "never_online") return stored.status === 0 && isNever ? stored.since : "over";
  if (event === "certificate") {
    const expiry = stored.tls_expires_at ?? Infinity;
    const today = Math.floor(at / day) * day;
    if (expiry - today >= 14 * day) return "over";
    // The start of the first day from which less than fourteen days are left.
    let since = today;
    while (expiry - (since - day) < 14 * day) since -= day;
    return since;
  }
  if (stored.status === 0) return "unknown";
  const freshness = freshnessOf(stored, state.references[node.place]);
  if (freshness.state === "unknown") return "unknown";
  return freshness.state === "behind" ? freshness.behindSince : "over";
}

const watched: readonly EventName[] = ["offline", "never_online", "certificate", "behind"];

/** Checks that the events of a state are those that rules ask for. */
function checkEvents(
  config: Config,
  nodes: readonly Node[],
  before: Notifications | undefined,
  state: State,
  at: number,
): void {
  const { events = {}, outbox = {} } = state.notifications ?? {};
  const reached = reachedBy(config);
  const ending = new Set(
    Object.values(outbox).flatMap((one) =>
      one.phase === "end" ? one.events.map((id) => `${id} ${one.channel}`) : [],
    ),
  );
  const open = Object.entries(events).flatMap(([id, event]) =>
    Object.keys(event.to).flatMap((channel) =>
      ending.has(`${id} ${channel}`) ? [] : [{ id, event, channel }],
    ),
  );
  const openOf = new Map<string, typeof open>();
  for (const one of open)
    for (const node of one.event.nodes) {
      const key = `${one.event.event} ${node} ${one.channel}`;
      openOf.set(key, [...(openOf.get(key) ?? []), one]);
    }
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const frozen = new Set(
    nodes.filter((node) => maintenanceReason(config.maintenance, node, at) !== undefined),
  );
  for (const event of watched)
    for (const node of nodes) {
      const since = truthOf(event, node, state, at);
      for (const [channel, after] of reached(event, node)) {
        const own = (openOf.get(`${event} ${node.id} ${channel}`) ?? []).filter(
          (one) =>
            event !== "offline" || truthOf(event, node, state, at) !== "over" || one.event.nodes.length === 1,
        );
        if (typeof since === "number" && !frozen.has(node) && at - since >= after)
          hold(own.length > 0, `${event} of ${node.id} has not begun for ${channel}.`);
        if (event !== "offline")
          hold(own.length <= 1, `${event} of ${node.id} has begun twice for ${channel}.`);
      }
    }
  for (const { id, event, channel } of open) {
    const members = Object.values(event.nodes).flatMap((node) => byId.get(node) ?? []);
    const name = watched.find((one) => one === event.event);
    if (name === undefined) continue;
    const scope = event.incident === undefined ? members : nodes;
    const isSo = scope.some(
      (node) => reached(name, node).has(channel) && truthOf(name, node, state, at) !== "over",
    );
    hold(
      isSo || scope.some((node) => frozen.has(node)),
      `${event.event} ${id} lasts for ${channel}, but is over.`,
    );
    if (before?.events[id]?.to[channel] !== undefined) continue;
    const isDue = members.some((node) => {
      const since = truthOf(name, node, state, at);
      const after = reached(name, node).get(channel);
      return typeof since === "number" && after !== undefined && at - since >= after && !frozen.has(node);
    });
    hold(isDue, `${event.event} ${id} began for ${channel} too early, or in maintenance.`);
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
    let state: State | undefined;
    /** Of each channel and event: what was decided last. */
    const decided = new Map<string, string>();
    const removed = new Set<string>();
    const failing = new Map<string, "failed" | "refused">();
    let marks: ((known: Notifications) => Notifications)[] = [];
    const seenKinds = new Set<string>();

    const note = (before: Notifications | undefined, after: Notifications | undefined): void => {
      for (const [id, message] of Object.entries(after?.outbox ?? {})) {
        if (before?.outbox[id] !== undefined) continue;
        if (message.events.length > 10) seenKinds.add(`digest ${message.phase}`);
        for (const event of message.events) {
          const key = `${event} ${message.channel}`;
          const last = decided.get(key);
          seenKinds.add(`${message.phase} ${after?.events[event]?.event}`);
          if (message.phase === "begin") hold(last !== "begin", "An event begins twice for a channel.");
          if (message.phase === "end") hold(last === "begin", "An event ends that did not begin, or twice.");
          decided.set(key, message.phase);
        }
      }
    };
    const change = (update: (known: Notifications) => Notifications): void => {
      if (state !== undefined)
        state = { ...state, notifications: update(state.notifications ?? { events: {}, outbox: {} }) };
    };
    const send = (now: number): void => {
      if (state === undefined) return;
      for (const mark of marks) change(mark);
      marks = [];
      const before = state.notifications;
      const judged = updateFeedEvent(resolveState(config, nodes, state), now);
      note(before, judged);
      state = { ...state, notifications: judged };
      const due = judged === undefined ? [] : dueMessages(judged, now);
      for (let start = 0; start < due.length; start += batchSize) {
        const crashAt = random() < 0.03 && !world.isHealed ? Math.floor(random() * batchSize) : Infinity;
        const batch = due.slice(start, start + batchSize);
        const own: ((known: Notifications) => Notifications)[] = [];
        for (const [index, [id, message]] of batch.entries()) {
          if (index === crashAt) break;
          const failure = failing.get(message.channel);
          if (failure === undefined) {
            receivers.deliver(id, message);
            own.push((known) => markSent(known, id));
          } else {
            own.push((known) => {
              const marked = markFailed(known, id, { outcome: failure, reason: "" }, now);
              if (known.outbox[id] !== undefined && marked.outbox[id] === undefined)
                for (const event of message.events) receivers.givenUp.add(`${event} ${message.channel}`);
              return marked;
            });
          }
        }
        if (crashAt < batchSize) {
          receivers.crashes += 1;
          return;
        }
        // Another run may save its state between the sending and the marking.
        if (random() < 0.1 && !world.isHealed) {
          marks = own;
          return;
        }
        for (const mark of own) change(mark);
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
        for (const key of decided.keys())
          if (!Object.hasOwn(config.channels, key.split(" ")[1] ?? "")) decided.delete(key);
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
        const before: State | undefined = state;
        const { state: decidedState, decidedAt } = advance(config, nodes, round, before);
        // Counts take most of the time, and no event depends on them.
        const after = decidedState && { ...decidedState, vantages: {} };
        if (after === undefined) continue;
        if (decidedAt === undefined) {
          state = after;
          hold(
            before === undefined || listKeys(after) === listKeys(before),
            "A run without a decision decided.",
          );
          continue;
        }
        const isOlder = before !== undefined && at < (before.runs.at(-1)?.[1] ?? 0) - 5 * minute;
        hold(again === 0 && !isOlder && control === "ok", "A run decided that must not.");
        state = withDecision(config, nodes, before, after);
        note(before?.notifications, state.notifications);
        checkEvents(config, nodes, before?.notifications, state, decidedAt);
      }
      if (random() < 0.1 && state !== undefined) state = parseState(formatState(state), "here");
      if (random() < 0.8 || world.isHealed) send(now + 11 * minute);
    }

    // All that began has ended, and nothing waits.
    hold(listKeys(state) === "[[],[]]", "Something is left.");
    const { first, crashes, repeated } = receivers;
    hold(repeated <= crashes * batchSize, "More than a batch was repeated.");
    const phases = new Map<string, string[]>();
    for (const { channel, phase, events } of first.values())
      for (const event of events) {
        const key = `${event} ${channel}`;
        phases.set(key, [...(phases.get(key) ?? []), phase]);
      }
    // A channel hears again of an event that lasted for others, if a rule names it again or its own mirror fails again.
    for (const [key, heard] of phases) {
      const isLost = receivers.givenUp.has(key) || removed.has(key.split(" ")[1] ?? "");
      hold(isLost || /^(?:begin,end(?:,|$))+$/.test(heard.join()), `A channel heard ${heard.join()}.`);
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

function listKeys(state: State | undefined): string {
  const { events = {}, outbox = {} } = state?.notifications ?? {};
  return JSON.stringify([Object.entries(events), Object.entries(outbox)]);
}
