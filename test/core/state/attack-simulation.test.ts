import { expect, test } from "vitest";
import { listNodes, maintenanceReason, type Node } from "../../../src/core/config/nodes.ts";
import type { Config } from "../../../src/core/config/config-schema.ts";
import type { NodeState, State } from "../../../src/core/state/state-schema.ts";
import { networkAt, projectConfig, type Seen, stateAfter, vantageOf } from "../../support/rounds.ts";
import { randomNumbers, seed, trials } from "../../support/trials.ts";
import { isContentCode } from "../../../src/core/kinds/kinds.ts";
import { formatState, parseState } from "../../support/stored.ts";

const runMs = 30 * 60_000;
const runsOfWorld = 250;
const start = Date.parse("2026-01-01T00:00:00Z");
const worlds = trials(20, 400);

/** What a mirror serves: the numbers of a revision and of a copy. Copies of the same revision differ in their refs. */
interface Content {
  readonly revision: number;
  readonly copy: number;
}

interface Mirror {
  content: Content;
  // How many more runs the mirror fails (`down`), answers 429 (`limited`) or copies nothing (`stopped`).
  down: number;
  limited: number;
  stopped: number;
}

const lies = ["invented", "set back", "moving", "other refs", "now and then", "half synced"] as const;

/** The true state of a target whose primary lies at times. Mirrors copy the true content, and never the primary's lies. */
class World {
  readonly config: Config;
  readonly nodes: Node[];
  readonly vantages: readonly string[];
  readonly offlineAfterMs: number;
  readonly mirrors: Mirror[];
  lie: (typeof lies)[number] | undefined;
  /** When each revision became the true one. */
  readonly #published: number[] = [start];
  #lieLeft = 0;
  #invented = 1_000_000;
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
    const count = 2 + this.#below(4);
    const hours = this.#one([3, 6, 24]);
    this.offlineAfterMs = hours * 3_600_000;
    this.vantages = this.#one([["a"], ["a", "b", "c"]]);
    const network = networkAt(Array.from({ length: count }, (_, index) => `https://m${index}.example.org/x`));
    const iso = (run: number): string => new Date(start + run * runMs).toISOString().replace(".000", "");
    const maintenance = Array.from({ length: 6 }, () => {
      const from = this.#below(runsOfWorld);
      const to = from + 1 + this.#below(40);
      return { scope: 1 + this.#below(count), from: iso(from), to: iso(to), reason: "disks" };
    });
    // A second target proves that the prober is online.
    const proof = { target: "u", network: [{ id: count + 1, url: "https://proof.example.org/x" }] };
    this.config = projectConfig([{ target: "t", primary: 1, network }, proof], {
      probe: { failureThreshold: 1 + this.#below(3), successThreshold: 1 + this.#below(3) },
      freshness: { offlineAfter: `${hours}h`, codes: ["expired", "half_synced"] },
      maintenance,
    });
    this.nodes = listNodes(this.config).slice(0, count);
    const content = { revision: 0, copy: 0 };
    this.mirrors = this.nodes.map(() => ({ content, down: 0, limited: 0, stopped: 0 }));
  }

  /** Advances the world by one run. */
  live(at: number): void {
    if (this.#random() < 0.06) this.#published.push(at);
    const begin = (left: number, chance: number, most: number): number =>
      Math.max(0, left - 1) || (this.#random() < chance ? 1 + this.#below(most) : 0);
    const truth = { revision: this.#published.length - 1, copy: 0 };
    for (const mirror of this.mirrors) {
      mirror.down = begin(mirror.down, 0.04, 30);
      mirror.limited = begin(mirror.limited, 0.01, 60);
      mirror.stopped = begin(mirror.stopped, 0.006, 120);
      if (mirror.stopped === 0 && this.#random() < 0.5) mirror.content = truth;
    }
    this.#lieLeft = begin(this.#lieLeft, 0.015, 120);
    if (this.#lieLeft === 0) this.lie = undefined;
    else if (this.lie === undefined) {
      this.lie = this.#one(lies);
      this.#invented += 1;
    }
    const [primary] = this.mirrors;
    if (primary !== undefined) primary.content = this.#lieOf(truth, primary.content);
  }

  #lieOf(truth: Content, before: Content): Content {
    const invented = { revision: this.#invented, copy: 0 };
    if (this.lie === "invented" || this.lie === "half synced") return invented;
    if (this.lie === "moving") return { revision: (this.#invented += 1), copy: 0 };
    if (this.lie === "other refs") return { ...truth, copy: this.#invented };
    if (this.lie === "now and then") return this.#random() < 0.5 ? invented : truth;
    if (this.lie !== "set back") return truth;
    // The primary goes back to the content of any mirror, perhaps one that has stopped copying.
    const old = this.#one(this.mirrors.slice(1)).content;
    return this.#random() < 0.2 ? old : before;
  }

  /** Returns whether a mirror has the true content, or content that was still true less than `offlineAfter` ago. */
  isFresh(index: number, at: number): boolean {
    const { revision = -1 } = this.mirrors[index]?.content ?? {};
    return index > 0 && at - (this.#published[revision + 1] ?? at) < this.offlineAfterMs;
  }

  /** `reference` is the primary's revision according to earlier runs. */
  see(index: number, at: number, reference: string | undefined): Seen {
    const mirror = this.mirrors[index];
    // Only the second target's mirror has no entry in `mirrors`.
    if (mirror === undefined) return "ok";
    if (this.#random() < 0.01) return undefined;
    if (mirror.down > 0 || this.#random() < 0.02) return "timeout";
    if (mirror.limited > 0) return { code: "rate_limited", http_status: 429 };
    const { revision, copy } = mirror.content;
    const isExpired = mirror.stopped > 0 && at - (this.#published[revision + 1] ?? at) > 12 * 3_600_000;
    const isHalf = this.lie === "half synced" && index > 0 && reference === hex(this.#invented, 16);
    return {
      revision: hex(revision, 16).padEnd(40, "0"),
      branch: "main",
      refs: hex(revision, 8) + hex(copy, 8),
      content_code: isExpired ? "expired" : isHalf ? "half_synced" : undefined,
    };
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #one<Value>(values: readonly Value[]): Value {
    const value = values[this.#below(values.length)];
    if (value === undefined) throw new Error("There is a value.");
    return value;
  }
}

function hex(value: number, length: number): string {
  return value.toString(16).padStart(length, "0");
}

function isSame(one: Content | undefined, other: Content | undefined): boolean {
  return one?.revision === other?.revision && one?.copy === other?.copy;
}

/** How often each tested case has happened. */
const happened = { forContent: 0, lastReachable: 0, primaryAlone: 0, atOnce: 0, lies: 0, inMaintenance: 0 };

function isFailing(seen: readonly Seen[]): boolean {
  const isTimeout = seen.some((one) => one === "timeout");
  return isTimeout && !isOnlineByMajority(seen);
}

function isOnlineByMajority(seen: readonly Seen[]): boolean {
  const codes = seen.map((one) => (typeof one === "object" ? (one.code ?? "ok") : one));
  const good = codes.filter((code) => code === "ok").length;
  return good > codes.filter((code) => code === "timeout").length;
}

function play(from: number): void {
  const random = randomNumbers(from);
  const world = new World(random);
  const { config, nodes, vantages, mirrors } = world;
  const allNodes = listNodes(config);
  let state: State | undefined;
  /** Whether most mirrors have agreed on true content, and no correct mirror has had the primary's content since. */
  let isWitnessed = false;
  for (let run = 0; run < runsOfWorld; run += 1) {
    const at = start + run * runMs;
    world.live(at);
    const reference = state?.references["s/p/t"]?.versions.at(-1)?.value;
    const views = vantages.map(() => allNodes.map((_, index) => world.see(index, at, reference)));
    const before = state;
    const seenBy = views.map((seen, index) => vantageOf(vantages[index] ?? "", seen));
    state = stateAfter(config, before, { at, vantages: seenBy });
    if (random() < 0.02) state = parseState(formatState(state), "here");
    const now = state;
    const is = (index: number, of = now): NodeState | undefined => of.nodes[nodes[index]?.id ?? 0];
    const was = (index: number): NodeState | undefined => before && is(index, before);
    const indexes = [...nodes.keys()];
    const answered = indexes.filter((index) => isOnlineByMajority(views.map((seen) => seen[index])));
    const isFrozen = (index: number): boolean => {
      const node = nodes[index];
      return node !== undefined && maintenanceReason(config.maintenance, node, at) !== undefined;
    };

    // If a target had a reachable mirror and any mirror still answers, at least one mirror stays reachable.
    const able = answered.filter((index) => !isFrozen(index) || was(index)?.status === 1);
    // A mirror that only answered 429, or was not observed, may still be the reachable one.
    const seenOf = (index: number): Seen[] => views.map((seen) => seen[index]);
    const isKept = indexes.some((index) => is(index)?.status === 1 && !isFailing(seenOf(index)));
    if (able.length > 0 && indexes.some((index) => was(index)?.status === 1) && !isKept)
      throw new Error(`World ${from} has no reachable mirror after run ${run}.`);

    // Correct mirrors stay online once most of them agree, whatever the primary has.
    const others = answered.filter((index) => index > 0);
    const right = others.filter((index) => world.isFresh(index, at));
    const revisionOf = (index = 0) => mirrors[index]?.content.revision;
    const agree = right.filter((index) => revisionOf(index) === revisionOf(right[0]));
    const primary = mirrors[0]?.content;
    const isFollowed = right.some((index) => isSame(mirrors[index]?.content, primary));
    if (answered.includes(0) && isFollowed) isWitnessed = false;
    else if (answered.includes(0) && agree.length >= 2 && agree.length * 2 > others.length)
      isWitnessed = true;
    for (const index of right) {
      const isOut = was(index)?.status === 1 && is(index)?.status === 0;
      if (isWitnessed && isOut && isContentCode(is(index)?.code))
        throw new Error(`World ${from} lost the right mirror ${index} in run ${run}: ${world.lie}.`);
    }

    const changed = (index: number, status: number): boolean =>
      was(index)?.status === 1 - status && is(index)?.status === status;
    const count = (is: (index: number) => boolean): number => indexes.filter(is).length;
    happened.forContent += count((index) => changed(index, 0) && isContentCode(is(index)?.code));
    happened.lastReachable += count((index) => is(index)?.kept_online === "last_reachable");
    happened.primaryAlone += count((index) => is(index)?.kept_online === "primary_alone");
    const { successThreshold } = config.probe;
    const isAtOnce = (index: number): boolean => (was(index)?.streak ?? 0) + 1 < successThreshold;
    happened.atOnce += count((index) => changed(index, 1) && isAtOnce(index));
    happened.inMaintenance += count(isFrozen);
    happened.lies += world.lie === undefined ? 0 : 1;
  }
}

test(`${worlds * runsOfWorld} runs of primaries that lie leave a reachable mirror, and take none offline that is right`, () => {
  for (let index = 0; index < worlds; index += 1) play(seed + index);
  expect(Object.entries(happened).filter(([, count]) => count === 0)).toEqual([]);
});
