import { basename, join } from "node:path";
import { execPath } from "node:process";
import { InputError } from "../../core/base/errors.ts";
import { packageFolder } from "../../core/base/files/package.ts";
import { runChildProcess } from "../../core/base/git/child-process.ts";
import { lineOf, outputOf } from "../../core/base/git/run-git.ts";
import { sitePaths } from "../../core/site/site-paths.ts";
import { requireOwnSums } from "../trust/signing.ts";
import { filesOf, type Scratch, textOf, type Tip } from "./publish-branch.ts";

export interface CommitRequest {
  readonly out: string;
  /** Adds a commit to the branch instead of replacing its commits. */
  readonly history: boolean;
  readonly message: string;
}

/** A commit in the scratch repository. */
export type Commit = Awaited<ReturnType<typeof commitFolder>>;

/** Without this file, GitHub Pages drops some files and changes others. */
const noJekyll = ".nojekyll";

/** The file with a Pages site's domain. GitHub's settings page writes it to the branch. */
const domain = "CNAME";
const maxDomainBytes = 1024;

/**
 * Makes gh-pages commit the site in the folder `out`, together with `.nojekyll`. If the folder has no CNAME, the tip's
 * CNAME is kept. Throws InputError if that fails, if the site has changed after it was signed, or if the commit does not
 * contain exactly these files.
 */
export async function commitFolder(
  { out, history, message }: CommitRequest,
  tip: Tip | undefined,
  { folder, repository, environment, git }: Scratch,
  signal: AbortSignal,
) {
  const paths = sitePaths(out);
  requireOwnSums(out, paths);
  const cname = await textOf(git, tip?.files, domain, maxDomainBytes);
  const expected = new Set([...paths, noJekyll, ...(cname === undefined ? [] : [domain])]);
  // The name is random, because Git confuses a branch with a file of the same name.
  const branch = basename(join(folder, ".."));
  // The built gh-pages.ts.
  const program = join(packageFolder, "dist/gh-pages.cjs");
  const options = { folder: out, repo: repository, branch, message, ...(cname !== undefined && { cname }) };
  const ended = await runChildProcess({
    program: execPath,
    homepage: "https://nodejs.org",
    parameters: [program, ...Object.entries(options).map(([key, value]) => `--${key}=${value}`)],
    environment,
    signal,
  });
  outputOf(ended, "gh-pages cannot make the commit");
  const made = `refs/heads/${branch}`;
  const files = await filesOf(git, made);
  if (files.size !== expected.size || ![...expected].every((path) => files.has(path)))
    throw new InputError("gh-pages did not commit exactly the site's files, so nothing was published.");
  // The scratch repository has no branches, so the commit of gh-pages has no parent.
  const parameters =
    history && tip ? ["commit-tree", `${made}^{tree}`, "-p", tip.id, "-m", message] : ["rev-parse", made];
  return { id: lineOf(await git("git cannot make the commit", parameters)), files };
}
