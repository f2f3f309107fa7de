import { InputError } from "../../core/base/errors.ts";
import { internalFolder } from "../../core/base/files/site-file.ts";
import { lineOf } from "../../core/base/git/run-git.ts";
import type { Tip } from "./publish-branch.ts";
import { type CommittedFiles, type Committer, filesOf, type ScratchGit } from "./scratch.ts";

export interface CommitRequest {
  readonly out: string;
  /** Adds a commit to the branch instead of replacing its commits. */
  readonly history: boolean;
  readonly message: string;
  readonly user: Committer;
}

/** A commit in the scratch repository. */
export interface Commit {
  readonly id: string;
  readonly files: CommittedFiles;
}

/** Without this file, GitHub Pages drops some files and changes others. */
const noJekyll = ".nojekyll";

/** The file with a Pages site's domain. GitHub's settings page writes it to the branch. */
const domain = "CNAME";

/**
 * Commits the files `paths` of the folder `out`, together with `.nojekyll`. If the folder has no CNAME, the tip's CNAME
 * is kept. Throws InputError if that fails, or if the commit does not contain exactly these files.
 */
export async function commitFolder(
  { out, history, message }: CommitRequest,
  paths: readonly string[],
  tip: Tip | undefined,
  git: ScratchGit,
): Promise<Commit> {
  const run = async (...parameters: readonly string[]): Promise<string> =>
    lineOf(await git("git cannot make the commit", parameters));
  await run("-C", out, "--work-tree=.", "add", "--force", "--all", "--", ".", `:!${internalFolder}`);
  const more = new Map<string, string>();
  if (!paths.includes(noJekyll)) more.set(noJekyll, await run("hash-object", "-w", "--stdin"));
  const kept = tip?.files.get(domain);
  if (kept?.mode === "100644" && !paths.includes(domain)) more.set(domain, kept.id);
  for (const [path, id] of more) await run("update-index", "--add", "--cacheinfo", `100644,${id},${path}`);
  const parents = history && tip !== undefined ? ["-p", tip.id] : [];
  const id = await run("commit-tree", await run("write-tree"), ...parents, "-m", message);
  const files = await filesOf(git, id);
  const expected = new Set([...paths, ...more.keys()]);
  if (files.size !== expected.size || ![...expected].every((path) => files.has(path)))
    throw new InputError("Git did not commit exactly the site's files, so nothing was published.");
  return { id, files };
}
