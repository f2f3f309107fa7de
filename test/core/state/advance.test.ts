import { describe, expect, test } from "vitest";
import { listNodes } from "../../../src/core/config/nodes.ts";
import type { Config } from "../../../src/core/config/config-schema.ts";
import { advance } from "../../../src/core/state/advance.ts";
import { readCounts } from "../../../src/core/state/counts.ts";
import type { State } from "../../../src/core/state/state-schema.ts";
import type { VantageRound } from "../../../src/core/state/round.ts";
import { networkAt, projectConfig, type Seen, stateAfter, vantageOf } from "../../support/rounds.ts";

const minute = 60_000;
const start = Date.parse("2026-03-01T00:00:00Z");

const hosts = ["a.example.org", "b.example.org", "c.example.org"];

function configOf(own = hosts, more: object = {}): Config {
  const network = networkAt(own.map((host) => `https://${host}/a/b`));
  return projectConfig([{ target: "t", network }], more);
}

/** Plays rounds half an hour apart from one vantage. Each round says what the run sees of each node. */
function play(config: Config, rounds: readonly (readonly Seen[])[], from?: State, at = start): State {
  let state = from;
  for (const [index, seen] of rounds.entries())
    state = stateAfter(config, state, { at: at + index * 30 * minute, seen });
  if (state === undefined) throw new Error("There is a round.");
  return state;
}

/** `codes` has one code for each node, separated by spaces. */
function vantage(codes: string, name = "default"): VantageRound {
  return vantageOf(name, codes.split(" "));
}

function step(
  config: Config,
  state: State | undefined,
  at: number,
  vantages: readonly VantageRound[],
): State {
  return stateAfter(config, state, { at, vantages });
}

function statuses(config: Config, state: State): string {
  return listNodes(config)
    .map(({ id }) => state.nodes[id]?.status)
    .join("");
}

function dayOf(state: State, id: number, vantage = "default"): object | undefined {
  return readCounts(state.vantages[vantage]?.nodes[String(id)]?.days ?? "")[0]?.count;
}

describe("a round", () => {
  const config = configOf();
  const limited = { code: "rate_limited", http_status: 429 };

  test("gives each node a verdict, since when, and why", () => {
    const state = play(config, [["ok", { code: "http_status", http_status: 404 }, "timeout"]]);
    expect(statuses(config, state)).toBe("100");
    expect(state.nodes["2"]).toEqual({
      ...{ name: expect.any(String), url: expect.any(String) },
      ...{ status: 0, since: start, code: "http_status", http_status: 404, transitions: [] },
    });
  });

  test("remembers transitions, eight at the most", () => {
    const codes = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? "ok" : "reset"));
    const state = play(
      config,
      codes.map((code) => ["ok", code, "ok"]),
    );
    expect(state.nodes["2"]?.transitions).toHaveLength(8);
    expect(state.nodes["2"]?.transitions.at(-1)).toEqual([start + 49 * 30 * minute, 0, "reset"]);
  });

  test("that was applied counts once", () => {
    const round = { run: "same", at: start, vantages: [vantage("ok ok timeout")] };
    const once = stateAfter(config, undefined, round);
    expect(stateAfter(config, once, round)).toBe(once);
    const later = play(config, [["ok", "ok", "ok"]], once, start + 30 * minute);
    expect(stateAfter(config, later, round)).toBe(later);
  });

  test("is remembered by its id until 64 others were applied, the newest last", () => {
    const vantages = [vantage("ok ok ok")];
    const ids = Array.from({ length: 70 }, (_, index) => `run ${index}`);
    let state: State | undefined;
    for (const [index, run] of ids.entries())
      state = stateAfter(config, state, { run, at: start + index * minute, vantages });
    expect(state?.runs).toEqual(ids.map((id, index) => [id, start + index * minute]).slice(6));
  });

  test.each<[string, readonly Seen[], string | undefined]>([
    ["why there is no evidence", ["rate_limited"], "rate_limited"],
    ["nothing where the vantages are divided", ["ok", "timeout"], undefined],
    ["why one of the divided vantages has no evidence", ["ok", "timeout", "no_route"], "no_route"],
    ["nothing where the node was not observed", [undefined], undefined],
  ])("that decides nothing begins a node with status 1, and says %s", (_, seen, code) => {
    const vantages = seen.map((one, index) => vantageOf(`v${index}`, ["ok", "ok", one]));
    const state = step(config, undefined, start, vantages);
    expect(state.nodes["3"]).toMatchObject({ status: 1, since: start, code, transitions: [] });
  });

  test("is void where no vantage was online: the state stays as it was, and there is none on a first run", () => {
    const round = { run: "void", at: start + minute, vantages: [vantage("dns dns dns")] };
    for (const before of [play(config, [["ok", "ok", "timeout"]]), undefined]) {
      const { online, state } = advance(config, listNodes(config), round, before);
      expect(online).toEqual([]);
      expect(state).toBe(before);
    }
  });

  test("that is late adds to the counts and changes no verdict", () => {
    const now = play(config, [["ok", "ok", "ok"]], undefined, start + 60 * minute);
    const late = step(config, now, start, [vantage("ok timeout ok")]);
    expect(statuses(config, late)).toBe("111");
    expect(dayOf(late, 2)).toMatchObject({ ok: 1, failed: 1 });
    expect(late.runs.map(([, at]) => at)).toEqual([start, start + 60 * minute]);
  });

  test.each<[string, Seen, Seen, object]>([
    ["a good answer", limited, { http_status: 200 }, { code: "ok", http_status: 200 }],
    ["a good answer after none", undefined, "ok", { code: "ok", http_status: undefined }],
    ["no other answer without evidence", limited, "no_route", limited],
  ])("explains a status that was assumed by %s", (_, first, second, expected) => {
    const state = play(
      config,
      [first, second].map((seen) => ["ok", "ok", seen]),
    );
    expect(state.nodes["3"]).toMatchObject({ status: 1, since: start, transitions: [], ...expected });
    const later = play(config, [["ok", "ok", { http_status: 204 }]], state, start + 60 * minute);
    expect(later.nodes["3"]?.http_status).toBe(second === "no_route" ? 204 : state.nodes["3"]?.http_status);
  });
});

test("the cause of a status is that of the run that brought it; another cause alone changes nothing", () => {
  const config = configOf();
  const expired: Seen = { code: "tls", cause: "CERT_HAS_EXPIRED" };
  const named: Seen = { code: "tls", cause: "ERR_TLS_CERT_ALTNAME_INVALID" };

  const down = play(config, [["ok", expired, "ok"]]);
  expect(down.nodes["2"]).toMatchObject({ status: 0, code: "tls", cause: "CERT_HAS_EXPIRED" });
  const still = play(config, [["ok", named, "ok"]], down, start + 30 * minute);
  expect(still.nodes["2"]).toEqual({ ...down.nodes["2"], unseen_since: start });
});

describe("maintenance", () => {
  const window = { from: "2026-03-01T00:20:00Z", to: "2026-03-01T01:10:00Z", reason: "disks" };
  test.each(["b.example.org", "s/p", "s/p/t", 2])("at %s keeps the verdict and counts nothing", (scope) => {
    const config = configOf(hosts, { maintenance: [{ scope, ...window }] });
    const down = ["ok", "timeout", "ok"];
    const state = play(config, [["ok", "ok", "ok"], down, down]);
    expect(statuses(config, state)).toBe("111");
    expect(dayOf(state, 2)).toMatchObject({ ok: 1, failed: 0, unobserved: 2 });
    const after = play(config, [down], state, start + 90 * minute);
    expect(statuses(config, after)).toBe("101");
  });
});

describe("several vantages", () => {
  const config = configOf();

  test("decide by majority, and one that is offline is left out", () => {
    const [first, offline] = [vantage("ok timeout ok", "a"), vantage("dns dns dns", "c")];
    const split = [first, vantage("ok timeout timeout", "b"), vantage("ok ok timeout", "c")];
    expect(statuses(config, step(config, undefined, start, split))).toBe("100");
    const lame = step(config, undefined, start, [first, offline]);
    expect(statuses(config, lame)).toBe("101");
    expect(lame.vantages).not.toHaveProperty("c");
  });

  test("that are divided keep the verdict there was, and 1 where there was none", () => {
    const tie = [vantage("ok timeout ok", "a"), vantage("ok ok ok", "b")];
    expect(statuses(config, step(config, undefined, start, tie))).toBe("111");
    const down = play(config, [["ok", "timeout", "ok"]]);
    expect(statuses(config, step(config, down, start + minute, tie))).toBe("101");
  });

  test("are forgotten when the last day of theirs is", () => {
    const state = step(config, undefined, start, [vantage("ok ok ok", "gone")]);
    const after = (days: number): string[] =>
      Object.keys(step(config, state, start + days * 1440 * minute, [vantage("ok ok ok", "here")]).vantages);
    expect(after(90)).toEqual(["gone", "here"]);
    expect(after(91)).toEqual(["here"]);
  });
});

test("a clock that is ahead by less than five minutes does not make the next runs late", () => {
  const config = configOf(hosts.slice(0, 2));
  const ahead = play(config, [["ok", "refused"]], play(config, [["ok", "ok"]]), start + 4 * minute);
  const next = play(config, [["ok", "ok"]], ahead, start + minute);
  expect(next.nodes["2"]).toMatchObject({ status: 1, since: start + 4 * minute });
  expect(play(config, [["ok", "ok"]], ahead, start - 2 * minute).nodes["2"]?.status).toBe(0);
});
