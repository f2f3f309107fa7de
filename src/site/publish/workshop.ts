import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Environment, Input } from "../../child.ts";
import { environmentWithoutUser, withSettings } from "../../git-environment.ts";
import { type Bounds, gitWith, lineOf, outputOf } from "../../git.ts";
import { type BranchFile, readChanges, readTree } from "./difference.ts";

/** How a repository names its objects. */
export type ObjectFormat = "sha1" | "sha256";

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

/** Makes a workshop in a folder that is not there yet. Throws InputError where git cannot, and the signal's reason. */
export async function openWorkshop(
  folder: string,
  format: ObjectFormat,
  user: Environment,
  { signal }: Bounds,
): Promise<Workshop> {
  const repository = join(folder, "site.git");
  const blank = join(folder, "blank.git");
  const environment = isolated(user, folder, repository, format);
  mkdirSync(join(folder, "template", "info"), { recursive: true });
  // A clone whose objects are elsewhere is taken for a repository only where it has this folder.
  mkdirSync(join(folder, "template", "objects"));
  writeFileSync(join(folder, "template", "info", "attributes"), attributes);
  const run = gitWith(environment, { signal });
  for (const place of [repository, blank])
    outputOf(await run(["init", "--quiet", "--bare", place]), "git cannot make a repository");
  const git: Workshop["git"] = async (failure, parameters, input) =>
    outputOf(await run(parameters, { repository, input }), failure);
  return { folder, repository, blank, format, branch: `site-${basename(folder)}`, environment, git };
}

/**
 * The environment of a git, and of gh-pages, that knows nothing of the user but who they are: no configuration, no
 * ignored files, no conversions. Everything it keeps is inside `home`, and all objects are in the one repository.
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

/** The folder that gh-pages clones into. */
function cacheOf(home: string): string {
  return join(home, "cache");
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
  const empty = commit ?? lineOf(await git(failure, ["hash-object", "-t", "tree", "--stdin"]));
  return readChanges((await git(failure, ["diff-tree", "-r", "-z", "--no-renames", empty, tree])).toString());
}

/** The content of a file in the workshop's repository. */
export function contentOf({ git }: Workshop, id: string): Promise<Buffer> {
  return git("git cannot read the branch", ["cat-file", "blob", id]);
}

/** The id of the commit or the tree that a name stands for in the workshop's repository, as in gitrevisions(7). */
export async function idOf({ git }: Workshop, name: string): Promise<string> {
  return lineOf(await git("git cannot read the branch", ["rev-parse", "--verify", name]));
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
  return lineOf(head);
}
