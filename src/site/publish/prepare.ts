import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { InputError } from "../../errors.ts";
import { heartbeatPath, isNewer } from "../age.ts";
import type { Branch } from "./branch.ts";
import type { BranchFile } from "./difference.ts";
import { makeIndex, makeTree } from "./site-tree.ts";
import { readSite, takeSnapshot } from "./snapshot.ts";
import { contentOf, filesOf, idOf, type Workshop } from "./workshop.ts";

/** A site to publish, the branch it is for, and what the branch's commit was when it was looked at. */
export interface Plan {
  readonly out: string;
  readonly to: Branch;
  readonly head: string | undefined;
  readonly workshop: Workshop;
  /** Somebody else has published meanwhile. */
  readonly isRetry: boolean;
  readonly signal: AbortSignal;
}

/** What comes of looking at a site and its branch. */
export type Prepared =
  | {
      readonly kind: "new";
      /** The branch's commit, undefined where there is no branch. */
      readonly before: string | undefined;
      /** The tree that is to be published, and where the index lies that holds it. */
      readonly tree: string;
      readonly index: string;
      readonly changed: number;
      readonly removed: number;
    }
  /** The branch holds the site already. */
  | { readonly kind: "same"; readonly commit: string }
  /** The branch or the site was another one by the end. */
  | { readonly kind: "changed" };

/**
 * Brings the branch's content to the workshop, compares the site with it and makes the index that is to be committed.
 * Throws InputError where one of them cannot be read, or where the branch was overtaken by a newer site.
 */
export async function prepare(plan: Plan): Promise<Prepared> {
  const { out, workshop, isRetry, signal } = plan;
  const fetching = fetchBase(plan);
  const reading = readSite(out, workshop.format, signal);
  // Neither is left to itself when the other one fails.
  await Promise.allSettled([fetching, reading]);
  const [base, files] = [await fetching, await reading];
  if (base === undefined || files === undefined) return { kind: "changed" };
  const { before, branch } = base;
  const snapshot = await takeSnapshot(files, branch, workshop);
  const [changed, removed] = [snapshot.changed.length, snapshot.gone.length];
  if (before !== undefined && changed + removed === 0) return { kind: "same", commit: before };
  if (isRetry) await refuseOlder(plan, branch);
  const tree = await makeTree(workshop, out, snapshot, before);
  if (tree === undefined) return { kind: "changed" };
  const index = await makeIndex(workshop, tree, snapshot.site.keys());
  return { kind: "new", before, tree, index, changed, removed };
}

/** What the branch of the remote holds; `before` is its commit. */
interface Base {
  readonly before: string | undefined;
  readonly branch: ReadonlyMap<string, BranchFile>;
}

const ref = "refs/base";

/** Undefined where the branch is another one by the end. */
async function fetchBase({ to, workshop, head }: Plan): Promise<Base | undefined> {
  if (head === undefined) return { before: undefined, branch: new Map() };
  const reason = await to.fetch(workshop.repository, ref);
  if (reason !== undefined) {
    if ((await to.look(workshop.repository)).head !== head) return undefined;
    throw new InputError(`${to.failure("cannot be fetched from")}: ${reason}.`);
  }
  const before = await idOf(workshop, `${ref}^{commit}`);
  return { before, branch: await filesOf(workshop, before) };
}

async function refuseOlder(
  { out, workshop, to }: Plan,
  branch: ReadonlyMap<string, BranchFile>,
): Promise<void> {
  const theirs = branch.get(heartbeatPath);
  const ours = join(out, heartbeatPath);
  if (theirs === undefined || !existsSync(ours)) return;
  const text = (await contentOf(workshop, theirs.id)).toString();
  if (!isNewer(text, readFileSync(ours, "utf8"))) return;
  throw new InputError(`Meanwhile a newer site was published to ${to.name}; ${out} is older and was not.`);
}
