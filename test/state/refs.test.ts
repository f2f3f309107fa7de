import { describe, expect, test } from "vitest";
import { freshnessOf } from "../../src/state/freshness.ts";
import { formatRefSet, type RefSet, refSetDigest } from "../../src/probe/ref-set.ts";
import { formatState, parseState } from "../../src/state/document.ts";
import type { Config } from "../../src/config/schema.ts";
import type { State } from "../../src/state/schema.ts";
import { networkAt, projectConfig, type Seen, stateAfter, vantageOf } from "../support/rounds.ts";
import { randomNumbers, seed, trials } from "../support/trials.ts";

const hour = 3_600_000;
const start = Date.parse("2026-03-01T00:00:00Z");

function feedOf(primary: number | undefined, probe: object = {}, ownProbe: object = {}): Config {
  const network = networkAt([1, 2, 3].map((id) => `https://m${id}.example.org/x`));
  Object.assign(network[2] ?? {}, { probe: ownProbe });
  return projectConfig([{ target: "t", primary, network }], { probe });
}

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

/** What a run saw of a node: its refs, the reason why they could not be read (with its HEAD, if known), or a code. */
type SeenRefs = Refs | Unread | string;

interface Unread {
  readonly head: number | undefined;
  readonly why: "too_many" | "unread";
}

function isUnread(seen: Refs | Unread): seen is Unread {
  return "why" in seen;
}

class Play {
  state: State | undefined;
  readonly #feed: Config;

  constructor(feed = feedOf(1)) {
    this.#feed = feed;
  }

  /** Applies a run this many hours after the start. */
  run(hours: number, seen: readonly SeenRefs[]): this {
    const at = start + hours * hour;
    const sets = new Map<string, RefSet>();
    const observations = seen.map((one): Seen => {
      if (typeof one === "string") return one;
      if (isUnread(one)) {
        const head = one.head === undefined ? {} : { revision: objectId(one.head), branch: "main" };
        return { ...head, refs_unread: one.why };
      }
      const set = setOf(one);
      const refs = digestOf(one);
      sets.set(refs, set);
      const head = set.get("HEAD");
      return head === undefined ? { refs } : { refs, revision: head, branch: "main" };
    });
    const before = this.state && parseState(formatState(this.state), "state.json");
    const vantages = [vantageOf("default", observations, ["ok"])];
    this.state = stateAfter(this.#feed, before, { at, vantages, refs: sets });
    return this;
  }

  word(id: number) {
    return this.freshness(id).state;
  }

  freshness(id: number) {
    return freshnessOf(this.state?.nodes[id], this.state?.references["s/p/t"]);
  }

  difference(id: number) {
    return this.state?.nodes[String(id)]?.difference;
  }
}

function behind(hours: number) {
  return { state: "behind", behindSince: start + hours * hour };
}

const base = { main: 1, stable: 1, v1: 1 };

describe("a mirror of a repository", () => {
  test("is in sync only with every branch and tag", () => {
    const play = new Play().run(0, [base, base, { main: 1, stable: 1 }]);
    expect(play.word(2)).toBe("in_sync");
    expect(play.word(3)).toBe("unknown");
    expect(play.difference(2)).toBeUndefined();
    expect(play.difference(3)).toEqual({
      missing: 1,
      extra: 0,
      different: 0,
      names: { missing: ["refs/tags/v1"], extra: [], different: [] },
    });
  });

  test("that lost a tag differs as soon as the reference has had it for a day", () => {
    const play = new Play();
    const lost = { main: 1, stable: 1 };
    for (const hours of [0, 12, 23]) {
      expect(play.run(hours, [base, base, lost]).word(3)).toBe("unknown");
    }
    // The reference keeps moving, but the lost tag is old.
    const busy = { ...base, main: 9 };
    expect(play.run(24, [busy, base, { ...lost, main: 9 }]).word(3)).toBe("differs");
    expect(play.freshness(2)).toEqual(behind(24));
    expect(play.run(25, [busy, busy, busy]).word(3)).toBe("in_sync");
  });

  test("that lacks only what was pushed on the last day is unknown, with its difference", () => {
    const play = new Play().run(0, [base, base, base]);
    play.run(48, [{ ...base, main: 2, v2: 2 }, base, { ...base, main: 2 }]);
    expect(play.word(3)).toBe("unknown");
    expect(play.difference(3)).toMatchObject({ missing: 1, names: { missing: ["refs/tags/v2"] } });
    play.run(72, [{ ...base, main: 2, v2: 2 }, base, { ...base, main: 2 }]);
    expect(play.word(3)).toBe("differs");
  });

  test("that has a branch which the reference never had for a day differs", () => {
    const more = { ...base, other: 5 };
    const play = new Play().run(0, [base, base, more]).run(24, [base, base, more]);
    expect(play.word(3)).toBe("differs");
    expect(play.difference(3)).toMatchObject({ extra: 1, names: { extra: ["refs/heads/other"] } });
  });

  test("that kept a branch is behind if the reference deleted it", () => {
    const play = new Play().run(0, [base, base, base]);
    play.run(1, [{ main: 1, v1: 1 }, base, base]);
    expect(play.freshness(3)).toEqual(behind(1));
  });

  test.each([1, 19, 20, 21, 200])("that stands still is behind since the first of %i pushes", (pushes) => {
    const play = new Play().run(0, [base, base, base]);
    for (let push = 1; push <= pushes; push += 1) {
      play.run(push * 5, [{ ...base, stable: push + 1 }, base, base]);
    }
    expect(play.freshness(2)).toEqual(behind(5));
  });
});

const movedTag = { ...base, v1: 9 };
/** Answers that a mirror could give to hide its refs. */
const tooMany = { head: 1, why: "too_many" } as const;
const unread = { head: 1, why: "unread" } as const;
const headless = { head: undefined, why: "too_many" } as const;

describe("a mirror does not choose what it is compared by: it", () => {
  test.each<[string, ...[hours: number, reference: SeenRefs, mirror: SeenRefs, word: string][]]>([
    [
      "differs after a day with too many refs",
      [0, base, tooMany, "unknown"],
      [23, base, tooMany, "unknown"],
      [24, base, tooMany, "differs"],
      [25, base, base, "in_sync"],
    ],
    [
      "differs a day after it padded its refs",
      [0, base, base, "in_sync"],
      [48, base, tooMany, "unknown"],
      [71, base, tooMany, "unknown"],
      [72, base, tooMany, "differs"],
    ],
    [
      "differs with too many refs although the reference is busy",
      [0, base, tooMany, "unknown"],
      [12, { ...base, main: 2 }, tooMany, "unknown"],
      [24, { ...base, main: 3 }, tooMany, "differs"],
    ],
    [
      "differs with too many refs and no HEAD",
      [0, base, "timeout", "unknown"],
      [1, base, headless, "unknown"],
      [25, base, headless, "differs"],
    ],
    [
      "is compared by HEAD if both have too many",
      [0, tooMany, tooMany, "in_sync"],
      [1, tooMany, base, "in_sync"],
    ],
    ["is unknown if its refs were never read", [0, base, unread, "unknown"], [100, base, unread, "unknown"]],
    [
      "is in sync for one run without its refs, not for two",
      [0, base, base, "in_sync"],
      [1, base, unread, "in_sync"],
      [2, base, unread, "unknown"],
      [100, base, unread, "unknown"],
      [101, base, base, "in_sync"],
      [102, base, unread, "in_sync"],
    ],
    [
      "is in sync for one run without its refs, also if it is offline in between",
      [0, base, base, "in_sync"],
      [1, base, unread, "in_sync"],
      [2, base, "timeout", "in_sync"],
      [3, base, unread, "unknown"],
    ],
    [
      "differs with a moved tag, and is never in sync without its refs",
      [0, base, movedTag, "unknown"],
      [24, base, movedTag, "differs"],
      [25, base, unread, "differs"],
      [26, base, unread, "unknown"],
      [27, base, tooMany, "unknown"],
      [28, base, unread, "unknown"],
    ],
    [
      "is behind or differs by its HEAD without its refs",
      [0, base, unread, "unknown"],
      [1, { ...base, main: 2 }, unread, "behind"],
      [2, { ...base, main: 2 }, { ...unread, head: 7 }, "unknown"],
      [25, { ...base, main: 2 }, { ...unread, head: 7 }, "differs"],
      [26, { ...base, main: 2 }, { ...unread, head: 2 }, "unknown"],
    ],
    [
      "is compared by HEAD if the refs of the reference were never read",
      [0, unread, unread, "in_sync"],
      [1, unread, movedTag, "in_sync"],
    ],
  ])("%s", (_, ...answers) => {
    const play = new Play();
    const words = answers.map(([hours, reference, mirror]) =>
      play.run(hours, [reference, mirror, "timeout"]).word(2),
    );
    expect(words).toEqual(answers.map(([, , , word]) => word));
  });

  test("leaves the refs of the majority as they are, however many it has itself", () => {
    const play = new Play(feedOf(undefined)).run(0, [base, base, base]);
    play.run(1, [tooMany, base, { ...base, stable: 2 }]);
    expect(play.state?.references["s/p/t"]).toHaveProperty("sets");
    expect(play.word(1)).toBe("unknown");
  });
});

describe("the refs of a reference", () => {
  test("that leave no room for others are compared as a whole between runs", () => {
    const many = Object.fromEntries(Array.from({ length: 1999 }, (_, index) => [`v${index}`, index + 1]));
    const long = (refs: Refs): Refs =>
      Object.fromEntries(Object.entries(refs).map(([name, id]) => [name + "x".repeat(200), id]));
    const big = { main: 1, ...long(many) };
    const play = new Play().run(0, [big, big, { main: 1 }]);
    expect(play.state?.references["s/p/t"]).not.toHaveProperty("refs.HEAD");
    play.run(12, [big, big, { main: 1 }]);
    expect([play.word(2), play.word(3)]).toEqual(["in_sync", "unknown"]);
    play.run(24, [big, big, { main: 1 }]);
    expect(play.word(3)).toBe("differs");
    expect(play.difference(3)).toMatchObject({ missing: 1999 });
    expect(formatState(play.state as State).length).toBeLessThan(10_000);
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

  test("have short names where a mirror differs, so that many mirrors do not fill a state", () => {
    const long = Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [`b${index}${"x".repeat(900)}`, 1]),
    );
    const play = new Play().run(0, [base, { ...base, ...long }, base]);
    const { names } = play.difference(2) ?? {};
    // Long names are shortened to 100 characters, and there is room for only two of them.
    expect(names?.extra.map((name) => name.length)).toEqual([100, 100]);
    expect(play.difference(2)).toMatchObject({ extra: 9 });
    expect(names?.extra[0]).toMatch(/^refs\/heads\/b0x+…$/);
  });
});

describe("refs of the reference that a run did not see", () => {
  const newer = { main: 2, stable: 1, v1: 1, v2: 2 };

  test("make no mirror differ that already has them", () => {
    const play = new Play().run(0, [base, base, base]);
    play.run(48, [{ head: 2, why: "unread" }, newer, base]);
    expect(play.word(2)).toBe("unknown");
    expect(play.freshness(3)).toEqual(behind(48));
    play.run(49, [newer, newer, base]);
    expect(play.word(2)).toBe("in_sync");
  });

  test("leave no frozen mirror in sync as soon as HEAD has moved", () => {
    const play = new Play().run(0, [base, base, base]);
    play.run(1, [{ head: 1, why: "too_many" }, base, base]);
    expect(play.word(2)).toBe("in_sync");
    for (const hours of [2, 30, 300]) {
      play.run(hours, [{ head: hours, why: "too_many" }, base, { head: hours, why: "too_many" }]);
      expect(play.freshness(2)).toEqual(behind(2));
      expect(play.word(3)).toBe("in_sync");
    }
  });
});

test("a mirror that was in sync and is ahead differs from the next run on: a push may come between two probes", () => {
  const ahead = { ...base, main: 2 };
  const play = new Play().run(0, [base, base, base]).run(48, [base, ahead, base]);
  expect(play.word(2)).toBe("unknown");
  const wait = new Play();
  wait.state = play.state;
  expect(wait.run(49, [ahead, ahead, base]).word(2)).toBe("in_sync");
  expect(play.run(49, [base, ahead, base]).word(2)).toBe("differs");
});

test("a mirror with a branch that the reference had only between two runs does not differ within a day", () => {
  const [short, next] = [
    { ...base, other: 5 },
    { ...base, main: 2 },
  ];
  const play = new Play().run(0, [base, base, base]).run(48, [base, short, base]);
  for (const hours of [49, 71]) {
    expect(play.run(hours, [next, short, next]).word(2)).toBe("unknown");
  }
  expect(play.run(72, [next, short, next]).word(2)).toBe("differs");
});

test("a mirror of which other refs are compared than of the reference has HEAD alone compared", () => {
  const play = new Play(feedOf(1, {}, { git: { refs: ["refs/heads/main"] } }));
  const [all, moved] = [base, { ...base, main: 2 }];
  play.run(0, [all, all, { main: 1 }]).run(48, [all, all, { main: 1 }]);
  expect(play.word(3)).toBe("in_sync");
  expect(play.difference(3)).toBeUndefined();
  play.run(49, [moved, all, { main: 1 }]);
  expect(play.freshness(3)).toEqual(behind(49));
});

describe("a mirror is not called behind", () => {
  test("if its refs could not be read when those of the reference moved", () => {
    const play = new Play().run(0, [base, base, base]);
    const tagged = { ...base, v2: 1 };
    play.run(1, [tagged, { head: 1, why: "unread" }, base]);
    expect(play.word(2)).toBe("unknown");
    expect(play.state?.nodes["2"]).toMatchObject({ refs_unread: "unread" });
    expect(play.state?.nodes["2"]?.refs).toBeUndefined();
    // A mirror that is known to be behind stays behind.
    play.run(2, [tagged, base, { head: 1, why: "unread" }]);
    expect(play.freshness(2)).toEqual(behind(1));
    expect(play.freshness(3)).toEqual(behind(1));
  });

  test("because another node is the primary, or other refs are compared", () => {
    const play = new Play().run(0, [base, { ...base, v2: 2 }, base]);
    const other = new Play(feedOf(2));
    other.state = play.state;
    expect(other.run(1, [base, { ...base, v2: 2 }, base]).word(3)).toBe("unknown");
    const fewer = new Play(feedOf(1, { git: { refs: ["refs/heads/*"] } }));
    fewer.state = play.state;
    expect(fewer.run(1, [{ main: 1, stable: 1 }, "timeout", "timeout"]).word(3)).toBe("unknown");
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
  readonly digests = new Set([digestOf(base)]);
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
    this.digests.add(digestOf(this.refs));
  }

  at(time: number): Refs {
    return this.past.findLast(({ at }) => at <= time)?.refs ?? base;
  }
}

const runs = trials(2000, 10_000);

test(`${runs} runs with pushes between them: no mirror that is less than a day old differs, and every lag is found at once`, () => {
  const random = randomNumbers(seed);
  const reference = new Repository(random);
  const play = new Play();
  /**
   * The times of the content that the two mirrors have. The first mirror copies everything, and the second one
   * everything except a lost tag.
   */
  let [whole, partial] = [start, start];
  let lost: string | undefined;
  let [lags, losses] = [0, 0];
  for (let run = 0; run < runs; run += 1) {
    const at = start + run * hour;
    const pushes = random() < 0.3 ? Math.floor(random() * 4) : 0;
    for (let push = 0; push < pushes; push += 1) reference.push(at - hour + ((push + 1) * hour) / 5);
    // The first mirror copies content that is up to 23 hours old. Both sometimes copy nothing for a long time.
    if (random() < 0.3) whole = Math.max(whole, at - Math.floor(random() * 23 * hour));
    if (random() < 0.2) partial = at;
    if (random() < 0.05) {
      const tags = Object.keys(reference.refs).filter((name) => name.startsWith("v"));
      lost = random() < 0.5 ? undefined : tags[Math.floor(random() * tags.length)];
    }
    const held = reference.at(whole);
    const incomplete = without(reference.at(partial), lost);
    play.run(run, [reference.refs, held, incomplete]);

    const isEqual = (refs: Refs): boolean => digestOf(refs) === digestOf(reference.refs);
    const [one, two] = [play.word(2), play.word(3)];
    if ((one === "in_sync") !== isEqual(held) || (two === "in_sync") !== isEqual(incomplete))
      throw new Error(`Run ${run}: in sync is wrong.`);
    if (at - whole < 24 * hour && one === "differs") throw new Error(`Run ${run}: a false differs.`);
    if (!isEqual(held)) lags += 1;
    // Such a mirror must differ: the reference has had the lost tag for over a day, and never had exactly its refs.
    const { past } = reference;
    const changed = past.findLastIndex(({ refs }) => refs[lost ?? ""] !== reference.refs[lost ?? ""]) + 1;
    const isOldLoss =
      lost !== undefined && lost in reference.refs && at - (past[changed]?.at ?? start) > 25 * hour;
    if (isOldLoss && !reference.digests.has(digestOf(incomplete))) {
      losses += 1;
      if (two !== "differs") throw new Error(`Run ${run}: the lost ${lost} is ${two}.`);
    }
  }
  expect(lags).toBeGreaterThan(runs / 10);
  expect(losses).toBeGreaterThan(runs / 50);
});
