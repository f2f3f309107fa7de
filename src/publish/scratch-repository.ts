import { cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Environment, Input } from "../git/child-process.ts";
import { environmentWithoutUser, withSettings } from "../git/environment.ts";
import { type Bounds, gitWith, lineOf, outputOf } from "../git/git.ts";
import { type BranchFile, parseChanges, parseTree } from "./difference.ts";

/** The hash that names the objects of a repository. */
export type ObjectFormat = "sha1" | "sha256";

/** A folder with a bare repository that prepares a publication, apart from the user's configuration. */
export interface ScratchRepository {
  readonly folder: string;
  readonly repository: string;
  /** An empty repository for gh-pages to clone. */
  readonly blank: string;
  readonly format: ObjectFormat;
  /** The branch that gh-pages commits to. No file of the site has its name, which Git would confuse. */
  readonly branch: string;
  readonly environment: Environment;
  /**
   * Runs Git in the repository and returns what it prints. `failure` begins the sentence of the InputError it throws.
   */
  readonly git: (failure: string, parameters: readonly string[], input?: Input) => Promise<Buffer>;
}

/** gh-pages has Git count changed lines, except in files marked as binary. */
const attributes = "* -diff\n";

/**
 * Makes a scratch repository in a folder that does not exist yet. Throws InputError if Git fails, and the signal's
 * reason.
 */
export async function openScratchRepository(
  folder: string,
  format: ObjectFormat,
  user: Environment,
  { signal }: Bounds,
): Promise<ScratchRepository> {
  const repository = join(folder, "site.git");
  const blank = join(folder, "blank.git");
  const environment = isolated(user, folder, repository, format);
  mkdirSync(join(folder, "template", "info"), { recursive: true });
  // Git recognizes a clone whose objects are elsewhere only if it has this folder.
  mkdirSync(join(folder, "template", "objects"));
  writeFileSync(join(folder, "template", "info", "attributes"), attributes);
  const run = gitWith(environment, { signal });
  outputOf(await run(["init", "--quiet", "--bare", repository]), "git cannot make a repository");
  cpSync(repository, blank, { recursive: true });
  const git: ScratchRepository["git"] = async (failure, parameters, input) =>
    outputOf(await run(parameters, { repository, input }), failure);
  return { folder, repository, blank, format, branch: `site-${basename(folder)}`, environment, git };
}

/**
 * Returns an environment for Git and gh-pages that holds nothing of the user but their identity: no configuration, no
 * ignored files, no conversions. All files are inside `home`, and all objects in the one repository.
 */
function isolated(user: Environment, home: string, repository: string, format: ObjectFormat): Environment {
  const identity = Object.entries(user).filter(([name]) => /^GIT_(?:AUTHOR|COMMITTER)_/.test(name));
  return {
    ...withSettings(environmentWithoutUser(user)),
    ...Object.fromEntries(identity),
    HOME: home,
    XDG_CONFIG_HOME: home,
    CACHE_DIR: cacheOf(home),
    GIT_TEMPLATE_DIR: join(home, "template"),
    GIT_OBJECT_DIRECTORY: join(repository, "objects"),
    GIT_DEFAULT_HASH: format,
    GIT_LITERAL_PATHSPECS: "1",
  };
}

/** Returns the folder that gh-pages clones into. */
function cacheOf(home: string): string {
  return join(home, "cache");
}

/** Returns the files of a commit or a tree in the scratch repository. */
export async function filesOf({ git }: ScratchRepository, name: string): Promise<Map<string, BranchFile>> {
  const listed = await git("git cannot read the branch", ["ls-tree", "-r", "-z", "--full-tree", name]);
  return parseTree(listed.toString());
}

/** Returns the files of a commit that differ from those of an earlier one, the deleted ones too. */
export async function changesOf(
  { git }: ScratchRepository,
  before: string,
  after: string,
): Promise<Map<string, BranchFile>> {
  const compare = ["diff-tree", "-r", "-z", "--no-renames", before, after];
  return parseChanges((await git("git cannot read the site", compare)).toString());
}

/** Returns the content of a file in the scratch repository. */
export function contentOf({ git }: ScratchRepository, id: string): Promise<Buffer> {
  return git("git cannot read the branch", ["cat-file", "blob", id]);
}

/** Returns the size of a file's content in bytes, without reading the content. */
export async function sizeOf({ git }: ScratchRepository, id: string): Promise<number> {
  return Number(lineOf(await git("git cannot read the branch", ["cat-file", "-s", id])));
}

/** A commit of the branch. */
export interface Commit {
  readonly id: string;
  /** Whether it has parents, including those that were not fetched. */
  readonly hasParents: boolean;
}

/** Returns the commit that a ref of the scratch repository names. */
export async function commitOf({ git }: ScratchRepository, ref: string): Promise<Commit> {
  const printed = await git("git cannot read the branch", ["cat-file", "--batch"], `${ref}^{commit}\n`);
  const [id = ""] = printed.toString().split(" ", 1);
  const headers = printed.subarray(0, printed.indexOf("\n\n")).toString();
  return { id, hasParents: /^parent /m.test(headers) };
}

/** Returns whether two names of gitrevisions(7) name the same object in the scratch repository. */
export async function isSameObject({ git }: ScratchRepository, one: string, other: string): Promise<boolean> {
  const [first, second] = lineOf(await git("git cannot read the site", ["rev-parse", one, other])).split(
    "\n",
  );
  return first === second;
}

/** Returns the id of the last commit that gh-pages made in its clone. */
export async function lastCommit({ folder, git }: ScratchRepository): Promise<string> {
  const clones = join(cacheOf(folder), "gh-pages");
  const [clone = ""] = readdirSync(clones);
  const head = await git("gh-pages made no commit", [
    `--git-dir=${join(clones, clone, ".git")}`,
    "rev-parse",
    "HEAD",
  ]);
  return lineOf(head);
}
