import { expect, test } from "vitest";
import { clockToleranceMs, withoutClockAhead } from "../../../src/core/state/round.ts";
import { requireRightClock } from "../../../src/core/state/stored-state.ts";
import type { State } from "../../../src/core/state/state-schema.ts";
import { networkAt, projectConfig, type Seen, stateAfter } from "../../support/rounds.ts";
import { dayMs, hourMs } from "../../../src/core/base/text/duration.ts";

const start = Date.parse("2026-03-01T12:00:00Z");
const minute = 60_000;
const network = networkAt(["https://a.example.org/x", "https://b.example.org/x"]);
const config = projectConfig([{ target: "t", primary: 1, network }]);

function step(from: State | undefined, at: number, seen: Seen): State {
  return stateAfter(config, from, { at, seen: ["ok", seen] });
}

test("results up to five minutes after the clock are left as they are, and later ones are of now", () => {
  const round = (at: number) => ({ run: "r", at, vantages: [] });
  for (const right of [round(start + clockToleranceMs), round(start - dayMs)])
    expect(withoutClockAhead(right, start)).toBe(right);
  for (const ahead of [clockToleranceMs + 1, 2000 * dayMs])
    expect(withoutClockAhead(round(start + ahead), start)).toEqual(round(start));
});

test("a clock that is ahead by less than five minutes does not make the next runs late", () => {
  const ahead = step(step(undefined, start, "ok"), start + 4 * minute, "refused");
  const next = step(ahead, start + minute, "ok");
  expect(next.nodes["2"]).toMatchObject({ status: 1, since: start + 4 * minute });
  expect(step(ahead, start - 2 * minute, "ok").nodes["2"]?.status).toBe(0);
});

test("a state with a run after the clock is refused", () => {
  const state = step(undefined, start, "ok");
  const require = (now: number) => () => {
    requireRightClock(state, now, "state.json", "copy state.json.1 to state.json");
  };
  expect(require(start - clockToleranceMs)).not.toThrow();
  expect(require(start - hourMs)).toThrow(
    "The state in state.json has a run of 2026-03-01T12:00:00.000Z, after this machine's current time; correct its clock, or copy state.json.1 to state.json.",
  );
});
