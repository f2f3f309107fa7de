import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InputError } from "../errors.ts";
import { gitWithoutUser, originOf, outputOf } from "../git.ts";
import { readRemote } from "../git-remote.ts";
import { pause } from "../lock.ts";
import { type Branch, pushText, readTip, remedyFor, titleOf } from "./branch-git.ts";
import type { StateStore, StoreOptions } from "./store.ts";
import { requireSize } from "./text.ts";

const mostTries = 10;
/** A branch that does not move while it refuses is not busy; a server that was just locking it may refuse too. */
const mostRefusals = 3;
const longestPauseMs = 3000;

/**
 * A state on a branch of a git remote: one commit with the one file `state.json`, replaced by compare-and-swap, so that
 * runs at the same time lose nothing. Works in a temporary repository, apart from any of the user's.
 */
export function branchStore(name: string, options: StoreOptions): StateStore {
  return {
    load: () => withBranch(name, options, async (branch) => (await readTip(branch))?.text),
    save: (update) => withBranch(name, options, (branch) => save(branch, update, options.random)),
  };
}

async function save(
  branch: Branch,
  update: (current: string | undefined) => string,
  random: () => number,
): Promise<void> {
  let tip = await readTip(branch);
  let refusals = 0;
  for (let tries = 1; tries <= mostTries; tries += 1) {
    const text = update(tip?.text);
    if (text === tip?.text) return;
    requireSize(Buffer.byteLength(text), "The state");
    const { commit, refusal } = await pushText(branch, text, tip);
    if (refusal === undefined) return;
    await pause(random() * Math.min(100 * 2 ** tries, longestPauseMs), branch.signal);
    const now = await readTip(branch, tip);
    // The push came through, and only the answer was lost.
    if (now?.commit === commit) return;
    refusals = now?.commit === tip?.commit ? refusals + 1 : 0;
    if (refusals === mostRefusals) {
      throw new InputError(
        `${titleOf(branch)} refuses to be replaced: ${refusal}; ${remedyFor(branch, "force-push to this branch")}.`,
      );
    }
    tip = now;
  }
  throw new InputError(
    `${titleOf(branch)} was changed by other runs ${mostTries} times in a row; run again when fewer do.`,
  );
}

async function withBranch<Result>(
  name: string,
  options: StoreOptions,
  action: (branch: Branch) => Promise<Result>,
): Promise<Result> {
  const { environment, interrupt: signal, timeoutMs = 120_000 } = options;
  const bounds = { signal, timeoutMs };
  const local = gitWithoutUser(environment, bounds);
  const remote =
    options.remote === undefined
      ? await originOf(local, options.folder, "--state-remote")
      : readRemote(options.remote);
  const distant = gitWithoutUser(environment, bounds, remote);
  const repository = await mkdtemp(join(tmpdir(), "mirrorfeed-state-"));
  try {
    const made = await local(["init", "--bare", "--quiet", "--template="], { repository });
    outputOf(made, `No repository can be made in ${repository}`);
    return await action({ name, remote, repository, distant, local, environment, signal });
  } finally {
    // A helper of a git that was ended may still be at its last file.
    await rm(repository, { recursive: true, force: true, maxRetries: 5 });
  }
}
