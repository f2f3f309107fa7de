import { InputError } from "../../core/base/errors.ts";
import { formatCount } from "../../core/base/text/count.ts";

/** How many mirrors must have the release. */
export type Minimum = { readonly count: number } | { readonly percent: number };

/** Why a mirror does not count: a code from a probe or from `wait`, and a sentence for people. */
export interface Problem {
  readonly code: string;
  readonly sentence: string;
}

/** A mirror's last answer. It contains a problem unless the mirror has the release. */
export interface Answer extends Partial<Problem> {
  readonly id: number;
  readonly url: string;
  readonly has: boolean;
}

/** Returns how many of `total` mirrors must have the release. Throws InputError if that is more than `total`. */
export function required(min: Minimum, total: number): number {
  const count = "count" in min ? min.count : Math.ceil((total * min.percent) / 100);
  if (count <= total) return count;
  throw new InputError(
    `The target has only ${formatCount(total, "mirror")}, fewer than --min requires; lower --min.`,
  );
}

export function countHaving(answers: readonly Answer[]): number {
  return answers.filter(({ has }) => has).length;
}

const firstPauseMs = 30_000;
const maxPauseMs = 600_000;

/**
 * Returns the pause after a round, in milliseconds. Pauses double up to ten minutes, and `random` (0 to 1) lengthens
 * each by up to a quarter.
 */
export function pauseAfter(rounds: number, random: number): number {
  return Math.min(maxPauseMs, firstPauseMs * 2 ** (rounds - 1)) * (1 + random / 4);
}
