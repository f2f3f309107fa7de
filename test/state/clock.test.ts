import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listNodes } from "../../src/config/nodes.ts";
import { validateConfig } from "../../src/config/validate.ts";
import { advance } from "../../src/state/advance.ts";
import { clockToleranceMs, withoutClockAhead, withoutRunsAhead } from "../../src/state/clock.ts";
import { addCount, nothing, readCounts } from "../../src/state/counts.ts";
import { formatState, parseState } from "../../src/state/document.ts";
import type { NodeState, NodeTally, State } from "../../src/state/schema.ts";
import { type Seen, vantageOf } from "../support/rounds.ts";
import { trials } from "../support/trials.ts";

const hour = 3_600_000;
const day = 24 * hour;
const start = Date.parse("2026-03-01T12:00:00Z");
const years = 5 * 365 * day;

const network = [1, 2].map((id) => ({ id, url: `https://${id}.example.org/a/b` }));
const systems = [
  { system: "s", projects: [{ project: "p", targets: [{ target: "t", primary: 1, network }] }] },
];
const config = validateConfig(JSON.stringify({ systems }), "mirrors.json");

/** Returns the state after rounds at these times with these observations of the two nodes. */
function play(from: State | undefined, ...rounds: readonly (readonly [number, ...Seen[]])[]): State {
  let state = from;
  for (const [at, ...seen] of rounds) {
    const round = { run: `r${at}`, at, vantages: [vantageOf("default", seen)] };
    state = advance(config, listNodes(config), round, state).state;
  }
  if (state === undefined) throw new Error("A good round leaves a state.");
  return state;
}

const revision = "b".repeat(40);
const right = play(undefined, [start, "ok", "ok"], [start + hour, "ok", "ok"]);

describe("a state that knows of runs after the clock", () => {
  test.each([
    ["none", right],
    [
      "one that is five minutes ahead, which clocks may be",
      play(right, [start + hour + clockToleranceMs, "ok", "ok"]),
    ],
  ])("is itself with %s", (_, state) => {
    expect(withoutRunsAhead(state, start + hour)).toBe(state);
  });

  test("is without a run that is more than five minutes ahead", () => {
    const ahead = play(right, [start + hour + clockToleranceMs + 1, "ok", "ok"]);
    expect(withoutRunsAhead(ahead, start + hour)).toEqual(
      // The number of runs that were missed until then is not known any more.
      { ...right, vantages: withoutRunsAhead(ahead, start + hour).vantages },
    );
  });

  test("keeps the verdicts, and dates them as of the last right run", () => {
    const seen = { code: "ok", revision, branch: "main" } as const;
    const ahead = play(right, [start + years, seen, "refused"], [start + years + hour, seen, "refused"]);
    expect(ahead.nodes["2"]?.since).toBeGreaterThan(start + years - hour);
    const back = withoutRunsAhead(ahead, start + 2 * hour);
    expect(back.runs).toStrictEqual(right.runs);
    expect(back.nodes["2"]).toMatchObject({
      status: 0,
      since: start + hour,
      transitions: [[start + hour, 0, "refused"]],
    });
    expect(back.nodes["1"]).toMatchObject({ status: 1, since: start, transitions: [] });
    expect(back.references["s/p/t"]?.revisions).toStrictEqual([[revision.slice(0, 16), start + hour]]);
    expect(back.vantages["default"]?.times.at(-1)).toBe(start + hour);
    expect(parseState(formatState(back), "state.json")).toEqual(back);
  });

  test("dates what comes after right runs as of the newest of them", () => {
    const third = play(right, [start + 2 * hour, "ok", "ok"]);
    const back = withoutRunsAhead(play(third, [start + years, "ok", "refused"]), start + 3 * hour);
    expect(back.nodes["2"]?.since).toBe(start + 2 * hour);
  });

  test("judges and counts the next right run, and what was missed before it", () => {
    const back = withoutRunsAhead(play(right, [start + years, "ok", "refused"]), start + 3 * hour);
    const next = play(back, [start + 3 * hour, "ok", "ok"], [start + 3.5 * hour, "ok", "ok"]);
    expect(next.nodes["2"]?.status).toBe(1);
    const { days = "" } = next.vantages["default"]?.nodes["2"] ?? {};
    expect(readCounts(days)).toMatchObject([{ period: Math.floor(start / day), count: { ok: 2 } }]);
    expect(readCounts(days)[0]?.count.unobserved).toBeGreaterThan(0);
  });

  test("keeps the counts of right runs where the clock was not ahead for longer than they last", () => {
    const back = withoutRunsAhead(play(right, [start + 10 * day, "ok", "refused"]), start + 2 * hour);
    const { code, days = "" } = back.vantages["default"]?.nodes["2"] ?? {};
    expect(code).toBe("refused");
    expect(readCounts(days)).toMatchObject([
      { period: Math.floor(start / day), count: { ok: 2, failed: 0 } },
    ]);
  });

  test("begins at the clock where all its runs are ahead", () => {
    const back = withoutRunsAhead(play(undefined, [start + years, "ok", "refused"]), start);
    expect(back).toMatchObject({ runs: [], nodes: { 2: { status: 0, since: start } } });
    expect(back.vantages["default"]).toStrictEqual({
      times: [start],
      nodes: {
        1: { code: "ok", from: start, hours: "", days: "" },
        2: { code: "refused", from: start, hours: "", days: "" },
      },
    });
    expect(play(back, [start, "ok", "ok"])).toMatchObject({
      runs: [[`r${start}`, start]],
      nodes: { 2: { status: 1, since: start } },
    });
  });
});

describe("results after the clock", () => {
  const round = (at: number) => ({ run: "r", at, vantages: [] });

  test("are left as they are up to five minutes, and are of now from then on", () => {
    const near = round(start + clockToleranceMs);
    expect(withoutClockAhead(near, start)).toBe(near);
    const old = round(start - years);
    expect(withoutClockAhead(old, start)).toBe(old);
    expect(withoutClockAhead(round(start + clockToleranceMs + 1), start)).toEqual(round(start));
    expect(withoutClockAhead(round(start + years), start)).toEqual(round(start));
  });
});

describe("one wrong time in a state stops no decision:", () => {
  const now = start + 2 * hour;
  const future = now + years;
  const node = right.nodes["2"];
  if (node === undefined) throw new Error("There is a node.");
  const withNode = (more: Partial<NodeState>): State => ({
    ...right,
    nodes: { ...right.nodes, 2: { ...node, ...more } },
  });
  const withTally = (tally: Partial<NodeTally>): State => {
    const { times, nodes: tallies } = right.vantages["default"] ?? { times: [start], nodes: {} };
    const nodes = { ...tallies, 2: { hours: "", days: "", ...tallies["2"], ...tally } };
    return { ...right, vantages: { default: { times, nodes } } };
  };

  test.each<[string, State]>([
    ["a run", { ...right, runs: [...right.runs, ["ahead", future]] }],
    ["since", withNode({ since: future })],
    ["a transition", withNode({ transitions: [[future, 1, "ok"]] })],
    ["unverified_since", withNode({ unverified_since: future })],
    ["behind_since", withNode({ behind_since: future })],
    ["content_since", withNode({ content_since: future })],
    ["a reference", { ...right, references: { "s/p/t": { branch: "main", revisions: [["b", future]] } } }],
    ["a vantage", { ...right, vantages: { default: { times: [future], nodes: {} } } }],
    ["the first run of a node", withTally({ from: future })],
    ["an hour", withTally({ hours: addCount("", Math.floor(future / hour), nothing, 48) })],
    ["a day", withTally({ days: addCount("", Math.floor(future / day), nothing, 91) })],
  ])("%s", (_, state) => {
    const back = withoutRunsAhead(state, now);
    expect(back).not.toBe(state);
    expect(newestTime(back)).toBeLessThanOrEqual(now);
    expect(withoutRunsAhead(back, now)).toBe(back);
    const next = play(back, [now, "ok", "refused"]);
    expect(next.nodes["2"]).toMatchObject({ status: 0, since: now });
    const { days = "" } = next.vantages["default"]?.nodes["2"] ?? {};
    expect(readCounts(days)[0]).toMatchObject({ period: Math.floor(now / day), count: { failed: 1 } });
  });
});

/** The newest of all times in a state, but for when certificates expire. */
function newestTime({ runs, nodes, references, vantages }: State): number {
  return Math.max(
    ...runs.map(([, at]) => at),
    ...Object.values(nodes).flatMap(
      ({ since, transitions, unverified_since = 0, behind_since = 0, content_since = 0 }) => [
        since,
        unverified_since,
        behind_since,
        content_since,
        ...transitions.map(([at]) => at),
      ],
    ),
    ...Object.values(references).flatMap(({ revisions }) => revisions.map(([, from]) => from)),
    ...Object.values(vantages).flatMap(({ times, nodes: tallies }) => [
      ...times,
      ...Object.values(tallies).flatMap(({ hours, days }) => [
        (readCounts(hours)[0]?.period ?? 0) * hour,
        (readCounts(days)[0]?.period ?? 0) * day,
      ]),
    ]),
  );
}

describe("clocks that are wrong", () => {
  const second = 1000;
  const offsets = [
    0,
    second,
    61 * second,
    4 * 60 * second,
    299 * second,
    301 * second,
    hour,
    20 * hour,
    25 * hour,
    30 * day,
    years,
  ];
  const wrong = fc.constantFrom(...offsets.flatMap((offset) => [offset, -offset]));
  /** A run: how long after the one before it, how wrong its clock is, and whether the second node is up. */
  const run = fc.record({
    pause: fc.constantFrom(10 * second, 60 * second, 5 * 60 * second, hour / 2, hour, day),
    offset: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: wrong }),
    isUp: fc.boolean(),
  });

  test("let every run decide, whatever the clocks of those before it were", () => {
    fc.assert(
      fc.property(fc.array(run, { minLength: 1, maxLength: 40 }), (runs) => {
        let state: State | undefined;
        let time = start;
        for (const [index, { pause, offset, isUp }] of runs.entries()) {
          time += pause;
          const now = time + offset;
          const before = state && withoutRunsAhead(parseState(formatState(state), "state.json"), now);
          const seen = { revision: index.toString(16).padStart(40, "0"), branch: "main" };
          const round = {
            run: `r${index}`,
            at: now,
            vantages: [vantageOf("default", [seen, isUp ? seen : "refused"])],
          };
          state = advance(config, listNodes(config), withoutClockAhead(round, now), before).state;
          if (state === undefined) throw new Error("A good round leaves a state.");
          expect(state.nodes["2"]?.status).toBe(isUp ? 1 : 0);
          expect(state.nodes["1"]?.revision).toBe(seen.revision);
          expect(state.references["s/p/t"]?.revisions.at(-1)?.[0]).toBe(seen.revision.slice(0, 16));
          expect(newestTime(state)).toBeLessThanOrEqual(now + clockToleranceMs);
          const { since, transitions } = state.nodes["2"] ?? { since: NaN, transitions: [] };
          const times = transitions.map(([at]) => at);
          expect(times).toEqual([...times].sort((left, right) => left - right));
          expect(since).toBe(times.at(-1) ?? since);
          const { days = "" } = state.vantages["default"]?.nodes["2"] ?? {};
          const today = readCounts(days).find(({ period }) => period === Math.floor(now / day));
          expect(today?.count[isUp ? "ok" : "failed"]).toBeGreaterThan(0);
        }
      }),
      { numRuns: trials(200) },
    );
  });

  test.each(offsets.slice(1).flatMap((offset) => [offset, -offset]))(
    "at any one run, by %i ms, cost later runs nothing",
    (offset) => {
      for (let wrongRun = 0; wrongRun < 12; wrongRun += 1) {
        let state: State | undefined;
        for (let index = 0; index < 16; index += 1) {
          const now = start + (index * hour) / 2 + index + (index === wrongRun ? offset : 0);
          const before = state && withoutRunsAhead(state, now);
          const isUp = index % 3 === 0;
          state = play(before, [now, "ok", isUp ? "ok" : "refused"]);
          expect(state.nodes["2"]?.status).toBe(isUp ? 1 : 0);
        }
        const end = start + 7.5 * hour + 15;
        expect(state?.nodes["2"]?.since).toBe(end);
        expect(newestTime(state ?? right)).toBe(end);
      }
    },
  );

  test("ahead by less than five minutes do not make the next runs late", () => {
    const ahead = play(right, [start + hour + 4 * 60 * second, "ok", "refused"]);
    const next = play(ahead, [start + hour + 60 * second, "ok", "ok"]);
    expect(next.nodes["2"]).toMatchObject({ status: 1, since: start + hour + 4 * 60 * second });
    const late = play(ahead, [start + hour - 2 * 60 * second, "ok", "ok"]);
    expect(late.nodes["2"]?.status).toBe(0);
  });
});
