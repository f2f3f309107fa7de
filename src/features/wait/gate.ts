import { InputError } from "../../core/base/errors.ts";
import { formatCount } from "../../core/base/text/count.ts";

/** How many mirrors must have the release. */
export type Minimum = { readonly count: number } | { readonly percent: number };

/** Why a mirror does not count: a code from a probe or from `wait`, and a sentence for people. */
export interface Problem {
  readonly code: string;
  readonly sentence: string;
}

/** A mirror's last answer. It contains a problem unless the mirror has the release. `at` is in epoch milliseconds. */
export interface Answer extends Partial<Problem> {
  readonly url: string;
  readonly has: boolean;
  readonly at: number;
}

export type Answers = ReadonlyMap<number, Answer>;

/** The result of a round: answers, or a sentence that says why this machine seems offline. */
export interface Look {
  readonly answers?: Answers;
  readonly offline?: string;
}

/** Where answers come from. */
export interface Source {
  readonly answers: Answers;
  /** Looks at the mirrors with these ids, and possibly at other mirrors. Rejects with the interrupt's reason. */
  readonly look: (ids: readonly number[]) => Promise<Look>;
}

export interface Gate {
  readonly answers: Answers;
  readonly rounds: number;
  /** When the last round with answers ended. */
  readonly lookedAt: number;
  /** When the number of mirrors with the release reached the minimum. */
  readonly reachedSince: number | undefined;
}

/** What ends the wait: enough mirrors with the release, or the deadline. */
export interface Goal {
  readonly min: Minimum;
  /** The deadline, in epoch milliseconds. */
  readonly endsAt: number;
  /** How long the release must stay on enough mirrors. */
  readonly forMs: number;
}

/** The end of the wait, or the time and mirrors of the next round. */
export type Step =
  | { readonly done: "reached" | "timeout" }
  | { readonly at: number; readonly ids: readonly number[] };

const firstPauseMs = 30_000;
/** The longest pause before it is lengthened. Answers older than this no longer prove that a mirror has the release. */
export const maxPauseMs = 600_000;

export function startGate(answers: Answers): Gate {
  return { answers, rounds: 0, lookedAt: 0, reachedSince: undefined };
}

/** Returns how many of `total` mirrors must have the release. Throws InputError if that is more than `total`. */
export function required(min: Minimum, total: number): number {
  const count = "count" in min ? min.count : Math.ceil((total * min.percent) / 100);
  if (count <= total && total > 0) return count;
  throw new InputError(
    `The target has only ${formatCount(total, "mirror")}, fewer than --min requires; lower --min.`,
  );
}

export function countHaving(answers: Answers): number {
  return [...answers.values()].filter(({ has }) => has).length;
}

/**
 * Returns the gate after a round. If the round has no answers, the earlier answers stay, but `reachedSince` is reset,
 * because mirrors may have lost the release in the meantime.
 */
export function advance(gate: Gate, answers: Answers | undefined, now: number, { min }: Goal): Gate {
  const rounds = gate.rounds + 1;
  if (answers === undefined) return { ...gate, rounds, reachedSince: undefined };
  const isReached = countHaving(answers) >= required(min, answers.size);
  return { answers, rounds, lookedAt: now, reachedSince: isReached ? (gate.reachedSince ?? now) : undefined };
}

/**
 * Decides what follows a round. The pauses double from round to round, up to `maxPauseMs`. Each is then lengthened by
 * up to a quarter, depending on `random` (0 to 1). The next round asks all mirrors if they must keep the release for
 * some time, and otherwise only those without the release. When enough mirrors have the release, those whose answers
 * are out of date are asked again without a pause.
 */
export function decide(
  { answers, rounds, lookedAt, reachedSince }: Gate,
  now: number,
  { endsAt, forMs }: Goal,
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
