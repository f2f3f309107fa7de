import { describe, expect, test } from "vitest";
import { advanceState, resolveStored } from "../../../src/app/advance-feed.ts";
import { type FeedState, stateDocument } from "../../../src/app/state-document.ts";
import type { Config } from "../../../src/core/config/config-schema.ts";
import { listNodes, type Node } from "../../../src/core/config/nodes.ts";
import type { EventName } from "../../../src/core/config/notify-rules.ts";
import type { FeedNode } from "../../../src/core/feed/feed-node.ts";
import { nodesOf, targetsOf } from "../../../src/core/feed/feed.ts";
import { formatState, parseState } from "../../../src/core/state/document.ts";
import type { Delivery } from "../../../src/features/notify/channels/channel.ts";
import { webhookDocument } from "../../../src/features/notify/channels/message.ts";
import { claimDue, claimedLines, confirm, messagesPerHour } from "../../../src/features/notify/claims.ts";
import { composeMessage } from "../../../src/features/notify/compose.ts";
import { differenceOf } from "../../../src/features/notify/difference.ts";
import { type Line, type NotifiedFeed, type Told } from "../../../src/features/notify/told.ts";
import { eventId, notifiedConfig, type NotifiedMirror } from "../../support/notified-feed.ts";
import { day, hour, midnight, minute } from "../../support/playing.ts";
import { type Seen, vantageOf } from "../../support/rounds.ts";
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
    const scope = places[Math.floor(random() * places.length)];
    return { scope, from: new Date(from).toISOString(), to: new Date(to).toISOString(), reason: "Work" };
  });
  const settings = { site: { interval: "30m" }, freshness: { grace: "1h" }, maintenance };
  const moved = mirrors.map((one) => (one.id === 17 || one.id === 2 ? { ...one, path: "moved" } : one));
  const fewer = mirrors.filter(({ id }) => id !== 16 && id !== 18 && id !== 5);
  const hook = { type: "webhook", urlEnv: "HOOK_URL" };
  const issues = { type: "github", repository: "example/mirrors" };
  const channels = { ops: hook, ann: hook, bob: hook, issues };
  return [
    notifiedConfig(mirrors, [rules.all, rules.late, rules.people], settings),
    notifiedConfig(moved, [rules.people, rules.all], settings),
    notifiedConfig(fewer, [rules.all, rules.late], settings),
    notifiedConfig(mirrors, [rules.hostOnly], settings),
    notifiedConfig(mirrors, [rules.mirrorOnly, rules.hostLate], settings),
    notifiedConfig(mirrors, [], settings),
    notifiedConfig(mirrors, [rules.all, rules.people], { ...settings, channels }),
  ];
}

/** The mirrors' true state. */
class World {
  isHealed = false;
  readonly #random: () => number;
  /** For how many half hours a trouble lasts: that of a host, of a mirror, or one of those with a name. */
  readonly #left = new Map<string | number, number>();
  readonly #held = new Map<number, number>();
  #newest = 1;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Whether a host or a mirror is down, the prober is offline (`prober`), or the third mirror flaps (`flapping`). */
  has(trouble: string | number): boolean {
    return !this.isHealed && (this.#left.get(trouble) ?? 0) > 0;
  }

  /** Shortens a trouble, or begins it with this chance. */
  #advance(trouble: string | number, chance: number, mostHalfHours: number): void {
    const left = this.#left.get(trouble) ?? 0;
    const begins = left <= 1 && this.#random() < chance;
    this.#left.set(trouble, begins ? 1 + Math.floor(this.#random() * mostHalfHours) : Math.max(0, left - 1));
  }

  /** Advances the world by half an hour. */
  live(nodes: readonly Node[]): void {
    const roll = this.#random;
    this.#advance("prober", 0.01, 20);
    this.#advance("flapping", 0.01, 100);
    if (roll() < 0.02) this.#newest += 1;
    for (const host of new Set(nodes.map((node) => node.host))) this.#advance(host, 0.003, 30);
    for (const { id, primary } of nodes) {
      this.#advance(id, id === 3 && this.has("flapping") ? 0.5 : 0.01, id === 3 ? 1 : 8);
      if (primary || roll() < 0.2 || !this.#held.has(id)) this.#held.set(id, this.#newest);
    }
  }

  see({ id, host, primary }: Node): Seen {
    if (this.has("prober")) return "dns";
    const isNewest = this.isHealed || primary;
    const revision = `${isNewest ? this.#newest : this.#held.get(id)}`.padStart(40, "0");
    const good = { revision, branch: "main" };
    if (this.isHealed) return good;
    if (this.has(host)) return "timeout";
    const chance = this.#random();
    if (this.has(id)) return chance < 0.8 ? "refused" : "timeout";
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
  if (status === 0 || freshness === "unknown") return "unknown";
  return late ? Date.parse(behind_since) : "over";
}

const watched: readonly EventName[] = ["offline", "never_online", "behind", "unstable"];

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

/** The phases and events that any channel was told. */
const seen = new Set<string>();

/** Whoever gets the messages, and compares them with each other and with the truth. */
class Receivers {
  /** The lines whose sender was killed, or got no answer, or could not store the outcome. */
  readonly unsure = new Set<string>();
  /** The lines that vanished without a word. */
  readonly dropped = new Set<string>();
  readonly heard = new Map<string, { readonly line: Line; readonly phases: string[] }>();
  readonly #open = new Map<string, Line>();
  readonly #times = new Map<string, number[]>();
  readonly #contents = new Map<string, string>();

  deliver(feed: NotifiedFeed, channel: string, lines: readonly [string, Line][], now: number): void {
    const earlier = this.#times.get(channel) ?? [];
    const times = [...earlier.filter((time) => now - time < hour - 10 * minute), now];
    this.#times.set(channel, times);
    hold(times.length <= messagesPerHour, `${channel} gets more than ${messagesPerHour} messages.`);
    const message = composeMessage(feed, channel, lines);
    const text = JSON.stringify(webhookDocument(message));
    hold((this.#contents.get(message.id) ?? text) === text, "The same id comes with another content.");
    this.#contents.set(message.id, text);
    for (const [line, one] of lines) this.#hear(feed, line, one);
  }

  #hear(feed: NotifiedFeed, id: string, line: Line): void {
    const { event, channel, claim: made } = line;
    const phase = made?.phase ?? "";
    const phases = this.heard.get(id)?.phases ?? [];
    const before = phases.join();
    seen.add(`${phase} ${event}`);
    const isNext = before === (phase === "begin" ? "" : "begin");
    hold(isNext || this.unsure.has(id), `${channel} gets the ${phase} of ${event} after ${before}.`);
    const at = Date.parse(feed.run.generated_at);
    const truths = nodesOf(targetsOf(feed.systems))
      .filter((node) => line.nodes.includes(node.id) && waitsOf(feed, event, node).has(channel))
      .map((node) => truthOf(event, node, at));
    const isSo = truths.some((truth) => typeof truth === "number");
    const isOver = truths.every((truth) => truth === "over");
    const isTrue = event === "feed" || (phase === "begin" ? isSo : isOver);
    hold(isTrue, `${channel} gets the ${phase} of ${event}, but it is ${truths.join()}.`);
    if (phase === "begin" && phases.length === 0)
      for (const [otherId, other] of this.#open) {
        const isLost = this.dropped.has(otherId) || this.unsure.has(otherId);
        const isSame = other.channel === channel && other.event === event;
        const isShared = other.nodes.some((node) => line.nodes.includes(node));
        hold(isLost || !isSame || !isShared, `${channel} gets ${event} of ${line.nodes.join()} again.`);
      }
    if (phase === "begin") this.#open.set(id, line);
    else this.#open.delete(id);
    this.heard.set(id, { line, phases: [...phases, phase] });
  }
}

const worlds = Array.from({ length: trials(10, 155) }, (_, index) => seed + index);

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
            hold(line.claim !== undefined || lastChange > 0, `${line.event} is dropped.`);
            receivers.dropped.add(id);
          }
        state = { ...state, notifications: told };
      };

      /** A sender, which pauses where other processes may act. */
      function* sender(start: number, isGood: boolean): Generator<undefined, void> {
        if (state === undefined) return;
        let now = start;
        const by = eventId(Math.floor(random() * 2 ** 48));
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
            const isKilled = chance < 0.03;
            const isLost = !isKilled && chance < 0.06;
            const isFailed = failing.has(channel);
            if (isKilled) kills += 1;
            if (isLost || isKilled) for (const [id] of groups.flat()) receivers.unsure.add(id);
            if (!isFailed || isLost) receivers.deliver(feed, channel, own, now);
            // Killed after sending: nothing more is stored.
            if (isKilled) return;
            const failed = { outcome: "failed", reason: "" } as const;
            const delivered: Delivery = isFailed ? failed : { outcome: "sent" };
            outcomes.push({ ids, delivery: isLost ? { ...failed, mayHaveArrived: true } : delivered });
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
        const told = Object.values(lines);
        const isTold = (channel: string, event: EventName, id: number): boolean =>
          told.some((line) => line.channel === channel && line.event === event && line.nodes.includes(id));
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
        world.live(nodes);
        const isLate = run > 10 && random() < 0.02;
        const at = isLate ? now - 3 * hour : now + Math.floor(random() * 10) * minute;
        const see = ({ id }: NotifiedMirror): Seen => {
          const node = nodes.find((one) => one.id === id);
          return node && world.see(node);
        };
        const vantages = ["x", "y", "z"].slice(0, random() < 0.8 ? 1 : 3);
        const control = world.has("prober") ? "dns" : "ok";
        const observed = vantages.map((name) => vantageOf(name, mirrors.map(see), [control]));
        const round = { run: `r${run}`, at, vantages: observed };
        const { state: after } = advanceState(config, nodes, round, state);
        for (const id of Object.keys(state?.notifications?.lines ?? {}))
          if (after?.notifications?.lines[id] === undefined) receivers.dropped.add(id);
        // Drop the counts: updating them takes most of the time, and events do not depend on them.
        const stored = after && { ...after, vantages: {} };
        state =
          random() < 0.05 && stored
            ? parseState(formatState(stored).toString(), "here", stateDocument)
            : stored;
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

      expect(state?.notifications?.lines).toEqual({});
      for (const [id, { line, phases }] of receivers.heard) {
        const isEnded = phases.at(-1) === "end";
        hold(isEnded || receivers.dropped.has(id), `${line.channel} is not told that ${line.event} is over.`);
      }
      expect(kills).toBeGreaterThan(0);
    },
  );

  test("are of all kinds", () => {
    for (const event of ["offline", "behind", "unstable", "feed"])
      expect([...seen]).toEqual(expect.arrayContaining([`begin ${event}`, `end ${event}`]));
  });
});
