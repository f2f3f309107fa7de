import { InputError } from "../base/errors.ts";
import { quote } from "../base/text/quote.ts";
import { branchStore } from "./branch.ts";
import { fileStore } from "./file.ts";
import type { StateStore, StoreOptions } from "./store.ts";

/** Returns the store at a location, `FILE` or `branch:NAME`. Throws InputError if a branch cannot have the name. */
export function openStore(location: string, options: StoreOptions): StateStore {
  if (!location.startsWith(branchPrefix)) return fileStore(location, options);
  const name = location.slice(branchPrefix.length);
  if (isBranchName(name)) return branchStore(name, options);
  throw new InputError(
    `${quote(name)} is not a name for the branch of the state; use --state branch:mirrorfeed-state.`,
  );
}

const branchPrefix = "branch:";

/** Narrower than git-check-ref-format(1): safe in every shell, URL and file system. */
function isBranchName(name: string): boolean {
  return (
    name.length <= 200 &&
    /^[A-Za-z0-9_](?:[\w./-]*[\w-])?$/.test(name) &&
    !/\.\.|\/[./]|\.lock(?:\/|$)|\.\/|\/-/.test(name) &&
    name !== "HEAD"
  );
}
