import type { Node } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import { updateNotifications } from "../notify/decide.ts";
import { type Advance, advance } from "../state/advance.ts";
import { withoutClockAhead } from "../state/clock.ts";
import type { State } from "../state/schema.ts";
import type { Round } from "../state/round.ts";
import type { CommandContext } from "../base/terminal/context.ts";
import type { StoredState } from "./stored-state.ts";

/** The effect of a round on the state. */
export interface StateChange {
  /** The stored state, without runs that are later than this machine's clock. */
  readonly before: State | undefined;
  readonly after: Advance;
}

/** A round, and its effect on the state. */
export interface Decision {
  /** The round, not later than this machine's clock. */
  readonly round: Round;
  /** The effect on the loaded state. */
  readonly change: StateChange;
  /** Stores the state. Returns the stored change, which differs if another run was faster. The round must not be void. */
  readonly save: () => Promise<StateChange>;
}

/** Applies a round to the state. Logs a warning if the results are later than this machine's clock. */
export async function decide(
  config: Config,
  nodes: readonly Node[],
  observed: Round,
  stored: StoredState,
  context: CommandContext,
): Promise<Decision> {
  const now = context.now();
  const round = withoutClockAhead(observed, now);
  if (round !== observed) context.log(resultsAheadWarning(observed.at, now));
  const apply = (before: State | undefined): StateChange => ({
    before,
    after: withNotifications(config, nodes, advance(config, nodes, round, before), before),
  });
  let change = apply(await stored.load());
  return {
    round,
    change,
    save: async () => {
      await stored.save((before) => {
        if (before !== change.before) change = apply(before);
        const { state } = change.after;
        if (state === undefined) throw new Error("A void round cannot be saved.");
        return state;
      });
      return change;
    },
  };
}

/** A state and its notifications are decided together, and stored together. */
function withNotifications(
  config: Config,
  nodes: readonly Node[],
  after: Advance,
  before: State | undefined,
): Advance {
  const { state, decidedAt } = after;
  if (state === undefined || decidedAt === undefined) return after;
  const notifications = updateNotifications(config, nodes, { before, after: state }, decidedAt);
  return { ...after, state: { ...state, notifications } };
}

function resultsAheadWarning(resultsAt: number, clockAt: number): string {
  const [results, now] = [resultsAt, clockAt].map((time) => new Date(time).toISOString());
  return `Warning: the results are from ${results}, but this machine's clock says ${now}. They count as of now. Correct the wrong clock.`;
}
