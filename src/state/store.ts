import type { Environment } from "../child.ts";
import { InputError } from "../errors.ts";
import { quote } from "../quote.ts";
import type { Processes } from "../signature.ts";
import { branchStore } from "./branch.ts";
import { fileStore } from "./file.ts";

/** Where the text of a state is kept between runs. */
export interface StateStore {
  /**
   * The stored text; undefined where nothing was ever stored, on a first run. Throws InputError where it is unreadable
   * or unreachable, which is never taken for a first run.
   */
  readonly load: () => Promise<string | undefined>;
  /**
   * Stores what `update` makes of the text that is there at that moment, and nothing where it is the same. Where
   * another run was faster, `update` is called again with what that one stored. Throws InputError where the text cannot
   * be read or stored, and what `update` throws; what was stored before is then left as it was.
   */
  readonly save: (update: (current: string | undefined) => string) => Promise<void>;
}

/** What a store needs of its surroundings. */
export interface StoreOptions {
  /** The folder whose repository's `origin` has the branch where `remote` is left out. */
  readonly folder: string;
  readonly remote?: string | undefined;
  readonly environment: Environment;
  readonly interrupt: AbortSignal;
  readonly random: () => number;
  readonly processes: Processes;
  /** How long one git may take, or another run may hold the file. */
  readonly timeoutMs?: number | undefined;
}

const branchPrefix = "branch:";

/** The store at a place, `FILE` or `branch:NAME`. Throws InputError where no branch can have the name. */
export function openStore(place: string, options: StoreOptions): StateStore {
  if (!place.startsWith(branchPrefix)) return fileStore(place, options);
  const name = place.slice(branchPrefix.length);
  if (isBranchName(name)) return branchStore(name, options);
  throw new InputError(
    `${quote(name)} is no name for the branch of the state; use --state branch:mirrorfeed-state.`,
  );
}

/** Narrower than git-check-ref-format(1): what no shell, no url and no file system takes for something else. */
function isBranchName(name: string): boolean {
  return (
    name.length <= 200 &&
    /^[A-Za-z0-9_](?:[\w./-]*[\w-])?$/.test(name) &&
    !/\.\.|\/[./]|\.lock(?:\/|$)|\.\/|\/-/.test(name) &&
    name !== "HEAD"
  );
}
