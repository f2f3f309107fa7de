import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { git, gitEnvironment } from "../../support/git.ts";
import { startTestbed } from "../../support/start-testbed.ts";

const run = promisify(execFile);
const direct = { env: { ...gitEnvironment, no_proxy: "*" } };

const testbed = await startTestbed();
let folder: string;
let root: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mirrorfeed-test-"));
  root = (await testbed.startServer(testbed.gitServer(testbed.folder))).url;
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function listed(url: string): Promise<[name: string | undefined, id: string | undefined][]> {
  const { stdout } = await run("git", ["ls-remote", url], direct);
  const lines = stdout.split("\n").filter((line) => line !== "");
  return lines.map((line) => line.split("\t")).map(([id, name]) => [name, id]);
}

test("git clones from it, and fetches a commit that is pushed later", async () => {
  const { lagging, good } = testbed.repositories;
  const provider = await testbed.startProvider();
  const mirror = provider.mount("joomla/super-powers", testbed.gitServer(lagging.folder));
  const clone = join(folder, "clone");
  await run("git", ["clone", "--quiet", mirror.url, clone], direct);
  expect(await readFile(join(clone, "README.md"), "utf8")).toContain("Commit 2");
  expect(await testbed.addCommit(lagging)).toEqual({ ...lagging, head: good.head });
  await run("git", ["-C", clone, "-c", "protocol.version=0", "pull", "--quiet"], direct);
  expect(await git(["-C", clone, "rev-parse", "HEAD"])).toBe(good.head);
  expect(provider.requests).toBeGreaterThanOrEqual(4);
});

test("each repository lists the refs its name tells of", async () => {
  const { good, diverged, otherBranch } = testbed.repositories;
  const main = (id = "") => [
    ["HEAD", id],
    ["refs/heads/main", id],
  ];
  expect(good.head).toMatch(/^[0-9a-f]{40}$/);
  expect(await listed(`${root}/good.git`)).toEqual(main(good.head));
  expect(await listed(`${root}/good`)).toEqual(main(good.head));
  expect(await listed(`${root}/identical.git`)).toEqual(main(good.head));
  expect(await listed(`${root}/diverged.git`)).toEqual(main(diverged.head));
  expect(diverged.head).not.toBe(good.head);
  expect(await listed(`${root}/empty.git`)).toEqual([]);
  expect(await listed(`${root}/other-branch.git`)).toEqual([
    ["HEAD", otherBranch.head],
    ["refs/heads/trunk", otherBranch.head],
  ]);
});

test("what is not there is 404, and pushing is refused", async () => {
  const ask = async (path: string) => (await fetch(`${root}${path}`)).status;
  expect(await ask("/nothing.git/info/refs?service=git-upload-pack")).toBe(404);
  expect(await ask("/good.git/info/refs?service=git-receive-pack")).toBe(403);
  expect(await ask("/%2e%2e%2fgood.git/info/refs?service=git-upload-pack")).not.toBe(200);
});
