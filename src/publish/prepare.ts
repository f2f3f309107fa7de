import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { InputError } from "../errors.ts";
import { heartbeatPath, isNewer } from "../site/age.ts";
import type { Branch } from "./branch.ts";
import type { BranchFile } from "./difference.ts";
import { refuseForeignBranch } from "./foreign-branch.ts";
import { makeIndex, makeTree } from "./site-tree.ts";
import { readSite, takeSnapshot } from "./snapshot.ts";
import { type Commit, commitOf, contentOf, filesOf, type ScratchRepository } from "./scratch-repository.ts";

/** A site to publish, its branch, and the branch's commit when it was read. */
export interface PublishPlan {
  readonly out: string;
  readonly to: Branch;
  readonly head: string | undefined;
  readonly scratch: ScratchRepository;
  /** Whether a branch that is not a published feed may be published over. */
  readonly mayReplace: boolean;
  /** Another publisher was faster. */
  readonly isRetry: boolean;
  readonly signal: AbortSignal;
  /** How much of the branch may be fetched. */
  readonly maxBytes: number;
}

/** The result of comparing a site with its branch. */
export type Prepared =
  | {
      readonly kind: "new";
      /** The branch's commit, undefined if there is no branch. */
      readonly before: string | undefined;
      /** The name of the tree to publish, and the path of the index that holds it. */
      readonly tree: string;
      readonly index: string;
      readonly changed: number;
      readonly removed: number;
    }
  /** The branch holds the site already. */
  | { readonly kind: "same"; readonly commit: string }
  /** The branch or the site has changed meanwhile. */
  | { readonly kind: "changed" };

/**
 * Fetches the branch, compares the site with it and makes the index to commit. Throws InputError if the branch or the
 * site cannot be read, if the branch is not a feed and may not be replaced, or if it holds a newer site.
 */
export async function prepare(plan: PublishPlan): Promise<Prepared> {
  const { out, scratch, isRetry, signal } = plan;
  const fetching = fetchBase(plan);
  const reading = readSite(out, scratch.format, signal);
  // Both have ended before an error of either is thrown.
  await Promise.allSettled([fetching, reading]);
  const [base, files] = [await fetching, await reading];
  if (base === undefined || files === undefined) return { kind: "changed" };
  const { before, branch } = base;
  const snapshot = await takeSnapshot(files, branch, scratch);
  const [changed, removed] = [snapshot.changed.length, snapshot.removed.length];
  if (before !== undefined && changed + removed === 0) return { kind: "same", commit: before.id };
  if (before !== undefined && !plan.mayReplace) await refuseForeignBranch(plan.to, before, branch, scratch);
  if (isRetry) await refuseOlder(plan, branch);
  const tree = await makeTree(scratch, out, snapshot, before?.id);
  if (tree === undefined) return { kind: "changed" };
  const index = await makeIndex(scratch, tree, snapshot.site.keys());
  return { kind: "new", before: before?.id, tree, index, changed, removed };
}

/** The content of the branch on the remote. `before` is its commit. */
interface Base {
  readonly before: Commit | undefined;
  readonly branch: ReadonlyMap<string, BranchFile>;
}

const ref = "refs/base";

/** Returns undefined if the branch has changed meanwhile. */
async function fetchBase({ to, scratch, head, maxBytes }: PublishPlan): Promise<Base | undefined> {
  if (head === undefined) return { before: undefined, branch: new Map() };
  const reason = await to.fetch(scratch.repository, ref, maxBytes);
  if (reason !== undefined) {
    if ((await to.readHead(scratch.repository)).head !== head) return undefined;
    throw new InputError(`${to.failure("cannot be fetched from")}: ${reason}.`);
  }
  const before = await commitOf(scratch, ref);
  return { before, branch: await filesOf(scratch, before.id) };
}

async function refuseOlder(
  { out, scratch, to }: PublishPlan,
  branch: ReadonlyMap<string, BranchFile>,
): Promise<void> {
  const theirs = branch.get(heartbeatPath);
  const heartbeatFile = join(out, heartbeatPath);
  if (theirs === undefined || !existsSync(heartbeatFile)) return;
  const text = (await contentOf(scratch, theirs.id)).toString();
  if (!isNewer(text, readFileSync(heartbeatFile, "utf8"))) return;
  throw new InputError(`Meanwhile a newer site was published to ${to.name}; ${out} is older and was not.`);
}
