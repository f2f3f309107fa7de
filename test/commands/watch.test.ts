import { expect, test } from "vitest";
import { nextBeat } from "../../src/commands/watch.ts";

test.each([
  ["a quick run waits for the next beat", 0, 100, 1, 900, 0],
  ["a run of exactly a beat goes on at once", 0, 1000, 1, 0, 0],
  ["a run a little over leaves one out", 0, 1001, 2, 999, 1],
  ["a run of five beats leaves four out", 0, 4999, 5, 1, 4],
  ["the beat does not drift", 7, 8300, 9, 700, 1],
  ["a clock that went back waits no more than it must", 3, 2500, 4, 1500, 0],
])("%s", (_, beat, now, next, inMs, skipped) => {
  expect(nextBeat(0, 1000, now, beat)).toEqual({ beat: next, inMs, skipped });
});
