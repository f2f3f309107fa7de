import { access } from "node:fs/promises";
import { join } from "node:path";
import type { Environment, Input } from "../../core/base/git/child-process.ts";
import { InputError } from "../../core/base/errors.ts";
import { gitWith, outputOf } from "../../core/base/git/run-git.ts";

/** Throws InputError if Git fails or is missing. */
export type PrintingGit = (parameters: readonly string[], input?: Input) => Promise<string>;

export function printingGit(environment: Environment, signal: AbortSignal): PrintingGit {
  const git = gitWith(environment, { signal });
  return async (parameters, input) => {
    const ended = await git(parameters, { input });
    return outputOf(ended, `git ${parameters.join(" ")} failed`)
      .toString()
      .trim();
  };
}

/** Throws InputError if Git or its HTTP server is missing; some systems package the server separately. */
export async function requireGit(git: PrintingGit): Promise<void> {
  const program = join(await git(["--exec-path"]), "git-http-backend");
  try {
    await access(program);
  } catch (error) {
    throw new InputError(
      `The demo needs git http-backend, but there is no ${program}; install the package that contains it (on Alpine, git-daemon).`,
      { cause: error },
    );
  }
}

/** A bare repository. */
export interface Repository {
  readonly folder: string;
  /** The branch with the commits. */
  readonly branch: string;
  /** The branch's newest commit when this object was made; undefined for an empty repository. */
  readonly head: string | undefined;
}

/**
 * Creates each repository as `<name>.git` in a folder. Commits depend only on their number, subject and parent, so the
 * object ids are the same on every machine. Throws InputError if Git is missing.
 */
export async function createRepositories(git: PrintingGit, below: string) {
  const make = async (name: string, subjects: readonly string[], branch = "main"): Promise<Repository> => {
    const folder = join(below, `${name}.git`);
    await git(["init", "--quiet", "--bare", "--template=", folder]);
    // Older versions of Git have no `init --initial-branch`.
    await git(["-C", folder, "symbolic-ref", "HEAD", `refs/heads/${branch}`]);
    if (subjects.length === 0) return { folder, branch, head: undefined };
    const commits = subjects.map((subject, index) => commit(branch, subject, index + 1));
    return { folder, branch, head: await importCommits(git, folder, commits) };
  };
  const three = ["Commit 1", "Commit 2", "Commit 3"];
  return {
    good: await make("good", three),
    identical: await make("identical", three),
    lagging: await make("lagging", three.slice(0, 2)),
    diverged: await make("diverged", ["Commit 1", "Commit 2", "Elsewhere 3"]),
    empty: await make("empty", []),
    otherBranch: await make("other-branch", three, "trunk"),
  };
}

/**
 * Adds a commit to a repository's branch and returns the updated repository. Repositories with equal histories get the
 * same commit: if you add one to `lagging`, its new head is the one that `good` was created with.
 */
export async function addCommit(git: PrintingGit, repository: Repository): Promise<Repository> {
  const { folder, branch } = repository;
  const ids = await git(["-C", folder, "rev-list", "--all"]);
  const [parent = "", ...older] = ids.split("\n");
  const number = parent === "" ? 1 : older.length + 2;
  const added = commit(branch, `Commit ${number}`, number, parent);
  return { ...repository, head: await importCommits(git, folder, [added]) };
}

/** Returns the id of the last commit. */
function importCommits(git: PrintingGit, folder: string, commits: readonly string[]): Promise<string> {
  return git(["-C", folder, "fast-import", "--quiet"], `${commits.join("")}get-mark :1\n`);
}

/** Renders a commit for `git fast-import`. All text is ASCII, so its length is its size in bytes. */
function commit(branch: string, subject: string, number: number, parent = ""): string {
  const author = `Testbed <testbed@mirrorfeed.invalid> ${1_767_225_600 + number * 3600} +0000`;
  return [
    `commit refs/heads/${branch}`,
    "mark :1",
    `author ${author}`,
    `committer ${author}`,
    data(`${subject}\n`),
    ...(parent === "" ? [] : [`from ${parent}`]),
    "M 100644 inline README.md",
    data(`# A repository of the testbed\n\n${subject}\n`),
    "",
  ].join("\n");
}

function data(text: string): string {
  return `data ${text.length}\n${text}`;
}
