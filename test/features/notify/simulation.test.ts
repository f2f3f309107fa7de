import { describe, expect, test } from "vitest";
import { advanceState, resolveStored } from "../../../src/app/advance-feed.ts";
import type { FeedState } from "../../../src/app/state-document.ts";
import type { Config } from "../../../src/core/config/config-schema.ts";
import { listNodes, type Node } from "../../../src/core/config/nodes.ts";
import type { EventName } from "../../../src/core/config/notify-rules.ts";
import type { FeedNode } from "../../../src/core/feed/feed-node.ts";
import { nodesOf, targetsOf } from "../../../src/core/feed/feed.ts";
import type { Delivery } from "../../../src/features/notify/channels/channel.ts";
import { webhookDocument } from "../../../src/features/notify/channels/message.ts";
import { claimDue, claimedLines, confirm, messagesPerHour } from "../../../src/features/notify/claims.ts";
import { composeMessage } from "../../../src/features/notify/compose.ts";
import { differenceOf } from "../../../src/features/notify/difference.ts";
import { type Line, type NotifiedFeed, type Told } from "../../../src/features/notify/told.ts";
import { notifiedConfig, type NotifiedMirror } from "../../support/notified-feed.ts";
import { day, hour, midnight, minute } from "../../support/playing.ts";
import { type Seen, vantageOf } from "../../support/rounds.ts";
import { formatState, parseState } from "../../support/stored.ts";
import { randomNumbers, seed, trials } from "../../support/trials.ts";

const runsOfWorld = 500;
/** After these, each event must be over. */
const runsAfter = 150;

/** Twelve mirrors of one target, and two hosts with three mirrors each. The third mirror flaps for days. */
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
  mirrorOnly: { name: "mirror", to: ["ops"], scope: 14, after: "0s" },
  hostLate: { name: "late-host", to: ["ops"], scope: "b.example.org", after: "3h" },
};

/** Returns configurations in which mirrors, rules and channels come and go. */
function configsOf(random: () => number): Config[] {
  const places = ["a.example.org", "b.example.org", "s/p/few", 3, 14];
  const maintenance = Array.from({ length: runsOfWorld / 60 }, () => {
    const from = midnight + Math.floor(random() * runsOfWorld) * 30 * minute;
    const to = from + (1 + Math.floor(random() * 20)) * hour;
    const [start, end] = [from, to].map((time) => new Date(time).toISOString());
    return { scope: places[Math.floor(random() * places.length)], from: start, to: end, reason: "Work" };
  });
  const settings = { site: { interval: "30m" }, freshness: { grace: "1h" }, maintenance };
  const build = (own: readonly NotifiedMirror[], notify: unknown, more: object = {}): Config =>
    notifiedConfig(own, notify, { ...settings, ...more });
  const moved = mirrors.map((one) => (one.id === 17 || one.id === 2 ? { ...one, path: "moved" } : one));
  const fewer = mirrors.filter(({ id }) => id !== 16 && id !== 18 && id !== 5);
  const hook = { type: "webhook", urlEnv: "HOOK_URL" };
  return [
    build(mirrors, [rules.all, rules.late, rules.people]),
    build(moved, [rules.people, rules.all]),
    build(fewer, [rules.all, rules.late]),
    build(mirrors, [rules.hostOnly]),
    build(mirrors, [rules.mirrorOnly, rules.hostLate]),
    build(mirrors, []),
    build(mirrors, [rules.all, rules.people], {
      channels: {
        ops: hook,
        ann: hook,
        bob: hook,
        issues: { type: "github", repository: "example/mirrors" },
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
  #flapping = 0;
  #newest = 1;
  #stalled = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Advances the world by half an hour. */
  live(nodes: readonly Node[], at: number): void {
    const roll = this.#random;
    this.proberDown = Math.max(0, this.proberDown - 1) || (roll() < 0.01 ? 1 + Math.floor(roll() * 20) : 0);
    this.#flapping = Math.max(0, this.#flapping - 1) || (roll() < 0.01 ? 60 : 0);
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
      if (id === 3 && this.#flapping > 0) this.#nodeDown.set(id, roll() < 0.5 ? 1 : 0);
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
    const good = { revision, branch: "main", tls_expires_at: new Date(expiry).toISOString() };
    if (this.isHealed) return good;
    if ((this.#hostDown.get(host) ?? 0) > 0) return "timeout";
    if ((this.#nodeDown.get(id) ?? 0) > 0) return this.#random() < 0.8 ? "refused" : "timeout";
    const chance = this.#random();
    return chance < 0.01 ? "rate_limited" : chance < 0.02 ? undefined : good;
  }
}

/** A replacement for expect(), which would take longer than the runs. */
function hold(isTrue: boolean, sentence: string): void {
  if (!isTrue) throw new Error(sentence);
}

/** Returns when a mirror's event began, whether it is over, or that the feed cannot say. */
function truthOf(event: EventName, node: FeedNode, at: number): number | "over" | "unknown" {
  const { status, transitions, freshness, late, since = "", behind_since = "", verified, maintenance } = node;
  if (maintenance !== undefined) return "unknown";
  if (event === "offline" || event === "never_online") {
    if (status === 1) return "over";
    if (!verified) return "unknown";
    return (transitions.length === 0) === (event === "never_online") ? Date.parse(since) : "over";
  }
  if (!verified) return "unknown";
  if (event === "unstable") {
    const times = transitions.map((one) => at - Date.parse(one.at));
    const falls = times.filter((age, index) => transitions[index]?.status === 0 && age < day);
    return falls.length >= 3 ? at - day : times.some((age) => age < day) ? "unknown" : "over";
  }
  if (event === "certificate") {
    const expiry = Date.parse(node.tls_expires_at ?? "9999-01-01T00:00:00Z");
    if (status === 0 || expiry + day <= at) return "unknown";
    const today = Math.floor(at / day) * day;
    return today + 14 * day > expiry ? today : "over";
  }
  if (status === 0 || freshness === "unknown") return "unknown";
  return late ? Date.parse(behind_since) : "over";
}

const watched: readonly EventName[] = ["offline", "never_online", "certificate", "behind", "unstable"];

/** Returns the delay after which each channel is to be told about a mirror's event. */
function waitsOf({ rules: all }: NotifiedFeed, event: EventName, node: FeedNode): Map<string, number> {
  const waits = new Map<string, number>();
  for (const { events, scope, to, afterMs } of all) {
    const scopes: unknown[] = [undefined, node.host, node.id, node.target.place];
    if (!events.has(event) || !scopes.includes(scope)) continue;
    for (const name of to) {
      const channel = name === "contact" ? node.contact : name;
      if (channel !== undefined) waits.set(channel, Math.min(waits.get(channel) ?? Infinity, afterMs(event)));
    }
  }
  return waits;
}

/** Whoever gets the messages, and compares them with each other and with the truth. */
class Receivers {
  /** The lines whose sender was killed, or got no answer, or could not store the outcome. */
  readonly unsure = new Set<string>();
  /** The lines that vanished without a word. */
  readonly dropped = new Set<string>();
  readonly heard = new Map<string, { readonly line: Line; readonly phases: string[] }>();
  readonly seen = new Set<string>();
  readonly #open = new Map<string, Line>();
  readonly #times = new Map<string, number[]>();
  readonly #contents = new Map<string, string>();

  deliver(feed: NotifiedFeed, channel: string, lines: readonly [string, Line][], now: number): void {
    const times = [
      ...(this.#times.get(channel) ?? []).filter((time) => now - time < hour - 10 * minute),
      now,
    ];
    this.#times.set(channel, times);
    hold(times.length <= messagesPerHour, `${channel} gets more than ${messagesPerHour} messages.`);
    const message = composeMessage(feed, channel, lines);
    const { id } = message;
    const text = JSON.stringify(webhookDocument(message));
    hold((this.#contents.get(id) ?? text) === text, "The same id comes with another content.");
    this.#contents.set(id, text);
    for (const [line, one] of lines) this.#hear(feed, line, one);
  }

  #hear(feed: NotifiedFeed, id: string, line: Line): void {
    const { event, channel, claim: made } = line;
    const phase = made?.phase ?? "";
    const phases = this.heard.get(id)?.phases ?? [];
    this.seen.add(`${phase} ${event}`);
    hold(
      this.unsure.has(id) || phases.join() === (phase === "begin" ? "" : "begin"),
      `${channel} gets the ${phase} of ${event} after ${phases.join() || "nothing"}.`,
    );
    const at = Date.parse(feed.run.generated_at);
    const own = nodesOf(targetsOf(feed.systems)).filter((node) => line.nodes.includes(node.id));
    const concerned = own.filter((node) => waitsOf(feed, event, node).has(channel));
    const truths = concerned.map((node) => truthOf(event, node, at));
    if (event !== "feed" && phase === "begin")
      hold(
        truths.some((truth) => typeof truth === "number"),
        `${event} is told, but not so.`,
      );
    if (event !== "feed" && phase === "end")
      hold(
        truths.every((truth) => truth === "over"),
        `${event} is told to be over: ${truths.join()}.`,
      );
    if (phase === "begin" && phases.length === 0)
      for (const [otherId, other] of this.#open) {
        const isLost = this.dropped.has(otherId) || this.unsure.has(otherId);
        const isSame = other.channel === channel && other.event === event && event !== "certificate";
        const isShared = other.nodes.some((node) => line.nodes.includes(node));
        hold(isLost || !isSame || !isShared, `${channel} gets ${event} of ${line.nodes.join()} again.`);
      }
    if (phase === "begin") this.#open.set(id, line);
    else this.#open.delete(id);
    this.heard.set(id, { line, phases: [...phases, phase] });
  }
}

const worlds = Array.from({ length: trials(10, 155) }, (_, index) => seed + index);

const seen = new Set<string>();

describe("runs with several senders, and kills at any point,", () => {
  test.each(worlds)(
    "tell every channel once when an event begins and once when it ends (seed %s)",
    (from) => {
      const random = randomNumbers(from);
      const world = new World(random);
      const receivers = new Receivers();
      const configs = configsOf(random);
      let config = configs[0] ?? notifiedConfig(mirrors);
      let nodes = listNodes(config);
      let state: FeedState | undefined;
      let lastChange = 0;
      let kills = 0;
      const failing = new Set<string>();

      let resolved: NotifiedFeed | undefined;
      const feedNow = ({ notifications }: FeedState): NotifiedFeed => {
        if (resolved === undefined) throw new Error("There was no run.");
        return { ...resolved, notifications: notifications ?? { lines: {}, channels: {} } };
      };
      /** Stores what a sender has changed. */
      const save = (told: Told): void => {
        if (state === undefined) return;
        for (const [id, line] of Object.entries(state.notifications?.lines ?? {}))
          if (!(id in told.lines) && receivers.heard.get(id)?.phases.at(-1) !== "end") {
            const isEndless = line.event === "certificate" || line.event === "rewritten";
            const isReplaced = line.claim !== undefined;
            hold(isEndless || isReplaced || lastChange > 0, `${line.event} is dropped.`);
            receivers.dropped.add(id);
          }
        state = { ...state, notifications: told };
      };

      /** A sender, which pauses where other processes may act. */
      function* sender(start: number, isGood: boolean): Generator<undefined, void> {
        if (state === undefined) return;
        let now = start;
        const by = Math.floor(random() * 2 ** 48)
          .toString(16)
          .padStart(16, "0");
        for (const channel of Object.keys(config.channels)) {
          now += Math.floor(random() * 20_000);
          const claimedAt = now;
          const before = feedNow(state);
          const difference = differenceOf(before, now);
          if (!difference.says.has(channel)) continue;
          save(claimDue(before, difference, channel, { by, now }));
          const feed = feedNow(state);
          const groups = claimedLines(feed, channel, by);
          yield;
          const outcomes: { ids: string[]; delivery: Delivery }[] = [];
          for (const own of groups) {
            const ids = own.map(([id]) => id);
            const chance = isGood ? 1 : random();
            const isLost = chance < 0.03;
            const isFailed = failing.has(channel);
            if (isLost || chance < 0.06) {
              for (const one of groups.flat()) receivers.unsure.add(one[0]);
              kills += 1;
            }
            if (!isFailed || isLost) receivers.deliver(feed, channel, own, now);
            // Killed after sending: nothing more is stored.
            if (chance >= 0.03 && chance < 0.06) return;
            const failed: Delivery = {
              outcome: "failed",
              reason: "",
              ...(isLost && { mayHaveArrived: true }),
            };
            outcomes.push({ ids, delivery: isLost || isFailed ? failed : { outcome: "sent" } });
          }
          yield;
          now += Math.floor(random() * 60_000);
          if (groups.length > 0)
            save(confirm(feedNow(state).notifications, channel, outcomes, { by, claimedAt, now }));
          yield;
        }
      }

      /** After a good sender, checks that all that is so was told. */
      const check = (now: number): void => {
        if (state === undefined) return;
        const feed = feedNow(state);
        if (now > Date.parse(feed.run.expires_at)) return;
        const at = Date.parse(feed.run.generated_at);
        const { lines, channels: known } = feed.notifications;
        const isTold = (channel: string, event: EventName, id: number): boolean =>
          Object.values(lines).some(
            (line) => line.channel === channel && line.event === event && line.nodes.includes(id),
          );
        for (const event of watched)
          for (const node of nodesOf(targetsOf(feed.systems)))
            for (const [channel, wait] of waitsOf(feed, event, node)) {
              if (failing.has(channel) || (known[channel]?.sent.length ?? 0) >= messagesPerHour) continue;
              const since = truthOf(event, node, at);
              const isSilent = event === "offline" && isTold(channel, "unstable", node.id);
              if (typeof since === "number" && at - since >= wait && !isSilent)
                hold(isTold(channel, event, node.id), `${event} of ${node.id} was not told to ${channel}.`);
            }
      };

      for (let run = 0; run < runsOfWorld + runsAfter; run += 1) {
        const now = midnight + run * 30 * minute;
        world.isHealed = run >= runsOfWorld;
        lastChange -= 1;
        if (world.isHealed) failing.clear();
        if (random() < 0.01 || run === runsOfWorld) {
          const index = world.isHealed ? 0 : Math.floor(Math.max(0, random() * 2 - 1) * configs.length);
          config = configs[index] ?? config;
          nodes = listNodes(config);
          lastChange = 20;
        }
        if (world.isHealed) config = { ...config, maintenance: [] };
        else if (random() < 0.01) failing.add(["ops", "ann", "issues"][run % 3] ?? "ops");
        else if (random() < 0.02) failing.clear();
        world.live(nodes, now);
        const isLate = run > 10 && random() < 0.02;
        const at = isLate ? now - 3 * hour : now + Math.floor(random() * 10) * minute;
        const byId = new Map(nodes.map((node) => [node.id, node]));
        const see = (): Seen[] =>
          mirrors.map(({ id }) => {
            const node = byId.get(id);
            return node === undefined ? undefined : world.see(node, now);
          });
        const vantages = ["x", "y", "z"].slice(0, random() < 0.8 ? 1 : 3);
        const control = world.proberDown > 0 && !world.isHealed ? "dns" : "ok";
        const round = {
          run: `r${run}`,
          at,
          vantages: vantages.map((name) => vantageOf(name, see(), [control])),
        };
        const after: FeedState | undefined = advanceState(config, nodes, round, state).state;
        // Drop the counts: updating them takes most of the time, and events do not depend on them.
        const stored: FeedState | undefined = after && { ...after, vantages: {} };
        for (const id of Object.keys(state?.notifications?.lines ?? {}))
          if (stored?.notifications?.lines[id] === undefined) receivers.dropped.add(id);
        state = random() < 0.05 && stored !== undefined ? parseState(formatState(stored), "here") : stored;
        resolved = state && resolveStored(config, nodes, state);
        const count = world.isHealed ? 1 : Math.floor(random() * 4);
        const start = now + 11 * minute;
        // The machines' clocks are up to eight minutes apart.
        const senders = Array.from({ length: count }, () =>
          sender(start + Math.floor((random() - 0.5) * 8) * minute, world.isHealed),
        );
        while (senders.length > 0) {
          const index = Math.floor(random() * senders.length);
          if (senders[index]?.next().done === true) senders.splice(index, 1);
        }
        if (random() < 0.5 || world.isHealed) {
          for (const _ of sender(start + 12 * minute, true));
          check(start + 12 * minute);
        }
      }

      const left = Object.values(state?.notifications?.lines ?? {});
      hold(
        left.every(({ event }) => event === "certificate"),
        `${JSON.stringify(left[0])} is left.`,
      );
      for (const [id, { line, phases }] of receivers.heard) {
        const isEnded = phases.at(-1) === "end" || line.event === "certificate";
        hold(isEnded || receivers.dropped.has(id), `${line.channel} is not told that ${line.event} is over.`);
      }
      expect(kills).toBeGreaterThan(0);
      for (const one of receivers.seen) seen.add(one);
    },
  );

  test("are of all kinds", () => {
    for (const event of ["offline", "behind", "unstable", "feed"])
      expect([...seen]).toEqual(expect.arrayContaining([`begin ${event}`, `end ${event}`]));
  });
});
