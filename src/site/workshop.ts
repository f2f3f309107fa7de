import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type BranchFile, readTree } from "./difference.ts";
import type { Environment } from "../git-remote.ts";
import { cacheOf, type Bounds, type Git, gitWith, isolated, type ObjectFormat, textOf } from "./git.ts";

/** A folder with a bare repository, in which a publication is prepared where nothing of the user reaches it. */
export interface Workshop {
  readonly folder: string;
  readonly repository: string;
  /** The branch of the repository for the site; no file of the site bears its name, which git would mix up. */
  readonly branch: string;
  readonly environment: Environment;
  /** Works in the repository and gives what it prints; `failure` begins the sentence of the InputError it throws. */
  readonly git: (failure: string, ...parameters: readonly string[]) => Promise<Buffer>;
}

/** A published .gitattributes is for those who read it, and changes no byte on the way. */
const noConversion = "* -text -ident -filter !eol !working-tree-encoding\n";

/** Makes a workshop in a folder that is not there yet. Throws InputError where git cannot. */
export async function openWorkshop(
  folder: string,
  format: ObjectFormat,
  environment: Environment,
  bounds: Bounds,
): Promise<Workshop> {
  const repository = join(folder, "site.git");
  const own = isolated(environment, folder, format);
  const run: Git = gitWith(own, bounds);
  mkdirSync(join(folder, "template", "info"), { recursive: true });
  writeFileSync(join(folder, "template", "info", "attributes"), noConversion);
  textOf(await run("init", "--quiet", "--bare", repository), "git cannot make a repository");
  return {
    folder,
    repository,
    branch: `site-${basename(folder)}`,
    environment: own,
    git: async (failure, ...parameters) => {
      const ended = await run(`--git-dir=${repository}`, ...parameters);
      textOf(ended, failure);
      return ended.output;
    },
  };
}

/** The files of a commit in the workshop's repository. */
export async function filesOf({ git }: Workshop, commit: string): Promise<Map<string, BranchFile>> {
  const listed = await git("git cannot read the branch", "ls-tree", "-r", "-z", "--full-tree", commit);
  return readTree(listed.toString());
}

/** The content of a file in the workshop's repository. */
export function contentOf({ git }: Workshop, id: string): Promise<Buffer> {
  return git("git cannot read the branch", "cat-file", "blob", id);
}

/** The id of the commit that a ref of the workshop's repository is at. */
export async function commitOf({ git }: Workshop, ref: string): Promise<string> {
  return (await git("git cannot read the branch", "rev-parse", "--verify", `${ref}^{commit}`))
    .toString()
    .trim();
}

/** Makes the last commit of gh-pages, which lies in its own clone, one that the workshop's repository has; gives its id. */
export async function adopt({ folder, repository, git }: Workshop): Promise<string> {
  const place = join(cacheOf(folder), "gh-pages");
  const [clone = ""] = readdirSync(place);
  const objects = join(place, clone, ".git", "objects");
  // Borrowed and not copied: see "alternates" in gitrepository-layout(5).
  writeFileSync(join(repository, "objects", "info", "alternates"), `${objects}\n`);
  const head = await git("gh-pages made no commit", `--git-dir=${join(objects, "..")}`, "rev-parse", "HEAD");
  return head.toString().trim();
}
