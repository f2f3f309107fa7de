import { describe, expect, test } from "vitest";
import { listNodes } from "../../src/config/nodes.ts";
import { validateConfig } from "../../src/config/validate.ts";
import { advance } from "../../src/state/advance.ts";
import { refuseAhead, withoutRunsAhead } from "../../src/state/clock.ts";
import { readCounts } from "../../src/state/counts.ts";
import { formatState, parseState, type State } from "../../src/state/document.ts";
import { type Seen, vantageOf } from "./rounds.ts";

const hour = 3_600_000;
const day = 24 * hour;
const start = Date.parse("2026-03-01T12:00:00Z");
const years = 5 * 365 * day;

const network = [1, 2].map((id) => ({ id, url: `https://${id}.example.org/a/b` }));
const systems = [
  { system: "s", projects: [{ project: "p", targets: [{ target: "t", primary: 1, network }] }] },
];
const config = validateConfig(JSON.stringify({ systems }), "mirrors.json");

/** The state after rounds at these moments, in which the two nodes were seen as this. */
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
    ["one that is a day ahead, which clocks may be", play(right, [start + hour + day, "ok", "ok"])],
  ])("is itself with %s", (_, state) => {
    expect(withoutRunsAhead(state, start + hour)).toBe(state);
  });

  test("is without a run that is more than a day ahead", () => {
    const ahead = play(right, [start + hour + day + 1, "ok", "ok"]);
    expect(withoutRunsAhead(ahead, start + hour)).toStrictEqual(
      // How many runs were missed until then cannot be told any more.
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
    expect(back.vantages["default"]?.at).toBe(start + hour);
    expect(parseState(formatState(back), "state.json")).toStrictEqual(back);
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
    const [, , days = ""] = next.vantages["default"]?.nodes["2"] ?? [];
    expect(readCounts(days)).toMatchObject([{ period: Math.floor(start / day), count: { ok: 2 } }]);
    expect(readCounts(days)[0]?.count.unobserved).toBeGreaterThan(0);
  });

  test("keeps the counts of right runs where the clock was not ahead for longer than they last", () => {
    const back = withoutRunsAhead(play(right, [start + 10 * day, "ok", "refused"]), start + 2 * hour);
    const [code, , days = ""] = back.vantages["default"]?.nodes["2"] ?? [];
    expect(code).toBe("refused");
    expect(readCounts(days)).toMatchObject([
      { period: Math.floor(start / day), count: { ok: 2, failed: 0 } },
    ]);
  });

  test("begins at the clock where all its runs are ahead", () => {
    const back = withoutRunsAhead(play(undefined, [start + years, "ok", "refused"]), start);
    expect(back).toMatchObject({ runs: [], nodes: { 2: { status: 0, since: start } } });
    expect(back.vantages["default"]).toStrictEqual({
      at: start,
      nodes: { 1: ["ok", "", ""], 2: ["refused", "", ""] },
    });
    expect(play(back, [start, "ok", "ok"])).toMatchObject({
      runs: [[`r${start}`, start]],
      nodes: { 2: { status: 1, since: start } },
    });
  });
});

describe("results after the clock", () => {
  const round = (at: number) => ({ run: "r", at, vantages: [] });

  test("are refused from a day on, with both clocks", () => {
    expect(() => {
      refuseAhead(round(start + day), start);
    }).not.toThrow();
    expect(() => {
      refuseAhead(round(start + day + 1), start);
    }).toThrow(
      "The results are of 2026-03-02T12:00:00.001Z, but this machine's clock says 2026-03-01T12:00:00.000Z; correct the clock that is wrong and probe again.",
    );
  });
});
