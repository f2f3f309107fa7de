import { hash } from "node:crypto";
import { dirname } from "node:path";
import { InputError } from "../base/errors.ts";
import { decodeUtf8 } from "../base/files/read-text.ts";
import type { CommandContext } from "../base/terminal/context.ts";
import { isoTimestamp } from "../base/text/timestamp.ts";
import { parseState, type StateDocument } from "./document.ts";
import { fitState } from "./room.ts";
import { clockToleranceMs } from "./round.ts";
import type { State } from "./state-schema.ts";
import { elsewhere, maxBytes, mebibyte, type StateStore } from "./store.ts";
import { openStore } from "./branch-store.ts";

export interface StateOptions {
  /** A file, or `branch:NAME`. */
  readonly state: string;
  /** The remote of the state branch. Defaults to the `origin` of the repository that contains mirrors.json. */
  readonly stateRemote?: string | undefined;
  readonly config: string;
}

/** Until a save, a state whose bytes do not change stays the same object, so callers can compare with `===`. */
export interface StoredState<Whole extends State = State> extends Pick<StateStore, "earlier" | "isRestored"> {
  /** Returns undefined before the first run. */
  readonly load: () => Promise<Whole | undefined>;
  /** Stores and returns the result of `update`, and calls it again if another run saved first. */
  readonly save: (update: (before: Whole | undefined) => Whole) => Promise<Whole>;
}

/** Both `load` and `save` throw InputError if the last run is later than this machine's clock. */
export function openState<Whole extends State>(
  { state: location, stateRemote: remote, config }: StateOptions,
  document: StateDocument<Whole>,
  context: CommandContext,
): StoredState<Whole> {
  const store = openStore(location, { ...context, remote, folder: dirname(config) });
  /** Remembers the digest, because the bytes take as much memory as the state. */
  let last: { readonly digest: string; readonly state: Whole } | undefined;
  const parse = (bytes: Buffer | undefined): Whole | undefined => {
    if (bytes === undefined) return undefined;
    const digest = hash("sha256", bytes);
    const earlier = store.earlier();
    if (last?.digest !== digest) {
      const text = decodeUtf8(bytes, location, earlier ?? `restore the state, or ${elsewhere}`);
      last = { digest, state: parseState(text, location, document, earlier) };
    }
    const [, lastRun = 0] = last.state.runs.at(-1) ?? [];
    // All further runs would count as late.
    if (lastRun > context.now() + clockToleranceMs)
      throw new InputError(
        `The state in ${location} has a run of ${isoTimestamp(lastRun)}, after this machine's current time; correct its clock, or ${earlier ?? "restore an earlier state"}.`,
      );
    return last.state;
  };
  return {
    ...store,
    load: async () => parse(await store.load()),
    save: async (update) => {
      let saved: Whole | undefined;
      await store.save((current) => {
        const updated = update(parse(current));
        const fitted = fitState(updated, maxBytes, document);
        if (fitted.state !== updated) context.log(stateLongWarning);
        // A state that the next run could not read never replaces the stored one.
        const { error } = document.schema.safeParse(fitted.state);
        if (error !== undefined)
          throw new Error("The new state is not valid, so it was not stored.", { cause: error });
        saved = fitted.state;
        return fitted.bytes;
      });
      last = undefined;
      if (saved === undefined) throw new Error("The state was not saved.");
      return saved;
    },
  };
}

const stateLongWarning = `Warning: the state would be larger than ${maxBytes / mebibyte} MiB, so the mirrors and references that take the most space lose their history.`;
