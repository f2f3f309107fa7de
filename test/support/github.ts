import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import * as z from "zod";
import { git } from "./git.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const checkout = join(import.meta.dirname, "../..");

/** A substitute for the secret GITHUB_TOKEN. */
export const token = "ghs_TokenThatMustStaySecret";

/** A local repository in place of one on GitHub. */
export interface Repository {
  /** Contains the bare repository, the jobs' working copies, and `author`, a folder with the files to commit. */
  readonly folder: string;
  /** The path of the bare repository. */
  readonly origin: string;
}

/** Creates a repository with this repository's workflows and the given mirrors.json. */
export async function createRepository(mirrors: string): Promise<Repository> {
  const folder = temporaryFolder("mirrorfeed-github-");
  const origin = join(folder, "origin.git");
  await git(["init", "--quiet", "--bare", "--template=", "--initial-branch=main", origin]);
  cpSync(join(checkout, ".github/workflows"), join(folder, "author/.github/workflows"), { recursive: true });
  await commitMirrors({ folder, origin }, mirrors);
  return { folder, origin };
}

/** Copies a repository without its jobs' working copies. */
export function copyRepository(original: Repository): Repository {
  const folder = temporaryFolder("mirrorfeed-github-");
  const isKept = (path: string): boolean => !basename(path).startsWith("job-");
  cpSync(original.folder, folder, { recursive: true, filter: isKept });
  return { folder, origin: join(folder, basename(original.origin)) };
}

export async function commitMirrors(repository: Repository, mirrors: string): Promise<void> {
  writeFileSync(join(repository.folder, "author/mirrors.json"), mirrors);
  await commitAll(repository, "Mirrors");
}

/** Commits all files of the folder `author` to main. */
export async function commitAll({ folder, origin }: Repository, message: string): Promise<void> {
  const work = ["--git-dir", origin, "--work-tree", join(folder, "author")];
  await git([...work, "add", "--all"]);
  const identity = ["-c", "user.name=author", "-c", "user.email=author@example.org"];
  await git([...work, ...identity, "commit", "--quiet", `--message=${message}`]);
}

const stateDocument = z.object({
  runs: z.array(z.tuple([z.string(), z.number()])),
  vantages: z.record(z.string(), z.unknown()),
});

export async function stateBranch({ origin }: Repository) {
  const show = (...parameters: string[]): Promise<string> => git(["--git-dir", origin, ...parameters]);
  const commits = (await show("rev-list", "mirrorfeed-state")).split("\n");
  const state = stateDocument.parse(JSON.parse(await show("show", "mirrorfeed-state:state.json")));
  return {
    head: commits[0],
    commits: commits.length,
    files: await show("ls-tree", "-r", "--name-only", "mirrorfeed-state"),
    state,
    runs: state.runs.map(([id]) => id),
  };
}

export async function branchesOf({ origin }: Repository): Promise<string[]> {
  return (await git(["--git-dir", origin, "branch", "--format=%(refname:short)"])).split("\n");
}

const targetDocument = z.object({ network: z.array(z.object({ id: z.number(), status: z.number() })) });

/** Reads a target's statuses from a site, by node id. */
export function statusesIn(site: string, target: string): Record<number, number> {
  const file = join(site, "v1/network", target, "index.json");
  const { network } = targetDocument.parse(JSON.parse(readFileSync(file, "utf8")));
  return Object.fromEntries(network.map(({ id, status }) => [id, status]));
}

export function filesWith(text: string, folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text));
}
