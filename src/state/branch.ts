import { rm } from "node:fs/promises";
import { InputError } from "../base/errors.ts";
import { gitWithoutUser, originOf, outputOf } from "../base/git/git.ts";
import { parseRemote } from "../base/git/remote.ts";
import { pause } from "../base/files/lock.ts";
import { makeTemporaryFolder } from "../base/files/folders.ts";
import { type Branch, maxFetchBytes, pushText, readTip, remedyFor, type Tip, titleOf } from "./branch-git.ts";
import type { StateStore, StoreOptions } from "./store.ts";
import { requireSize } from "./bounded-text.ts";

const maxTries = 10;
/** If the branch does not move after a refusal, it is not busy. A server that is just locking it may refuse too. */
const maxRefusals = 3;
const maxPauseMs = 3000;

/**
 * Returns a store on a branch of a Git remote: one commit with the one file `state.json`, replaced by compare-and-swap,
 * so that parallel runs lose nothing. It works in a temporary repository, apart from the user's.
 */
export function branchStore(name: string, options: StoreOptions): StateStore {
  // Most saves find the tip that was loaded, and need not fetch it again.
  let known: Tip | undefined;
  const read = async (branch: Branch): Promise<Tip | undefined> => (known = await readTip(branch, known));
  return {
    load: () => withBranch(name, options, async (branch) => (await read(branch))?.text),
    save: (update) => withBranch(name, options, (branch) => save(branch, read, update, options.random)),
  };
}

async function save(
  branch: Branch,
  read: (branch: Branch) => Promise<Tip | undefined>,
  update: (current: string | undefined) => string,
  random: () => number,
): Promise<void> {
  let tip = await read(branch);
  let refusals = 0;
  for (let tries = 1; tries <= maxTries; tries += 1) {
    const text = update(tip?.text);
    if (text === tip?.text) return;
    requireSize(Buffer.byteLength(text), "The state");
    const { commit, refusal } = await pushText(branch, text, tip);
    if (refusal === undefined) return;
    await pause(random() * Math.min(100 * 2 ** tries, maxPauseMs), branch.signal);
    const now = await read(branch);
    // The push succeeded, and only the answer was lost.
    if (now?.commit === commit) return;
    refusals = now?.commit === tip?.commit ? refusals + 1 : 0;
    if (refusals === maxRefusals) {
      throw new InputError(
        `${titleOf(branch)} refuses to be replaced: ${refusal}; ${remedyFor(branch, "force-push to this branch")}.`,
      );
    }
    tip = now;
  }
  throw new InputError(
    `${titleOf(branch)} was changed by other runs ${maxTries} times in a row; run again when fewer do.`,
  );
}

async function withBranch<Result>(
  name: string,
  options: StoreOptions,
  action: (branch: Branch) => Promise<Result>,
): Promise<Result> {
  const { environment, interrupt: signal, timeoutMs = 120_000, maxBytes = maxFetchBytes } = options;
  const bounds = { signal, timeoutMs };
  const local = gitWithoutUser(environment, bounds);
  const remote =
    options.remote === undefined
      ? await originOf(local, options.folder, "--state-remote")
      : parseRemote(options.remote);
  const distant = gitWithoutUser(environment, bounds, remote);
  const repository = makeTemporaryFolder("state");
  try {
    const made = await local(["init", "--bare", "--quiet", "--template="], { repository });
    outputOf(made, `No repository can be made in ${repository}`);
    return await action({ name, remote, repository, distant, local, environment, signal, maxBytes });
  } finally {
    // A child of the ended Git may still write its last file.
    await rm(repository, { recursive: true, force: true, maxRetries: 5 });
  }
}
