import { InputError } from "../base/errors.ts";
import { isoTimestamp } from "../base/text/timestamp.ts";
import type { Round } from "./round.ts";
import type { State } from "./state-schema.ts";

/** How far apart correct clocks can be, in milliseconds. */
export const clockToleranceMs = 5 * 60_000;

function isAhead(timestamp: number, now: number): boolean {
  return timestamp > now + clockToleranceMs;
}

/**
 * If a round comes from a clock that is ahead, sets the time of the round to `now` (epoch milliseconds). The
 * observations of such a round are still correct.
 */
export function withoutClockAhead(round: Round, now: number): Round {
  return isAhead(round.at, now) ? { ...round, at: now } : round;
}

/**
 * Throws InputError, naming `source`, if the state's last run is after `now` (epoch milliseconds), because all further
 * runs would count as late. `earlier` says how to bring back an earlier state.
 */
export function requireRightClock(
  { runs }: State,
  now: number,
  source: string,
  earlier = "restore an earlier state",
): void {
  const [, last = 0] = runs.at(-1) ?? [];
  if (isAhead(last, now))
    throw new InputError(
      `The state in ${source} has a run of ${isoTimestamp(last)}, after this machine's current time; correct its clock, or ${earlier}.`,
    );
}
