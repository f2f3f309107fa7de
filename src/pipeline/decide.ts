import type { NetworkNode } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import { type Advance, advance } from "../state/advance.ts";
import { withoutClockAhead } from "../state/clock.ts";
import type { State } from "../state/document.ts";
import type { Round } from "../state/round.ts";
import type { CommandContext } from "../terminal/context.ts";
import type { StoredState } from "./stored-state.ts";

/** What a round makes of the state. */
export interface StateChange {
  /** What is stored, without the runs of a clock that was ahead. */
  readonly before: State | undefined;
  readonly after: Advance;
}

/** A round, and what it makes of the state. */
export interface Decision {
  /** The round, not later than this machine's clock. */
  readonly round: Round;
  /** The change of the state as it was loaded. */
  readonly change: StateChange;
  /** Stores the state after a round that is not void. Returns its change: another run may have been faster. */
  readonly save: () => Promise<StateChange>;
}

/** Decides on a round. Logs a warning if its clock was ahead. */
export async function decide(
  config: Config,
  nodes: readonly NetworkNode[],
  claimed: Round,
  stored: StoredState,
  context: CommandContext,
): Promise<Decision> {
  const now = context.now();
  const round = withoutClockAhead(claimed, now);
  if (round !== claimed) context.log(resultsAheadSentence(claimed.at, now));
  const apply = (before: State | undefined): StateChange => ({
    before,
    after: advance(config, nodes, round, before),
  });
  let change = apply(await stored.load());
  return {
    round,
    change,
    save: async () => {
      await stored.save((before) => {
        if (before !== change.before) change = apply(before);
        const { state } = change.after;
        if (state === undefined) throw new Error("A round with a vantage online leaves a state.");
        return state;
      });
      return change;
    },
  };
}

function resultsAheadSentence(theirs: number, ours: number): string {
  const [claimed, now] = [theirs, ours].map((time) => new Date(time).toISOString());
  return `Warning: the results are of ${claimed}, but this machine's clock says ${now}. They count as of now; correct the clock that is wrong.`;
}
