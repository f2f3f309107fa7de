import fc from "fast-check";
import { expect, test } from "vitest";
import { latestRun, latestTimestamp } from "../../src/probe/observation.ts";
import { clockToleranceMs, withoutRunsAhead } from "../../src/state/clock.ts";
import { countsUntil, dayMs, hourMs, nothing, addCount } from "../../src/state/counts.ts";
import { parseState } from "../../src/state/document.ts";
import type {
  Incident,
  NodeState,
  NodeTally,
  NotifiedEvent,
  Reference,
  State,
  WaitingMessage,
} from "../../src/state/schema.ts";
import { trials } from "../support/trials.ts";

/** What differs between a state and its repaired form, besides the values of times. */
interface Parts {
  readonly runs: State["runs"];
  readonly vantageTimes: readonly number[];
  readonly hours: string;
  readonly days: string;
  readonly next: number | undefined;
}

/** Returns a state with every field. Times and all other large numbers are taken from these lists, in turns. */
function stateOf(times: readonly number[], numbers: readonly number[], parts: Parts): State {
  const takenFrom = (list: readonly number[]): (() => number) => {
    let taken = 0;
    return () => list[(taken += 1) % list.length] ?? 0;
  };
  const [time, other] = [takenFrom(times), takenFrom(numbers)];
  const node: Required<NodeState> = {
    url: "0123456789ab",
    status: 1,
    since: time(),
    code: "refused",
    http_status: 999,
    phase: "connect",
    cause: "ECONNREFUSED",
    streak: 1000,
    transitions: [[time(), 1, "ok"]],
    changes: [
      [time(), "stale"],
      [time(), "tls_renewed", other()],
    ],
    unverified_since: time(),
    revision: "b",
    branch: "main",
    behind_since: time(),
    apart_since: time(),
    differs: true,
    tls_expires_at: other(),
    refs: "0".repeat(16),
    refs_unread: "unread",
    difference: {
      ...{ missing: 1000, extra: 1000, different: 1000 },
      names: { missing: ["a"], extra: [], different: [] },
    },
    content_at: other(),
    content_code: "stale",
    content_since: time(),
    last_reachable: true,
  };
  const reference: Required<Reference> = {
    branch: "main",
    revisions: [["b", time()]],
    contents: { b: { at: other(), index: { size: other() } } },
    sets: [["0".repeat(16), time()]],
    refs: { HEAD: "0123456789" },
    refs_since: time(),
    recent: { HEAD: time(), contents: time() },
    refs_of: "0".repeat(16),
    rewritten: [[time(), "refs/tags/v1", "0123456789", ""]],
  };
  const incident: Required<Incident> = {
    host: "a.example.org",
    code: "refused",
    start: time(),
    end: time(),
    outages: [
      [other(), time(), time()],
      [other(), time()],
    ],
    gone: other(),
  };
  const event: Required<NotifiedEvent> = {
    event: "offline",
    nodes: [other(), other()],
    incident: "2026-01-01-000000",
    place: "s/p/t",
    ref: "HEAD",
    since: time(),
    to: { ops: { rule: "rule-1" } },
  };
  const message: WaitingMessage = {
    ...{ channel: "ops", phase: "begin", events: ["000000000000000a"] },
    ...{ at: time(), attempts: 100, next: parts.next },
  };
  const tally: Required<NodeTally> = { code: "ok", from: time(), hours: parts.hours, days: parts.days };
  const state: Required<State> = {
    schema: 1,
    runs: parts.runs,
    nodes: { 1: node },
    references: { "s/p/t": reference },
    incidents: { "2026-01-01-000000": incident },
    notifications: {
      events: { "000000000000000a": event },
      outbox: { "0000000000000001": message },
      dropped: [other(), time()],
    },
    vantages: { nodes: { times: [...parts.vantageTimes], nodes: { 1: tally } } },
  };
  return state;
}

/** At the start of 1970, every number is ahead of the clock. */
const lastRuns = fc.constantFrom(0, 500, Date.parse("2026-03-01T12:00:00Z"));

test("a repaired state has no time after the last right run, and is the same apart from that", () => {
  const cases = lastRuns.chain((last) =>
    fc.record({
      last: fc.constant(last),
      now: fc.integer({ min: last, max: last + hourMs }),
      times: fc.array(fc.oneof(fc.nat(last), fc.integer({ min: last, max: latestTimestamp })), {
        minLength: 30,
      }),
      numbers: fc.array(fc.integer({ min: 1, max: latestTimestamp }), { minLength: 20 }),
      aheadMs: fc.integer({ min: 1, max: 40 * hourMs }),
    }),
  );
  fc.assert(
    fc.property(cases, ({ last, now, times, numbers, aheadMs }) => {
      const ahead = Math.min(now + clockToleranceMs + aheadMs, latestRun);
      const until = (periodMs: number): string =>
        addCount("", Math.floor(last / periodMs), { ...nothing, ok: 1 }, 99);
      const then = (packed: string, periodMs: number): string =>
        addCount(packed, Math.floor(ahead / periodMs), { ...nothing, failed: 1 }, 99);
      const [hours, days] = [then(until(hourMs), hourMs), then(until(dayMs), dayMs)];
      const wrong = stateOf(times, numbers, {
        runs: [
          ["right", last],
          ["ahead", ahead],
        ],
        vantageTimes: [last, ahead],
        hours,
        days,
        next: latestTimestamp,
      });
      expect(parseState(JSON.stringify(wrong), "the state")).toEqual(wrong);
      const right = stateOf(
        times.map((time) => Math.min(time, last)),
        numbers,
        {
          runs: [["right", last]],
          vantageTimes: [last],
          hours: countsUntil(hours, Math.floor(last / hourMs)),
          days: countsUntil(days, Math.floor(last / dayMs)),
          next: undefined,
        },
      );
      const repaired = withoutRunsAhead(wrong, now);
      expect(repaired).toEqual(right);
      expect(withoutRunsAhead(repaired, now)).toBe(repaired);
    }),
    { numRuns: trials(500) },
  );
});
