import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import * as z from "zod";
import { git } from "./git.ts";
import type { GitHub } from "./actions.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const checkout = join(import.meta.dirname, "../..");

/** The repository of a substitute for GitHub. */
type Repository = Pick<GitHub, "folder" | "origin">;

/** Creates a repository on this machine with the workflows of this one, and with another mirrors.json. */
export async function createGitHub(mirrors: string): Promise<GitHub> {
  const folder = temporaryFolder("mirrorfeed-github-");
  const origin = join(folder, "origin.git");
  await git(["init", "--quiet", "--bare", "--template=", "--initial-branch=main", origin]);
  cpSync(join(checkout, ".github/workflows"), join(folder, "author/.github/workflows"), { recursive: true });
  await commitMirrors({ folder, origin }, mirrors);
  return { folder, origin, token: "ghs_TokenThatMustStaySecret", artifacts: [], deployments: [] };
}

/** Copies such a repository with its artifacts and deployments, without the working copies of its jobs. */
export function copyGitHub(original: GitHub): GitHub {
  const folder = temporaryFolder("mirrorfeed-github-");
  const isKept = (path: string): boolean => !basename(path).startsWith("job-");
  cpSync(original.folder, folder, { recursive: true, filter: isKept });
  const moved = (path: string): string => path.replace(original.folder, folder);
  return {
    ...original,
    folder,
    origin: moved(original.origin),
    artifacts: original.artifacts.map((artifact) => ({ ...artifact, folder: moved(artifact.folder) })),
    deployments: original.deployments.map(moved),
  };
}

/** Commits another mirrors.json to main. */
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

/** Replaces `npm ci` in a script by a link to the program of this checkout, which takes no time. */
export function withoutInstallation(script: string): string {
  return script === "npm ci" ? `ln -s "${join(checkout, "dist")}" dist` : script;
}

const stateDocument = z.object({
  runs: z.array(z.tuple([z.string(), z.number()])),
  vantages: z.record(z.string(), z.unknown()),
});

/** Returns the head of the state's branch, its number of commits, and its files. */
export async function stateBranch({ origin }: GitHub) {
  const show = (...parameters: string[]): Promise<string> => git(["--git-dir", origin, ...parameters]);
  const commits = (await show("rev-list", "mirrorfeed-state")).split("\n");
  return {
    head: commits[0],
    commits: commits.length,
    files: await show("ls-tree", "-r", "--name-only", "mirrorfeed-state"),
    state: stateDocument.parse(JSON.parse(await show("show", "mirrorfeed-state:state.json"))),
  };
}

export async function hasStateBranch({ origin }: GitHub): Promise<boolean> {
  return (await git(["--git-dir", origin, "branch", "--list", "mirrorfeed-state"])) !== "";
}

const targetDocument = z.object({ network: z.array(z.object({ id: z.number(), status: z.number() })) });

/** Returns the last deployed statuses of a target by the ids of its nodes. */
export function deployedStatuses({ deployments }: GitHub, target: string): Record<number, number> {
  const file = join(deployments.at(-1) ?? "", "v1/network", target, "index.json");
  const { network } = targetDocument.parse(JSON.parse(readFileSync(file, "utf8")));
  return Object.fromEntries(network.map(({ id, status }) => [id, status]));
}

/** Returns the files that contain the token. */
export function filesWithToken({ folder, token }: GitHub): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(token));
}
