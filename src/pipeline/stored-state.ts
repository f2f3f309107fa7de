import { withoutRunsAhead } from "../state/clock.ts";
import { formatState, parseState, type State } from "../state/document.ts";
import { openStore } from "../state/open-store.ts";
import type { CommandContext } from "../terminal/context.ts";

export interface StateOptions {
  /** Where the state is: a file, or `branch:NAME`. */
  readonly state: string;
  /** The remote of the state's branch; if it is left out, the `origin` of the repository around mirrors.json. */
  readonly stateRemote?: string | undefined;
  /** The folder of mirrors.json, whose `public/` is laid over that of the package. */
  readonly beside?: string | undefined;
}

/** The state between runs, without the runs of a clock that was ahead. The same text is parsed only once. */
export interface StoredState {
  /** Returns the state, or undefined if there is none yet. Reads the store only once. */
  readonly load: () => Promise<State | undefined>;
  /**
   * Stores the state that `update` returns, unless it is the one that is stored. If another run was faster, calls
   * `update` with the state of that run.
   */
  readonly save: (update: (before: State | undefined) => State) => Promise<void>;
}

/** Opens the state of a run. Logs a warning if it has runs of a clock that was ahead. */
export function openState(
  { state: place, stateRemote: remote, beside: folder = "." }: StateOptions,
  context: CommandContext,
): StoredState {
  const store = openStore(place, { ...context, remote, folder });
  let loaded: Promise<State | undefined> | undefined;
  let last: { readonly text: string; readonly state: State } | undefined;
  const parse = (text: string | undefined): State | undefined => {
    if (text === undefined) return undefined;
    if (last?.text !== text) {
      const stored = parseState(text, place);
      const state = withoutRunsAhead(stored, context.now());
      if (state !== stored) context.log(aheadSentence);
      last = { text, state };
    }
    return last.state;
  };
  return {
    load: () => (loaded ??= store.load().then(parse)),
    save: (update) =>
      store.save((text) => {
        const before = parse(text);
        const after = update(before);
        return after === before && text !== undefined ? text : formatState(after);
      }),
  };
}

const aheadSentence =
  "Warning: the state has runs after this machine's clock, so a clock was wrong. They are taken back, and the statuses stay.";
