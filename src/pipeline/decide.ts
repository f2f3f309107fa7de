import type { NetworkNode } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import { type Advance, advance } from "../state/advance.ts";
import { withoutClockAhead, withoutRunsAhead } from "../state/clock.ts";
import { formatState, parseState, type State } from "../state/document.ts";
import { openStore } from "../state/open-store.ts";
import type { Round } from "../state/round.ts";
import type { StateStore } from "../state/store.ts";
import type { CommandContext } from "../terminal/context.ts";

export interface DecideOptions {
  /** Where the state is: a file, or `branch:NAME`. */
  readonly state: string;
  /** The store of the state, if the caller has opened it. */
  readonly store?: StateStore | undefined;
  /** The remote of the state's branch; if it is left out, the `origin` of the repository around mirrors.json. */
  readonly stateRemote?: string | undefined;
  /** The folder of mirrors.json, whose `public/` is laid over that of the package. */
  readonly beside?: string | undefined;
}

/** What a round makes of the state. */
export interface StateChange {
  /** What is stored, without the runs of a clock that was ahead. */
  readonly before: State | undefined;
  readonly after: Advance;
}

/** A round, and the state that it is decided with. */
export interface Decision {
  /** The round, not later than this machine's clock. */
  readonly round: Round;
  /** Returns what the round makes of the state that is there now. */
  readonly look: () => Promise<StateChange>;
  /** Returns the same and stores it; for a round that is not void. */
  readonly save: () => Promise<StateChange>;
}

/** Prepares the decision on a round. Logs a warning if a clock was ahead. */
export function openDecision(
  config: Config,
  nodes: readonly NetworkNode[],
  claimed: Round,
  { state: place, store: opened, stateRemote, beside }: DecideOptions,
  context: CommandContext,
): Decision {
  const now = context.now();
  const round = withoutClockAhead(claimed, now);
  if (round !== claimed) context.log(resultsAheadSentence(claimed.at, now));
  const store = opened ?? openStore(place, { ...context, remote: stateRemote, folder: beside ?? "." });
  const apply = (text: string | undefined, warn: (sentence: string) => void): StateChange => {
    const stored = text === undefined ? undefined : parseState(text, place);
    const before = stored && withoutRunsAhead(stored, context.now());
    if (before !== stored) warn(aheadSentence);
    return { before, after: advance(config, nodes, round, before) };
  };
  return {
    round,
    look: async () => apply(await store.load(), context.log),
    save: async () => {
      let change: StateChange | undefined;
      await store.save((text) => {
        change = apply(text, () => undefined);
        const { before, after } = change;
        if (after.state === undefined) throw new Error("A round with a vantage online leaves a state.");
        return after.state === before && text !== undefined ? text : formatState(after.state);
      });
      if (change === undefined) throw new Error("A store asks for the text that it saves.");
      return change;
    },
  };
}

const aheadSentence =
  "Warning: the state has runs after this machine's clock, so a clock was wrong. They are taken back, and the statuses stay.";

function resultsAheadSentence(theirs: number, ours: number): string {
  const [claimed, now] = [theirs, ours].map((time) => new Date(time).toISOString());
  return `Warning: the results are of ${claimed}, but this machine's clock says ${now}. They count as of now; correct the clock that is wrong.`;
}
