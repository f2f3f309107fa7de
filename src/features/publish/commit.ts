import { basename, join } from "node:path";
import { execPath } from "node:process";
import { InputError } from "../../core/base/errors.ts";
import { packageFolder } from "../../core/base/files/package.ts";
import { internalFolder } from "../../core/base/files/site-file.ts";
import { runChildProcess } from "../../core/base/git/child-process.ts";
import { type Git, lineOf, outputOf } from "../../core/base/git/run-git.ts";
import type { Tip } from "./publish-branch.ts";
import { type CommittedFiles, filesOf, type Scratch, textOf } from "./scratch.ts";

export interface CommitRequest {
  readonly out: string;
  /** Adds a commit to the branch instead of replacing its commits. */
  readonly history: boolean;
  readonly message: string;
  readonly user: { readonly name: string; readonly email: string };
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
const maxDomainBytes = 1024;

/** The built gh-pages.ts. */
const program = join(packageFolder, "dist/gh-pages.cjs");

/**
 * Makes gh-pages commit the files `paths` of the folder `out`, together with `.nojekyll`. If the folder has no CNAME,
 * the tip's CNAME is kept. Throws InputError if that fails, or if the commit does not contain exactly these files.
 */
export async function commitFolder(
  { out, history, message, user }: CommitRequest,
  paths: readonly string[],
  tip: Tip | undefined,
  { folder, repository, environment, git }: Scratch,
  signal: AbortSignal,
): Promise<Commit> {
  const kept = await textOf(git, tip?.files, domain, maxDomainBytes);
  const cname = kept?.includes("\0") === true ? undefined : kept;
  const expected = new Set([...paths, noJekyll, ...(cname === undefined ? [] : [domain])]);
  // The name is random, because Git confuses a branch with a file of the same name.
  const branch = basename(join(folder, ".."));
  const ref = `refs/heads/${branch}`;
  // Without `history`, gh-pages clones a repository that has no branches. The commit then has no parent, and contains
  // only the site's files.
  const below = history ? tip : undefined;
  if (below !== undefined) await git("git cannot prepare the branch", ["update-ref", ref, below.id]);
  const gone = [...(below?.files.keys() ?? [])].filter((path) => !expected.has(path));
  const options = {
    ...{ folder: out, src: "**/*", repo: repository, branch, message },
    ...{ name: user.name, email: user.email, ...(cname === undefined ? {} : { cname }) },
  };
  const ended = await runChildProcess({
    program: execPath,
    homepage: "https://nodejs.org",
    parameters: [
      program,
      ...Object.entries(options).map(([key, value]) => `--${key}=${value}`),
      `--src=!${internalFolder}/**`,
      ...(history ? ["--history"] : []),
    ],
    environment,
    input: gone.join("\0"),
    signal,
  });
  outputOf(ended, "gh-pages cannot make the commit");
  const id = lineOf(await git("gh-pages made no commit", ["rev-parse", ref]));
  const files = await filesOf(git, id);
  if (files.size === expected.size && [...expected].every((path) => files.has(path))) return { id, files };
  throw new InputError("gh-pages did not commit exactly the site's files, so nothing was published.");
}

/**
 * Returns the committer that Git is configured to use in a folder, or a default, as in CI. Variables such as
 * GIT_AUTHOR_NAME override it.
 */
export async function userOf(git: Git, folder: string): Promise<CommitRequest["user"]> {
  const valueOf = async (key: string): Promise<string> =>
    (await git(["config", key], { folder })).output.toString().trim();
  return {
    name: (await valueOf("user.name")) || "mirrorfeed",
    email: (await valueOf("user.email")) || "mirrorfeed@localhost",
  };
}
