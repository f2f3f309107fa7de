import { rm } from "node:fs/promises";
import { InputError } from "../base/errors.ts";
import { makeTemporaryFolder } from "../base/files/folders.ts";
import { pause } from "../base/files/lock.ts";
import { findRemote, gitWithoutUser, outputOf } from "../base/git/run-git.ts";
import { quote } from "../base/text/quote.ts";
import { type Branch, pushContent, readTip, remedyFor, type Tip } from "./branch-tip.ts";
import { fileStore, requireSize, type StateStore, type StoreOptions, type Update } from "./store.ts";

/** Opens the store at a location: `FILE` or `branch:NAME`. Throws InputError if the branch name is invalid. */
export function openStore(location: string, options: StoreOptions): StateStore {
  if (!location.startsWith(branchPrefix)) return fileStore(location, options);
  const name = location.slice(branchPrefix.length);
  if (isBranchName(name)) return branchStore(name, options);
  throw new InputError(
    `${quote(name)} is not a valid name for the state branch; use --state branch:mirrorfeed-state.`,
  );
}

const branchPrefix = "branch:";

/** Stricter than git-check-ref-format(1): safe in every shell, URL and file system. */
function isBranchName(name: string): boolean {
  return (
    name.length <= 200 &&
    /^[A-Za-z0-9_](?:[\w./-]*[\w-])?$/.test(name) &&
    !/\.\.|\/[./]|\.lock(?:\/|$)|\.\/|\/-/.test(name) &&
    name !== "HEAD"
  );
}

/** Stores the state as the only file of a commit. Saves compare and swap, so parallel runs lose nothing. */
function branchStore(name: string, options: StoreOptions): StateStore {
  // The tip that was read last. If the branch still ends there, as it usually does, a save need not fetch it again.
  let known: Tip | undefined;
  const read = async (branch: Branch): Promise<Tip | undefined> => (known = await readTip(branch, known));
  return {
    load: () => withBranch(name, options, async (branch) => (await read(branch))?.content),
    save: (update) => withBranch(name, options, (branch) => save(branch, () => read(branch), update)),
    earlier: () => {
      const [commit] = known?.parents ?? [];
      return commit && `restore the commit ${commit.slice(0, 12)} of the branch ${quote(name)}`;
    },
    isRestored: () => known?.isRestored === true,
  };
}

async function withBranch<Result>(
  name: string,
  options: StoreOptions,
  action: (branch: Branch) => Promise<Result>,
): Promise<Result> {
  const { environment, interrupt: signal, timeoutMs = 120_000 } = options;
  const bounds = { signal, timeoutMs };
  const local = gitWithoutUser(environment, bounds);
  const remote = await findRemote(options.remote, local, options.folder, "--state-remote");
  const distant = gitWithoutUser(environment, bounds, remote);
  const title = `The branch ${quote(name)} of ${quote(remote.address)}`;
  const repository = makeTemporaryFolder("state");
  try {
    const made = await local(["init", "--bare", "--quiet", "--template="], { repository });
    outputOf(made, `Cannot create a Git repository in ${repository}`);
    return await action({ name, title, remote, repository, distant, local, options });
  } finally {
    // Retried, because a child process of Git may still be writing.
    await rm(repository, { recursive: true, force: true, maxRetries: 5 });
  }
}

const maxTries = 10;
/** So many refusals in a row are an error. One or two may only mean that the server is locking the branch. */
const maxRefusals = 3;
const maxPauseMs = 3000;

async function save(branch: Branch, read: () => ReturnType<typeof readTip>, update: Update): Promise<void> {
  const { title, options } = branch;
  let tip = await read();
  let refusals = 0;
  for (let tries = 1; tries <= maxTries; tries += 1) {
    const content = update(tip?.content);
    if (tip?.content.equals(content) === true) return;
    requireSize(content.length, "The state");
    const { commit, refusal } = await pushContent(branch, content, tip);
    if (refusal === undefined) return;
    await pause(options.random() * Math.min(100 * 2 ** tries, maxPauseMs), options.interrupt);
    const now = await read();
    // The push succeeded, but its response was lost.
    if (now?.commit === commit) return;
    refusals = now?.commit === tip?.commit ? refusals + 1 : 0;
    if (refusals === maxRefusals) {
      const remedy = remedyFor(branch, "force-push to this branch");
      throw new InputError(`${title} cannot be replaced: ${refusal}; ${remedy}.`);
    }
    tip = now;
  }
  throw new InputError(
    `${title} was changed by other runs ${maxTries} times in a row; run again when fewer runs are active.`,
  );
}
