import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { git } from "./git.ts";
import type { GitHub } from "./actions.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const checkout = join(import.meta.dirname, "../..");

/** Creates a repository on this machine from this one as a template, with another mirrors.json. */
export async function createGitHub(mirrors: string): Promise<GitHub> {
  const folder = temporaryFolder("mirrorfeed-github-");
  const origin = join(folder, "origin.git");
  await git(["init", "--quiet", "--bare", "--initial-branch=main", origin]);
  const author = join(folder, "author");
  await git(["clone", "--quiet", origin, author]);
  cpSync(join(checkout, ".github"), join(author, ".github"), { recursive: true });
  await commitMirrors({ folder, origin }, mirrors);
  return { folder, origin, token: "ghs_TokenThatMustStaySecret", artifacts: [], deployments: [] };
}

/** Pushes another mirrors.json to main. */
export async function commitMirrors(
  { folder }: Pick<GitHub, "folder" | "origin">,
  mirrors: string,
): Promise<void> {
  const author = join(folder, "author");
  writeFileSync(join(author, "mirrors.json"), mirrors);
  await git(["-C", author, "add", "--all"]);
  const identity = ["-c", "user.name=author", "-c", "user.email=author@example.org"];
  await git(["-C", author, ...identity, "commit", "--quiet", "--message=Mirrors"]);
  await git(["-C", author, "push", "--quiet", "origin", "HEAD:main"]);
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
  return {
    head: await show("rev-parse", "mirrorfeed-state"),
    commits: Number(await show("rev-list", "--count", "mirrorfeed-state")),
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
