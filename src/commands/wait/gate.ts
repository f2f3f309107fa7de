import { InputError } from "../../base/errors.ts";
import { formatCount } from "../../base/text/count.ts";

/** How many mirrors must have it. */
export type Minimum = { readonly count: number } | { readonly percent: number };

/** Why a mirror does not count: a code of a probe or of `wait`, and a sentence for people. */
export interface Problem {
  readonly code: string;
  readonly sentence: string;
}

/** What was last seen of one mirror, with its problem unless it has what is wanted. `at` is in epoch milliseconds. */
export interface Answer extends Partial<Problem> {
  readonly url: string;
  readonly has: boolean;
  readonly at: number;
}

export type Answers = ReadonlyMap<number, Answer>;

/** What a round showed. Without answers it proved nothing, and the code is that of the exit if the wait ends with it. */
export interface Look {
  readonly answers?: Answers;
  /** The feeds that were not used. */
  readonly passed_over?: readonly { readonly url: string; readonly reason: string }[] | undefined;
  readonly failure?: { readonly code: 2 | 3 | 4; readonly sentence: string };
}

/** Where the answers come from: probes, or a feed. */
export interface Source {
  readonly answers: Answers;
  readonly firstPauseMs: number;
  /** Looks at the mirrors with these ids at least. Rejects with the reason of the interrupt. */
  readonly look: (ids: readonly number[]) => Promise<Look>;
}

/** The answers so far, and how the wait stands. */
export interface Gate {
  readonly answers: Answers;
  readonly rounds: number;
  /** When the last round ended that proved anything. */
  readonly lookedAt: number;
  /** Since when enough mirrors have had it. */
  readonly reachedSince: number | undefined;
}

/** What is waited for. Times are in milliseconds, `endsAt` since 1970. */
export interface Goal {
  readonly min: Minimum;
  readonly endsAt: number;
  /** How long enough mirrors must have it. */
  readonly forMs: number;
  readonly firstPauseMs: number;
}

/** The end of the wait, or the next round: which mirrors it asks, and when. */
export type Step =
  | { readonly done: "reached" | "timeout" }
  | { readonly at: number; readonly ids: readonly number[] };

/** The longest pause. An answer that is older no longer proves that a mirror still has it. */
export const maxPauseMs = 600_000;

export function startGate(answers: Answers): Gate {
  return { answers, rounds: 0, lookedAt: 0, reachedSince: undefined };
}

/** Returns how many of `total` mirrors must have it. Throws InputError if they are too few. */
export function required(min: Minimum, total: number): number {
  const count = "count" in min ? min.count : Math.ceil((total * min.percent) / 100);
  if (count <= total && total > 0) return count;
  throw new InputError(
    `The target has only ${formatCount(total, "mirror")}, fewer than --min asks for; lower it.`,
  );
}

export function countHaving(answers: Answers): number {
  return [...answers.values()].filter(({ has }) => has).length;
}

/**
 * Returns the gate after a round. Without answers the round proved nothing: those before it stay, but nobody knows
 * whether they held in the meantime.
 */
export function advance(gate: Gate, answers: Answers | undefined, now: number, { min }: Goal): Gate {
  const rounds = gate.rounds + 1;
  if (answers === undefined) return { ...gate, rounds, reachedSince: undefined };
  const isReached = countHaving(answers) >= required(min, answers.size);
  return { answers, rounds, lookedAt: now, reachedSince: isReached ? (gate.reachedSince ?? now) : undefined };
}

/**
 * Decides what comes after a round. Only mirrors that lack it are asked again, after pauses that double, and all of them
 * while it must hold. Before the end, answers that are too old are asked for again. `random` lengthens a pause by up to
 * a quarter.
 */
export function decide(
  { answers, rounds, lookedAt, reachedSince }: Gate,
  now: number,
  { endsAt, forMs, firstPauseMs }: Goal,
  random: number,
): Step {
  const all = [...answers];
  if (reachedSince !== undefined) {
    const old = all.filter(([, { has, at }]) => has && lookedAt - at > maxPauseMs);
    if (old.length > 0) return { at: now, ids: old.map(([id]) => id) };
    if (lookedAt - reachedSince >= forMs) return { done: "reached" };
  }
  if (now >= endsAt) return { done: "timeout" };
  const pause = Math.min(maxPauseMs, firstPauseMs * 2 ** (rounds - 1)) * (1 + random / 4);
  const heldAt = reachedSince === undefined ? Infinity : reachedSince + forMs;
  const at = Math.min(now + pause, endsAt, heldAt > now ? heldAt : Infinity);
  return { at, ids: all.filter(([, { has }]) => !has || forMs > 0).map(([id]) => id) };
}
