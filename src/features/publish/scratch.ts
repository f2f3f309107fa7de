import { join } from "node:path";
import type { Environment } from "../../core/base/git/child-process.ts";
import { environmentWithoutUser, withSettings } from "../../core/base/git/git-environment.ts";
import { type Bounds, gitWith, outputOf } from "../../core/base/git/run-git.ts";

/** Runs Git in the scratch repository and returns its output. Throws InputError with a message that begins with `failure`. */
export type ScratchGit = (failure: string, parameters: readonly string[]) => Promise<Buffer>;

export type Scratch = Awaited<ReturnType<typeof openScratch>>;

const [name, email] = ["mirrorfeed", "mirrorfeed@localhost"];

/**
 * Creates a bare repository in a temporary folder. gh-pages clones it and pushes its commit back. Throws InputError if
 * Git fails, and the signal's reason if the signal is aborted.
 */
export async function openScratch(folder: string, user: Environment, { signal }: Bounds) {
  const repository = join(folder, "site.git");
  const identity = Object.entries(user).filter(([variable]) => /^GIT_(?:AUTHOR|COMMITTER)_/.test(variable));
  const environment = {
    ...withSettings(environmentWithoutUser(user)),
    ...{ GIT_AUTHOR_NAME: name, GIT_COMMITTER_NAME: name },
    ...{ GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_EMAIL: email },
    ...Object.fromEntries(identity),
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    // gh-pages keeps its clone here.
    CACHE_DIR: join(folder, "cache"),
    GIT_TEMPLATE_DIR: "",
    GIT_ALLOW_PROTOCOL: "file",
  };
  const run = gitWith(environment, { signal });
  outputOf(await run(["init", "--quiet", "--bare", repository]), "git cannot create a repository");
  const git: ScratchGit = async (failure, parameters) =>
    outputOf(await run(parameters, { repository }), failure);
  return { folder, repository, environment, git };
}

/** By path. `size` is in bytes, 0 for a submodule. */
export type CommittedFiles = ReadonlyMap<string, Readonly<{ mode: string; id: string; size: number }>>;

const treeLine = /^(?<mode>\d{6}) \w+ (?<id>[\da-f]{40,64}) +(?:(?<size>\d+)|-)\t(?<path>.+)$/s;

export async function filesOf(git: ScratchGit, commit: string): Promise<CommittedFiles> {
  const listed = await git("git cannot read the branch", ["ls-tree", "-rlz", "--full-tree", commit]);
  const lines = listed.toString().split("\0").slice(0, -1);
  return new Map(
    lines.map((line) => {
      const { mode, id, size, path } = treeLine.exec(line)?.groups ?? {};
      if (mode === undefined || id === undefined || path === undefined)
        throw new Error("This is not a Git tree.");
      return [path, { mode, id, size: Number(size ?? 0) }];
    }),
  );
}

/** Returns undefined if the file is missing or larger than `maxBytes`. */
export async function textOf(
  git: ScratchGit,
  files: CommittedFiles | undefined,
  path: string,
  maxBytes: number,
): Promise<string | undefined> {
  const file = files?.get(path);
  if (file === undefined || file.size > maxBytes) return undefined;
  return (await git("git cannot read the branch", ["cat-file", "blob", file.id])).toString();
}
