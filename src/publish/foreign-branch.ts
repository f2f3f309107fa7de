import { InputError } from "../errors.ts";
import { quote } from "../text/quote.ts";
import { heartbeatPath, isHeartbeat } from "../site/age.ts";
import type { Branch } from "./branch.ts";
import { type BranchFile, plainFile } from "./difference.ts";
import { type Commit, contentOf, sizeOf, type ScratchRepository } from "./scratch-repository.ts";

/** The heartbeat of 10,000 mirrors has about 2 MB. */
const maxHeartbeatBytes = 32 * 1024 * 1024;

/**
 * Throws InputError unless the commit `before` of a branch is a published feed and the only commit. This check keeps
 * `--branch main` from deleting source code, and a publication without `--history` from deleting earlier commits. A
 * lone commit without files has nothing to lose.
 */
export async function refuseForeignBranch(
  branch: Branch,
  before: Commit,
  files: ReadonlyMap<string, BranchFile>,
  scratch: ScratchRepository,
): Promise<void> {
  const problem = await findProblem(before, files, scratch);
  if (problem === undefined) return;
  throw new InputError(
    `The branch ${quote(branch.name)} of ${quote(branch.remote.address)} ${problem}, so nothing was published; name another branch with --branch, keep the commits of this one with --history, or delete them with --replace.`,
  );
}

async function findProblem(
  before: Commit,
  files: ReadonlyMap<string, BranchFile>,
  scratch: ScratchRepository,
): Promise<string | undefined> {
  if (files.size === 0) return before.hasParents ? notFeed("it holds no file") : undefined;
  const file = files.get(heartbeatPath);
  if (file?.mode !== plainFile) return notFeed(`it has no file ${heartbeatPath}`);
  const isFeed =
    (await sizeOf(scratch, file.id)) <= maxHeartbeatBytes &&
    isHeartbeat((await contentOf(scratch, file.id)).toString());
  if (!isFeed) return notFeed(`its ${heartbeatPath} is not a heartbeat`);
  return before.hasParents ? "keeps earlier commits" : undefined;
}

function notFeed(reason: string): string {
  return `is not a published feed (${reason})`;
}
