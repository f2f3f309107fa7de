import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, vi } from "vitest";
import { git, gitEnvironment } from "./git.ts";
import {
  type PublishContext,
  type PublishRequest,
  type Publication,
  publishSite,
} from "../../src/features/publish/publish.ts";
import { parseRemote } from "../../src/core/base/git/remote.ts";
import { sentence } from "./command-context.ts";
import { pages, writtenSite } from "./folder.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Gives a test file its own temporary folder, so that tests can see what publications leave behind. */
export function isolateTemporaryFiles(): void {
  beforeAll(() => {
    vi.stubEnv("TMPDIR", temporaryFolder());
  });
  afterAll(() => {
    vi.unstubAllEnvs();
  });
}

export type Changes = Partial<Omit<PublishRequest, "remote"> & PublishContext> & { readonly remote: string };

export async function publish({ remote, ...changes }: Changes): Promise<Publication> {
  const order: PublishRequest = {
    out: changes.out ?? writtenSite(pages),
    remote: parseRemote(remote),
    branch: "gh-pages",
    history: false,
    // Most tests publish over a branch that has no feed, which mirrorfeed refuses without this option: see
    // foreign-branch.test.ts.
    replace: true,
    message: "The site",
    ...changes,
  };
  const interrupt = new AbortController().signal;
  return publishSite(order, { environment: gitEnvironment, interrupt, log: () => undefined, ...changes });
}

/** Returns the message of the InputError that a publication throws. */
export function failure(changes: Changes): Promise<string> {
  return sentence(publish(changes));
}

/** Returns a branch's files by path, as trimmed text. */
export async function branchFiles(remote: string, branch = "gh-pages"): Promise<Record<string, string>> {
  const listed = await git(["-C", remote, "ls-tree", "-r", "-z", branch]);
  const files = listed.split("\0").filter((line) => line !== "");
  const ids = files.map((line) => line.split(/[ \t]/, 3)[2]);
  let rest = Buffer.from(await git(["-C", remote, "cat-file", "--batch"], `${ids.join("\n")}\n`));
  return Object.fromEntries(
    files.map((line) => {
      const start = rest.indexOf("\n") + 1;
      const end = start + Number(rest.toString("latin1", 0, start).split(" ")[2]);
      const text = rest.toString("utf8", start, end).trim();
      rest = rest.subarray(end + 1);
      return [line.slice(line.indexOf("\t") + 1), text];
    }),
  );
}

export async function log(remote: string, format = "%H", branch = "gh-pages"): Promise<string[]> {
  return (await git(["-C", remote, "log", `--format=${format}`, branch])).split("\n");
}

/** Commits exactly these files as another user, points a ref to the commit, and returns the commit's id. */
export async function publishElsewhere(
  remote: string,
  files: Readonly<Record<string, string>>,
  { mode = "100644", parent = "", ref = "refs/heads/gh-pages" } = {},
): Promise<string> {
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const commands = [
    `commit ${ref}\nmark :1\ncommitter Other <other@localhost> 1700000000 +0000\n${data("Elsewhere")}`,
    parent === "" ? "" : `from ${parent}\ndeleteall\n`,
    ...Object.entries(files).map(([path, text]) => `M ${mode} inline ${path}\n${data(text)}`),
  ];
  // By default, Git writes all objects twice: into a pack, and then as files.
  const fastImport = ["-c", "fastimport.unpackLimit=0", "-C", remote, "fast-import", "--quiet", "--force"];
  return git(fastImport, `${commands.join("")}get-mark :1\n`);
}

/** Makes a repository run this script on each push. */
export function setHook(remote: string, script: string): void {
  const file = join(remote, "hooks", "pre-receive");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

/**
 * Moves the branch to the next of these commits during each push: after mirrorfeed has fetched, and before the remote
 * compares the branch with what mirrorfeed expects.
 */
export function overtake(remote: string, commits: readonly string[]): void {
  writeFileSync(join(remote, "commits"), commits.map((commit) => `${commit}\n`).join(""));
  setHook(
    remote,
    `unset GIT_QUARANTINE_PATH
read commit < commits || exit 0
sed -i 1d commits
git update-ref refs/heads/gh-pages "$commit"`,
  );
}

/** Returns a minimal heartbeat, which marks a branch as a feed. */
export function heartbeat(generated_at = "2026-11-21T10:00:00.000Z") {
  const document = { run: "1", generated_at, nodes: [{ id: 1, status: 1 }] };
  return { "v1/report/index.json": `${JSON.stringify(document)}\n` };
}

/** Waits until a publication has cloned the branch, and is about to commit. */
export async function untilCloned(): Promise<void> {
  const hasClone = (name: string) => existsSync(join(tmpdir(), name, "1/cache/gh-pages"));
  while (!readdirSync(tmpdir()).some(hasClone)) await setTimeout(1);
}
