import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clockToleranceMs, withoutClockAhead } from "../../../src/core/state/clock.ts";
import { addCount, countsUntil, nothing, readCounts } from "../../../src/core/state/counts.ts";
import type { Reference } from "../../../src/core/state/reference-schema.ts";
import type { Incident, NodeState, NodeTally, State } from "../../../src/core/state/state-schema.ts";
import { latestRun, latestTimestamp } from "../../../src/core/probe/observation.ts";
import { networkAt, projectConfig, type Seen, stateAfter } from "../../support/rounds.ts";
import { trials } from "../../support/trials.ts";
import type { FeedState } from "../../../src/app/state-document.ts";
import type { Hosts } from "../../../src/features/families/families-state.ts";
import type { NotifiedEvent, WaitingMessage } from "../../../src/features/notify/notifications.ts";
import { formatState, parseState, withoutRunsAhead } from "../../support/stored.ts";

const hour = 3_600_000;
const day = 24 * hour;
const start = Date.parse("2026-03-01T12:00:00Z");
const years = 5 * 365 * day;

const network = networkAt(["https://a.example.org/x", "https://b.example.org/x"]);
const config = projectConfig([{ target: "t", primary: 1, network }]);

/** Plays rounds at these times, with these observations of the two nodes. */
function play(from: State | undefined, ...rounds: readonly (readonly [number, ...Seen[]])[]): State {
  let state = from;
  for (const [at, ...seen] of rounds) {
    state = stateAfter(config, state, { run: `r${at}`, at, seen });
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
    expect(back.references["s/p/t"]?.versions).toMatchObject([{ value: revision, since: start + hour }]);
    expect(back.vantages["default"]?.times.at(-1)).toBe(start + hour);
    expect(parseState(formatState(back), "state.json")).toEqual(back);
  });

  test("judges and counts the next right run, and what was missed before it", () => {
    const back = withoutRunsAhead(play(right, [start + years, "ok", "refused"]), start + 3 * hour);
    const next = play(back, [start + 3 * hour, "ok", "ok"], [start + 3.5 * hour, "ok", "ok"]);
    expect(next.nodes["2"]?.status).toBe(1);
    const { days = "" } = next.vantages["default"]?.nodes["2"] ?? {};
    expect(readCounts(days)).toMatchObject([{ period: Math.floor(start / day), count: { ok: 2 } }]);
    expect(readCounts(days)[0]?.count.unobserved).toBeGreaterThan(0);
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
  /** A run: the time since the previous one, how wrong its clock is, and whether the second node is up. */
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
          const { at } = withoutClockAhead({ run: "", at: now, vantages: [] }, now);
          state = stateAfter(config, before, { at, seen: [seen, isUp ? seen : "refused"] });
          expect(state.nodes["2"]?.status).toBe(isUp ? 1 : 0);
          expect(state.nodes["1"]?.revision).toBe(seen.revision);
          expect(state.references["s/p/t"]?.versions.at(-1)?.value).toBe(seen.revision);
          expect(withoutRunsAhead(state, now)).toBe(state);
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

  test("ahead by less than five minutes do not make the next runs late", () => {
    const ahead = play(right, [start + hour + 4 * 60 * second, "ok", "refused"]);
    const next = play(ahead, [start + hour + 60 * second, "ok", "ok"]);
    expect(next.nodes["2"]).toMatchObject({ status: 1, since: start + hour + 4 * 60 * second });
    const late = play(ahead, [start + hour - 2 * 60 * second, "ok", "ok"]);
    expect(late.nodes["2"]?.status).toBe(0);
  });
});

test("the next attempt of a message, and the hour of a digest, may be ahead of the clock", () => {
  const waiting = {
    channel: "ops",
    phase: "begin" as const,
    events: ["0".repeat(16)],
    at: start,
    next: start + day,
  };
  const hours: Record<string, [number, number]> = { ops: [start + day, 10] };
  const notifications = { events: {}, outbox: { ["1".repeat(16)]: waiting }, hours };
  const state = { ...right, notifications };
  expect(withoutRunsAhead(state, start + hour)).toBe(state);
});

/**
 * Returns a state with every field. `runs` has the times of its runs. All other times are `time`, and all other large
 * numbers are `other`.
 */
function stateOf(
  time: number,
  other: number,
  runs: readonly number[],
  tallied: Partial<NodeTally>,
  next?: number,
): State {
  const node: Required<NodeState> = {
    ...{ name: "a", url: "0123456789ab", status: 1, since: time, code: "refused" },
    ...{ http_status: 999, phase: "connect" },
    ...{ cause: "ECONNREFUSED", streak: 1000, transitions: [[time, 1, "ok"]], unverified_since: time },
    changes: [
      [time, "stale"],
      [time, "tls_renewed", other],
    ],
    ...{ revision: "b", branch: "main", main: "", main_since: time, own_tags: "12345" },
    ...{ freshness: "differs", unseen_since: time, behind: [time, "HEAD", "b"], late: true },
    lacking: [time, "refs/tags/v1", ""],
    ...{ apart: [time, "HEAD", ""], apart_date: other, differs: true },
    ...{ tls_expires_at: other, refs: "0".repeat(16), refs_unread: "unread", kept_online: "last_reachable" },
    difference: {
      ...{ missing: 1000, extra: 1000, different: 1000 },
      names: { missing: ["a"], extra: [], different: [] },
    },
    ...{ content_at: other, content_code: "stale", content_since: time },
    proof: { at: time, revision: "0".repeat(16), failed: 1000, timed_out: 1000 },
  };
  const reference: Required<Reference> = {
    branch: "main",
    versions: [{ value: "b", since: time, date: other, taken: true, index: { size: other } }],
    ...{ refs: { HEAD: "0123456789" }, moves: [[time, "HEAD", "", "0123456789"]], known_from: time },
    answers: [["HEAD", "0123456789", "past", "0123456789"]],
    ...{ refs_of: "0".repeat(16), rewritten: [[time, "refs/tags/v1", "0123456789", ""]] },
  };
  const incident: Required<Incident> = {
    ...{ host: "a.example.org", code: "refused", start: time, end: time, gone: other },
    outages: [
      [other, time, time],
      [other, time],
    ],
  };
  const event: Required<NotifiedEvent> = {
    ...{
      event: "offline",
      nodes: [other, other],
      incident: "2026-01-01-000000",
      place: "s/p/t",
      host: "a.example.org",
    },
    ...{ since: time, decided: time, to: { ops: { rule: "rule-1", unsure: true, renewed_runs: 7 } } },
  };
  const id = "000000000000000a";
  const message: WaitingMessage = {
    ...{ channel: "ops", phase: "begin", events: [id], at: time, attempts: 100, failures: 99, next },
  };
  const family: Required<NonNullable<Hosts[string]["ipv4"]>> = {
    code: "tls",
    at: time,
    since: time,
    streak: 1,
  };
  const tally: Required<NodeTally> = { code: "ok", from: time, hours: "", days: "", ...tallied };
  const state: Required<FeedState> = {
    schema: 1,
    runs: runs.map((at, index) => [`r${index}`, at]),
    nodes: { 1: node },
    references: { "s/p/t": reference },
    hosts: { "a.example.org": { at: time, ipv4: family, ipv6: family } },
    incidents: { "2026-01-01-000000": incident },
    notifications: {
      ...{ events: { [id]: event }, outbox: { [id]: message }, dropped: [other, time] },
      hours: next === undefined ? undefined : { ops: [next, 7] },
    },
    former: {
      nodes: { 2: { at: time, node, tallies: { nodes: tally } } },
      references: { "s/p/u": { at: time, reference } },
      last_id: other,
    },
    vantages: { nodes: { times: [...runs], nodes: { 1: tally } } },
  };
  return state;
}

/** If the last run was at 0 (the start of 1970), even a small count would be ahead if it were taken for a time. */
const lastRuns = fc.constantFrom(0, 500, Date.parse("2026-03-01T12:00:00Z"));

test("a repaired state has no time after the last right run, and is the same apart from that", () => {
  const cases = lastRuns.chain((last) =>
    fc.record({
      last: fc.constant(last),
      now: fc.integer({ min: last, max: last + hour }),
      time: fc.oneof(fc.nat(last), fc.integer({ min: last, max: latestTimestamp })),
      other: fc.integer({ min: 1, max: latestTimestamp }),
      aheadMs: fc.integer({ min: 1, max: 40 * hour }),
    }),
  );
  fc.assert(
    fc.property(cases, ({ last, now, time, other, aheadMs }) => {
      const ahead = Math.min(now + clockToleranceMs + aheadMs, latestRun);
      const counts = (periodMs: number): string =>
        [last, ahead].reduce(
          (packed, at) => addCount(packed, Math.floor(at / periodMs), { ...nothing, failed: 1 }, 99),
          "",
        );
      const [hours, days] = [counts(hour), counts(day)];
      const wrong = stateOf(time, other, [last, ahead], { hours, days }, latestTimestamp);
      expect(parseState(JSON.stringify(wrong), "the state")).toEqual(wrong);
      const until = {
        hours: countsUntil(hours, Math.floor(last / hour)),
        days: countsUntil(days, Math.floor(last / day)),
      };
      const repaired = withoutRunsAhead(wrong, now);
      expect(repaired).toEqual(stateOf(Math.min(time, last), other, [last], until));
      expect(withoutRunsAhead(repaired, now)).toBe(repaired);
    }),
    { numRuns: trials(500) },
  );
});
