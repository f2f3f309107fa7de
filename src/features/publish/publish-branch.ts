import { InputError } from "../../core/base/errors.ts";
import { type Git, lineOf, outputOf, reasonOf, withPackLimit } from "../../core/base/git/run-git.ts";
import type { Remote } from "../../core/base/git/remote.ts";
import { quote } from "../../core/base/text/quote.ts";
import { filesOf, type Scratch } from "./scratch.ts";

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
