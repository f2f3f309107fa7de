import { describe, expect, test } from "vitest";
import { behindSince, freshnessAt } from "../../../src/core/state/freshness.ts";
import { formatRefSet, type RefSet, refSetDigest } from "../../../src/core/probe/ref-set.ts";
import type { State } from "../../../src/core/state/state-schema.ts";
import { networkAt, projectConfig, type Seen, stateAfter, vantageOf } from "../../support/rounds.ts";
import { randomNumbers, seed, trials } from "../../support/trials.ts";
import { formatState, parseState } from "../../support/stored.ts";

const hour = 3_600_000;
const start = Date.parse("2026-03-01T00:00:00Z");

const urls = [1, 2, 3].map((id) => `https://m${id}.example.org/x`);
const feed = projectConfig([{ target: "t", primary: 1, network: networkAt(urls) }]);

/** A repository's refs: a commit number for each name. HEAD is the same as main. */
type Refs = Readonly<Record<string, number>>;

function objectId(commit: number): string {
  return commit.toString(16).padStart(10, "0").padEnd(40, "0");
}

function setOf(refs: Refs): RefSet {
  const { main } = refs;
  const named = Object.entries(refs).map(([name, commit]) => {
    const prefix = name.startsWith("v") ? "refs/tags/" : "refs/heads/";
    return [prefix + name, objectId(commit)] as const;
  });
  return new Map(main === undefined ? named : [["HEAD", objectId(main)], ...named]);
}

/** What a run saw of a node: its refs, or a code. */
type SeenRefs = Refs | string;

class Play {
  state: State | undefined;

  /** Applies a run this many hours after the start. */
  run(hours: number, seen: readonly SeenRefs[]): this {
    const at = start + hours * hour;
    const sets = new Map<string, RefSet>();
    const observations = seen.map((one): Seen => {
      if (typeof one === "string") return one;
      const set = setOf(one);
      const refs = digestOf(one);
      sets.set(refs, set);
      const head = set.get("HEAD");
      return head === undefined ? { refs } : { refs, revision: head, branch: "main" };
    });
    const before = this.state && parseState(formatState(this.state), "state.json");
    const vantages = [vantageOf("default", observations, ["ok"])];
    this.state = stateAfter(feed, before, { at, vantages, refs: sets });
    return this;
  }

  word(id: number) {
    return freshnessAt(this.state?.nodes[id], this.state?.runs.at(-1)?.[1] ?? NaN);
  }

  /** The hour since which a mirror is behind. */
  behindSince(id: number) {
    return ((behindSince(this.state?.nodes[id] ?? {}) ?? NaN) - start) / hour;
  }

  difference(id: number) {
    return this.state?.nodes[String(id)]?.difference;
  }
}

const base = { main: 1, stable: 1, v1: 1 };

describe("the difference of a mirror", () => {
  const of = (kind: "missing" | "extra" | "different", name: string) => ({
    ...{ missing: 0, extra: 0, different: 0, [kind]: 1 },
    names: { missing: [], extra: [], different: [], [kind]: [name] },
  });

  test.each<[string, Refs, string, object | undefined]>([
    ["is none with equal refs", base, "in_sync", undefined],
    ["names what it lacks", { main: 1, stable: 1 }, "behind", of("missing", "refs/tags/v1")],
    ["names what only it has, in sync", { ...base, x: 5 }, "in_sync", of("extra", "refs/heads/x")],
    ["names what it has otherwise", { ...base, v1: 9 }, "unknown", of("different", "refs/tags/v1")],
  ])("%s", (_, refs, word, difference) => {
    const play = new Play().run(0, [base, base, refs]);
    expect(play.word(3)).toBe(word);
    expect(play.difference(3)).toEqual(difference);
  });
});

describe("the refs of a reference", () => {
  test("that find no room in the state in any run start no clock over", () => {
    const play = new Play();
    for (const hours of [0, 12, 40]) {
      play.run(hours, [base, base, { main: 1, stable: 1 }]);
      const state = play.state as State;
      const { branch = "", versions = [] } = state.references["s/p/t"] ?? {};
      play.state = { ...state, references: { "s/p/t": { branch, versions } } };
      expect([play.word(2), play.word(3), play.behindSince(3)]).toEqual(["in_sync", "behind", 0]);
    }
    play.run(41, [{ ...base, main: 2 }, base, { main: 1, stable: 1 }]);
    expect([play.behindSince(2), play.behindSince(3)]).toEqual([41, 0]);
  });

  test("that all have other names in each run leave a state that is small", () => {
    const play = new Play();
    for (let run = 0; run < 6; run += 1) {
      const names = Array.from({ length: 1900 }, (_, index) => `v${run}-${index}`.padEnd(80, "x"));
      const refs = { main: 1, ...Object.fromEntries(names.map((name) => [name, 1])) };
      play.run(run, [refs, base, base]);
    }
    expect(formatState(play.state as State).length).toBeLessThan(300_000);
  });
});

function digestOf(refs: Refs): string {
  return refSetDigest(formatRefSet(setOf(refs)));
}

function without(refs: Refs, name: string | undefined): Refs {
  return Object.fromEntries(Object.entries(refs).filter(([one]) => one !== name));
}

/** A reference whose refs are added, moved and deleted, sometimes several times between two runs. */
class Repository {
  refs: Record<string, number> = { ...base };
  /** Every set of refs that the repository has had, with the time when it got them. */
  readonly past: { readonly at: number; readonly refs: Refs }[] = [{ at: start, refs: { ...base } }];
  #commits = 1;
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  push(at: number): void {
    const roll = this.#random();
    const names = Object.keys(this.refs).filter((name) => name !== "main");
    const name = names[Math.floor(this.#random() * names.length)] ?? "main";
    this.#commits += 1;
    if (names.length > 20) this.refs = { ...without(this.refs, name) };
    else if (roll < 0.5) this.refs = { ...this.refs, main: this.#commits };
    else if (roll < 0.65) this.refs = { ...this.refs, [`v${this.#commits}`]: this.#commits };
    else if (roll < 0.8) this.refs = { ...this.refs, [`b${this.#commits}`]: this.#commits };
    else if (roll < 0.9) this.refs = { ...this.refs, [name]: this.#commits };
    else if (names.length > 1) this.refs = { ...without(this.refs, name) };
    this.past.push({ at, refs: { ...this.refs } });
  }

  at(time: number): Refs {
    return this.past.findLast(({ at }) => at <= time)?.refs ?? base;
  }
}

const runs = trials(2000, 10_000);

test(`${runs} runs with pushes between them: no mirror that is less than a day old needs attention, and every lag is found at once`, () => {
  const random = randomNumbers(seed);
  const reference = new Repository(random);
  const play = new Play();
  /**
   * The times of the content that the two mirrors have. The first mirror copies everything, and the second one
   * everything except a lost tag.
   */
  let [whole, partial] = [start, start];
  let lost: string | undefined;
  let lostAt = start;
  /** Refs with the commits that runs saw at the reference. */
  const shown = new Set<string>();
  let [lags, losses] = [0, 0];
  for (let run = 0; run < runs; run += 1) {
    const at = start + run * hour;
    const pushes = random() < 0.3 ? Math.floor(random() * 4) : 0;
    for (let push = 0; push < pushes; push += 1) reference.push(at - hour + ((push + 1) * hour) / 5);
    // The first mirror copies content that is up to 23 hours old. Both sometimes copy nothing for a long time.
    if (random() < 0.3) whole = Math.max(whole, at - Math.floor(random() * 23 * hour));
    if (random() < 0.2) {
      partial = at;
      if (Number.isNaN(lostAt)) lostAt = at;
    }
    if (random() < 0.05) {
      const tags = Object.keys(reference.refs).filter((name) => name.startsWith("v"));
      lost = random() < 0.5 ? undefined : tags[Math.floor(random() * tags.length)];
      // While the mirror is behind, the loss is dated only once it has caught up with the rest.
      lostAt = partial === at ? at : NaN;
    }
    const held = reference.at(whole);
    const incomplete = without(reference.at(partial), lost);
    play.run(run, [reference.refs, held, incomplete]);

    for (const [name, commit] of Object.entries(reference.refs)) shown.add(`${name} ${commit}`);
    // Mirrors do not prune, so only a tag that no run saw at the reference counts if only they have it.
    const isEqual = (refs: Refs): boolean =>
      Object.entries(reference.refs).every(([name, commit]) => refs[name] === commit) &&
      Object.entries(refs).every(
        ([name, commit]) => !name.startsWith("v") || name in reference.refs || shown.has(`${name} ${commit}`),
      );
    const [one, two] = [play.word(2), play.word(3)];
    if ((one === "in_sync") !== isEqual(held) || (two === "in_sync") !== isEqual(incomplete))
      throw new Error(`Run ${run}: in sync is wrong.`);
    if (at - whole < 24 * hour && (one === "differs" || play.state?.nodes["2"]?.late === true))
      throw new Error(`Run ${run}: a false alarm.`);
    if (!isEqual(held)) lags += 1;
    // Such a mirror must need attention: the reference has had the lost tag for longer than the grace.
    const { past } = reference;
    const changed = past.findLastIndex(({ refs }) => refs[lost ?? ""] !== reference.refs[lost ?? ""]) + 1;
    const isOldLoss = lost !== undefined && lost in reference.refs && at - lostAt > 29 * hour;
    if (isOldLoss && at - (past[changed]?.at ?? start) > 29 * hour) {
      losses += 1;
      if (two !== "differs" && play.state?.nodes["3"]?.late !== true)
        throw new Error(`Run ${run}: the lost ${lost} is ${two}.`);
    }
  }
  expect(lags).toBeGreaterThan(runs / 10);
  expect(losses).toBeGreaterThan(runs / 50);
});
