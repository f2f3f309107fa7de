import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/core/base/errors.ts";
import {
  advance,
  type Answer,
  type Answers,
  decide,
  type Gate,
  type Goal,
  maxPauseMs,
  required,
  startGate,
  type Step,
} from "../../../src/features/wait/gate.ts";

const [second, minute, hour] = [1000, 60_000, 3_600_000];
const goal: Goal = { min: { percent: 80 }, endsAt: hour, forMs: 0 };

function answer(has: boolean, more: Partial<Answer> = {}): Answer {
  return { url: "https://a.example.org/", has, at: 0, ...more };
}

/** Returns answers of mirrors with the ids 1, 2 and so on. */
function answersOf(...all: readonly (boolean | Partial<Answer>)[]): Answers {
  return new Map(
    all.map((one, index) => [
      index + 1,
      typeof one === "boolean" ? answer(one) : answer(one.has === true, one),
    ]),
  );
}

function stepAfter(gate: Partial<Gate>, now: number, changes: Partial<Goal> = {}, random = 0): Step {
  const base = { answers: answersOf(true, false), rounds: 1, lookedAt: now, reachedSince: undefined };
  return decide({ ...base, ...gate }, now, { ...goal, ...changes }, random);
}

describe("how many mirrors must have it", () => {
  test.each([
    [{ count: 3 }, 5, 3],
    [{ percent: 80 }, 5, 4],
    [{ percent: 50 }, 5, 3],
    [{ percent: 1 }, 5, 1],
    [{ percent: 100 }, 5, 5],
  ])("%o of %i are %i", (min, total, count) => {
    expect(required(min, total)).toBe(count);
  });

  test.each([
    [{ count: 6 }, 5],
    [{ percent: 80 }, 0],
  ])("%o of %i is refused", (min, total) => {
    expect(() => required(min, total)).toThrow(InputError);
  });
});

describe("what comes after a round", () => {
  test.each<[string, Partial<Gate>, number, Partial<Goal>, Step]>([
    ["those that lack it are asked again", {}, 0, {}, { at: 30 * second, ids: [2] }],
    ["the pause doubles", { rounds: 3 }, 0, {}, { at: 120 * second, ids: [2] }],
    ["up to ten minutes", { rounds: 40 }, 0, {}, { at: maxPauseMs, ids: [2] }],
    ["the last round is at the end", { rounds: 9 }, hour - 5, {}, { at: hour, ids: [2] }],
    ["at the end it is over", {}, hour, {}, { done: "timeout" }],
    [
      "enough mirrors end it, even at the end",
      { answers: answersOf({ has: true, at: hour }), reachedSince: hour },
      hour,
      {},
      { done: "reached" },
    ],
    [
      "an answer from long ago is asked for again before it counts",
      { answers: answersOf({ has: true, at: 0 }, { has: true, at: 20 * minute }), reachedSince: 20 * minute },
      20 * minute,
      {},
      { at: 20 * minute, ids: [1] },
    ],
    [
      "all are asked again while it must hold",
      { answers: answersOf(true, true), reachedSince: 0 },
      0,
      { forMs: 10 * minute },
      { at: 30 * second, ids: [1, 2] },
    ],
    [
      "the next round is not after it has held",
      { answers: answersOf(true, true), reachedSince: 0, rounds: 9 },
      5 * minute,
      { forMs: 6 * minute },
      { at: 6 * minute, ids: [1, 2] },
    ],
    [
      "it has held",
      { answers: answersOf(true, true), reachedSince: 0, lookedAt: 6 * minute },
      6 * minute,
      { forMs: 6 * minute },
      { done: "reached" },
    ],
  ])("%s", (_, gate, now, changes, step) => {
    expect(stepAfter(gate, now, changes)).toEqual(step);
  });

  test("randomness lengthens a pause by up to a quarter", () => {
    expect(stepAfter({}, 0, {}, 1)).toMatchObject({ at: 37.5 * second });
  });
});

describe("what a round changes", () => {
  const held: Gate = { answers: answersOf(true, true), rounds: 2, lookedAt: 9, reachedSince: 5 };
  test.each<[string, Answers | undefined, Partial<Gate>]>([
    ["enough still have it", answersOf(true, true), { reachedSince: 5, lookedAt: 20, rounds: 3 }],
    ["one has lost it", answersOf(true, false), { reachedSince: undefined, lookedAt: 20, rounds: 3 }],
    [
      "nothing was proved",
      undefined,
      { reachedSince: undefined, lookedAt: 9, answers: held.answers, rounds: 3 },
    ],
  ])("%s", (_, answers, changes) => {
    expect(advance(held, answers, 20, goal)).toMatchObject(changes);
  });
});

/** For each mirror, the times at which it gets the release, loses it, gets it again and so on. */
const mirrors = fc.array(fc.array(fc.integer({ min: 0, max: 2 * hour }), { maxLength: 4 }), {
  minLength: 1,
  maxLength: 6,
});

test("a wait ends in time, asks politely, and ends well only if enough mirrors had it as long as asked", () => {
  const goals = fc.record({
    min: fc.oneof(
      fc.record({ percent: fc.integer({ min: 1, max: 100 }) }),
      fc.constant<Goal["min"]>({ count: 1 }),
    ),
    endsAt: fc.integer({ min: second, max: 2 * hour }),
    forMs: fc.constantFrom(0, 5 * second, 20 * minute),
  });
  fc.assert(
    fc.property(
      mirrors,
      goals,
      fc.array(fc.boolean()),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (changes, wanted, offline, random) => {
        const hasAt = (times: readonly number[], at: number): boolean =>
          times.filter((time) => time <= at).length % 2 === 1;
        let known = answersOf(...changes.map(() => false));
        let gate = startGate(known);
        let step: Step = { at: 0, ids: [...known.keys()] };
        let last = -Infinity;
        let enoughSince: number | undefined;
        for (let rounds = 0; "at" in step; rounds += 1) {
          const { at, ids }: { at: number; ids: readonly number[] } = step;
          // Only a round that asks again for out-of-date answers may start without a pause.
          const isConfirming = at === last;
          if (isConfirming)
            for (const id of ids) expect(at - (known.get(id)?.at ?? 0)).toBeGreaterThan(maxPauseMs);
          else expect(at).toBeGreaterThanOrEqual(Math.min(last + second, wanted.endsAt));
          if (wanted.forMs === 0 && !isConfirming)
            for (const id of ids) expect(gate.answers.get(id)?.has).toBe(false);
          expect(at).toBeLessThanOrEqual(wanted.endsAt);
          last = at;
          if (offline[rounds] === true) {
            gate = advance(gate, undefined, at, wanted);
            enoughSince = undefined;
          } else {
            known = new Map(
              [...known].map(([id, before]) => [
                id,
                ids.includes(id) ? answer(hasAt(changes[id - 1] ?? [], at), { at }) : before,
              ]),
            );
            gate = advance(gate, known, at, wanted);
            const count = [...known.values()].filter(({ has }) => has).length;
            enoughSince = count < required(wanted.min, known.size) ? undefined : (enoughSince ?? at);
          }
          step = decide(gate, at, wanted, random);
          expect(rounds).toBeLessThan(5000);
        }
        if (step.done === "timeout") return;
        const fresh = [...gate.answers.values()].filter(({ has, at }) => has && last - at <= maxPauseMs);
        expect(fresh.length).toBeGreaterThanOrEqual(required(wanted.min, changes.length));
        expect(last - (enoughSince ?? Infinity)).toBeGreaterThanOrEqual(wanted.forMs);
      },
    ),
  );
});
