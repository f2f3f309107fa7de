import { InputError } from "../base/errors.ts";
import { isSitePath } from "../base/files/site-file.ts";
import { lineOf } from "../base/git/git.ts";
import { quote } from "../base/text/quote.ts";
import type { Branch } from "./branch.ts";
import { type CommittedFiles, filesOf, type Scratch } from "./scratch.ts";

/** The newest commit of the branch, in the scratch repository. */
export interface Tip {
  readonly id: string;
  /** Whether it has parents, which are not fetched. */
  readonly hasParents: boolean;
  readonly files: CommittedFiles;
}

const ref = "refs/tip";
const failure = "git cannot read the branch";

/**
 * Fetches the tip of a branch. Throws InputError if that fails, if the tip takes more than `maxBytes`, packed or checked
 * out, or if it holds what could lead out of a checkout.
 */
export async function fetchTip(branch: Branch, scratch: Scratch, maxBytes: number): Promise<Tip> {
  await branch.fetch(scratch.repository, ref, maxBytes);
  const id = lineOf(await scratch.git(failure, ["rev-parse", `${ref}^{commit}`]));
  const [headers = ""] = (await scratch.git(failure, ["cat-file", "commit", id])).toString().split("\n\n", 1);
  const files = await filesOf(scratch, id);
  const size = [...files.values()].reduce((sum, file) => sum + file.size, 0);
  if (size > maxBytes) throw branch.excess(maxBytes);
  for (const [path, file] of files) {
    const problem = isSitePath(path) ? dangers[file.mode] : "a name that no site can have";
    if (problem === undefined) continue;
    throw new InputError(
      `${branch.label} holds ${quote(path)}, ${problem}, so nothing was published; delete the branch, or name another with --branch.`,
    );
  }
  return { id, hasParents: /^parent /m.test(headers), files };
}

/** By Git's modes. */
const dangers: Readonly<Record<string, string | undefined>> = { 120000: "a link", 160000: "a submodule" };
