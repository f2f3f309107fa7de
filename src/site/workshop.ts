import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type BranchFile, readChanges, readTree } from "./difference.ts";
import type { Environment } from "../git-remote.ts";
import { cacheOf, type Bounds, isolated, type ObjectFormat, repositoryOf, textOf } from "./git.ts";
import { type Input, runProgram } from "./program.ts";

/** A folder with a bare repository, in which a publication is prepared where nothing of the user reaches it. */
export interface Workshop {
  readonly folder: string;
  readonly repository: string;
  /** Another one, empty, for gh-pages to clone. */
  readonly blank: string;
  readonly format: ObjectFormat;
  /** The branch for gh-pages to commit to; no file of the site bears its name, which git would mix up. */
  readonly branch: string;
  readonly environment: Environment;
  /** Works in the repository and gives what it prints; `failure` begins the sentence of the InputError it throws. */
  readonly git: (failure: string, parameters: readonly string[], input?: Input) => Promise<Buffer>;
}

/** gh-pages lets git count the lines of what it commits, which it does not where they are taken for no text. */
const attributes = "* -diff\n";

/** Makes a workshop in a folder that is not there yet. Throws InputError where git cannot. */
export async function openWorkshop(
  folder: string,
  format: ObjectFormat,
  user: Environment,
  { signal }: Bounds,
): Promise<Workshop> {
  const repository = repositoryOf(folder);
  const blank = join(folder, "blank.git");
  const environment = isolated(user, folder, format);
  mkdirSync(join(folder, "template", "info"), { recursive: true });
  // A clone whose objects are elsewhere is taken for a repository only where it has this folder.
  mkdirSync(join(folder, "template", "objects"));
  writeFileSync(join(folder, "template", "info", "attributes"), attributes);
  const run: Workshop["git"] = async (failure, parameters, input) => {
    const ended = await runProgram({ program: "git", parameters, environment, input, signal });
    textOf(ended, failure);
    return ended.output;
  };
  for (const place of [repository, blank])
    await run("git cannot make a repository", ["init", "--quiet", "--bare", place]);
  const git: Workshop["git"] = (failure, parameters, input) =>
    run(failure, [`--git-dir=${repository}`, ...parameters], input);
  return { folder, repository, blank, format, branch: `site-${basename(folder)}`, environment, git };
}

/** The files of a commit in the workshop's repository. */
export async function filesOf({ git }: Workshop, commit: string): Promise<Map<string, BranchFile>> {
  const listed = await git("git cannot read the branch", ["ls-tree", "-r", "-z", "--full-tree", commit]);
  return readTree(listed.toString());
}

/** What a tree has otherwise than a commit (undefined: than nothing), and what is gone. */
export async function changesOf(
  { git }: Workshop,
  commit: string | undefined,
  tree: string,
): Promise<Map<string, BranchFile>> {
  const failure = "git cannot read the site";
  const empty = commit ?? (await git(failure, ["hash-object", "-t", "tree", "--stdin"])).toString().trim();
  return readChanges((await git(failure, ["diff-tree", "-r", "-z", "--no-renames", empty, tree])).toString());
}

/** The content of a file in the workshop's repository. */
export function contentOf({ git }: Workshop, id: string): Promise<Buffer> {
  return git("git cannot read the branch", ["cat-file", "blob", id]);
}

/** The id of the commit or the tree that a name stands for in the workshop's repository, as in gitrevisions(7). */
export async function idOf({ git }: Workshop, name: string): Promise<string> {
  const id = await git("git cannot read the branch", ["rev-parse", "--verify", name]);
  return id.toString().trim();
}

/** The id of the last commit that gh-pages has made in its own clone. */
export async function committed({ folder, git }: Workshop): Promise<string> {
  const place = join(cacheOf(folder), "gh-pages");
  const [clone = ""] = readdirSync(place);
  const head = await git("gh-pages made no commit", [
    `--git-dir=${join(place, clone, ".git")}`,
    "rev-parse",
    "HEAD",
  ]);
  return head.toString().trim();
}
