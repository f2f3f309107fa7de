import { InputError } from "../../core/base/errors.ts";
import {
  type Bounds,
  environmentWithoutUser,
  type Git,
  gitWith,
  lineOf,
  outputOf,
  reasonOf,
  withPackLimit,
  withSettings,
} from "../../core/base/git/run-git.ts";
import type { Remote } from "../../core/base/git/remote.ts";
import { quote } from "../../core/base/text/quote.ts";
import { join } from "node:path";
import type { Environment } from "../../core/base/git/child-process.ts";

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

/** The branch's newest commit, in the scratch repository. Its parents are not fetched. */
export type Tip = Awaited<ReturnType<typeof fetchTip>>;

const tipRef = "refs/tip";

export type Branch = Awaited<ReturnType<typeof openBranch>>;

/** `git` has the remote's credentials. Throws InputError if the name is not valid. */
export async function openBranch(remote: Remote, name: string, git: Git) {
  const ref = `refs/heads/${name}`;
  const { code } = await git(["check-ref-format", ref]);
  if (code !== 0 || /^(?:-|refs\/|HEAD$)/.test(name))
    throw new InputError(`${quote(name)} is not a valid branch name; use a different one with --branch.`);
  /** Text that names the branch and its remote, for the start of a sentence. */
  const label = `The branch ${quote(name)} of ${quote(remote.address)}`;
  return { remote, ref, git, label };
}

/** Returns undefined if the branch does not exist. Throws InputError if the remote cannot be read. */
export async function readHead({ remote, ref, git }: Branch, folder: string): Promise<string | undefined> {
  // Keeps Git from searching parent folders: in /tmp, anyone can make a repository that runs programs.
  const listed = await git(["ls-remote", "--", remote.address, ref], { repository: folder });
  const lines = lineOf(outputOf(listed, failureOf(remote, "cannot be read"))).split("\n");
  return lines.map((line) => line.split("\t")).find(([, name]) => name === ref)?.[0];
}

/**
 * Fetches the branch's newest commit, which is never checked out. Throws InputError if that fails, or if the commit
 * takes more than `maxBytes`.
 */
export async function fetchTip(branch: Branch, { repository, git }: Scratch, maxBytes: number) {
  const { remote, ref, label } = branch;
  const excess = new InputError(
    `${label} holds more than ${maxBytes / 1024 / 1024} MiB, so nothing was published; use a different branch with --branch.`,
  );
  const options = ["--progress", "--no-tags", "--depth=1", "--no-write-fetch-head"];
  const parameters = ["fetch", ...options, "--", remote.address, `+${ref}:${tipRef}`];
  const fetched = await withPackLimit(repository, maxBytes, excess, (signal) =>
    branch.git(parameters, { repository, signal }),
  );
  outputOf(fetched, failureOf(remote, "cannot be fetched from"));
  const failure = "git cannot read the branch";
  const id = lineOf(await git(failure, ["rev-parse", `${tipRef}^{commit}`]));
  const [headers = ""] = (await git(failure, ["cat-file", "commit", id])).toString().split("\n\n", 1);
  return { id, hasParents: /^parent /m.test(headers), files: await filesOf(git, id) };
}

/**
 * Replaces the branch's commit `before` (undefined if there is no branch) with `commit`, as an atomic compare-and-swap
 * on the remote. Returns false if the branch has changed in the meantime. Throws InputError if the remote refuses.
 */
export async function push(
  branch: Branch,
  { folder, repository }: Scratch,
  commit: string,
  before?: string,
): Promise<boolean> {
  const { remote, ref, git } = branch;
  const options = ["--porcelain", "--progress", `--force-with-lease=${ref}:${before ?? ""}`];
  const pushed = await git(["push", ...options, "--", remote.address, `${commit}:${ref}`], { repository });
  if (pushed.code === 0) return true;
  // Read the branch again, because the answer to a push can get lost, and each remote words its rejections differently.
  const head = await readHead(branch, folder);
  if (head !== before) return head === commit;
  throw new InputError(`${failureOf(remote, "refused the site")}: ${reasonOf(pushed)}.`);
}

/**
 * Returns the start of an error message. It says what to check, because a remote explains little to someone without
 * access.
 */
function failureOf({ address, origin }: Remote, what: string): string {
  const look = origin === undefined ? "your permission to push" : "the token in MIRRORFEED_TOKEN";
  return `${quote(address)} ${what} (check the address and ${look})`;
}
