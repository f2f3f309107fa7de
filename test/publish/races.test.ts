import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, gitEnvironment } from "../support/git.ts";
import { makeTree } from "../../src/publish/site-tree.ts";
import { readSite, takeSnapshot } from "../../src/publish/snapshot.ts";
import {
  filesOf,
  openScratchRepository,
  type ScratchRepository,
} from "../../src/publish/scratch-repository.ts";
import { writeSite } from "../../src/site/write.ts";
import { pages, site, writtenSite } from "../support/folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { newRemote } from "../support/new-remote.ts";
import {
  branchFiles,
  failure,
  log,
  overtake,
  publish,
  publishElsewhere,
  isolateTemporaryFiles,
} from "../support/publishing.ts";

isolateTemporaryFiles();

const heartbeat = (timestamp: string) => ({ "v1/report/index.json": `{"generated_at":"${timestamp}"}` });
const ten = heartbeat("2026-11-21T10:00:00.000Z");
const eleven = heartbeat("2026-11-21T11:00:00.000Z");
const ref = "refs/elsewhere/one";

async function title(remote: string): Promise<string | undefined> {
  return (await branchFiles(remote))["index.html"];
}

test("who is overtaken publishes on top of the other, having seen it", async () => {
  const remote = await newRemote();
  const first = await publishElsewhere(remote, { "index.html": "first" });
  const theirs = await publishElsewhere(remote, { "theirs.html": "x", CNAME: "a.b" }, { ref, parent: first });
  overtake(remote, [theirs]);
  const logged: string[] = [];
  const { commit, removed } = await publish({ remote, history: true, log: (text) => logged.push(text) });
  expect(await log(remote)).toEqual([commit, theirs, first]);
  expect(removed).toBe(1);
  expect(await branchFiles(remote)).toMatchObject({ CNAME: "a.b", ".nojekyll": "" });
  expect(logged).toEqual(["The site or the branch gh-pages changed meanwhile; looking again."]);
});

test("who is overtaken in the first publication of all starts again too", async () => {
  const remote = await newRemote();
  overtake(remote, [await publishElsewhere(remote, { "theirs.html": "x" }, { ref })]);
  expect(await publish({ remote })).toMatchObject({ published: true, removed: 1 });
  expect(await log(remote)).toHaveLength(1);
});

test("who is overtaken by the same site is done", async () => {
  const remote = await newRemote();
  await publishElsewhere(remote, { "index.html": "first" });
  const same = await publishElsewhere(remote, { ...pages, ".nojekyll": "" }, { ref });
  overtake(remote, [same]);
  expect(await publish({ remote })).toMatchObject({ published: false, commit: same });
  expect(await log(remote)).toEqual([same]);
});

test("who is overtaken by a newer site gives up, and by an older one does not", async () => {
  const remote = await newRemote();
  await publishElsewhere(remote, { "index.html": "first" });
  const newer = await publishElsewhere(remote, { "index.html": "newer", ...eleven }, { ref });
  overtake(remote, [newer]);
  const out = writtenSite({ "index.html": "new", ...ten });
  expect(await failure({ remote, out })).toBe(
    `Meanwhile a newer site was published to gh-pages; ${out} is older and was not.`,
  );
  expect(await log(remote)).toEqual([newer]);
  const older = await publishElsewhere(remote, { "index.html": "older", ...ten }, { ref });
  overtake(remote, [older]);
  await publish({ remote, out: writtenSite({ "index.html": "new", ...eleven }) });
  expect(await title(remote)).toBe("new");
});

test("who is overtaken again and again gives up, and every other commit stands", async () => {
  const remote = await newRemote();
  const commits: string[] = [];
  for (let number = 0; number < 8; number += 1) {
    const parent = commits.at(-1) ?? "";
    commits.push(await publishElsewhere(remote, { "index.html": `${number}` }, { ref, parent }));
  }
  overtake(remote, commits);
  expect(await failure({ remote })).toMatch(/changed at each of 6 attempts; publish again later\.$/);
  expect(await log(remote)).toEqual(commits.slice(0, 6).reverse());
});

test("three at once: each commit is on top of one that was seen, and none is lost", async () => {
  const remote = await newRemote();
  const titles = ["one", "two", "three"];
  await Promise.all(
    titles.map((text) => publish({ remote, history: true, out: writtenSite({ "index.html": text }) })),
  );
  const shown = (await log(remote)).map((commit) => git(["-C", remote, "show", `${commit}:index.html`]));
  expect((await Promise.all(shown)).sort()).toEqual([...titles].sort());
});

async function newScratchRepository(): Promise<ScratchRepository> {
  const bounds = { signal: new AbortController().signal, silenceMs: 60_000 };
  return openScratchRepository(join(temporaryFolder(), "scratch"), "sha1", gitEnvironment, bounds);
}

test.each([
  { title: "written to", next: { ...pages, "index.html": "new" } },
  { title: "taken away in part", next: { "index.html": "newer" } },
])("a site that is $title while it is read is read again", async ({ next }) => {
  const out = writtenSite(pages);
  const { signal } = new AbortController();
  const reading = readSite(out, "sha1", signal);
  writeSite(out, site(next));
  expect(await reading).toBeUndefined();
  const files = await readSite(out, "sha1", signal);
  expect([...(files?.keys() ?? [])].sort()).toEqual(Object.keys(next).sort());
});

test.each([
  {
    title: "changed",
    meddle: (file: string) => {
      writeFileSync(file, "[]");
    },
  },
  {
    title: "gone",
    meddle: (file: string) => {
      rmSync(file);
    },
  },
  {
    title: "a folder",
    meddle: (file: string) => {
      rmSync(file);
      mkdirSync(file);
    },
  },
])("no tree is written from a site if a file is $title since it was read", async ({ meddle }) => {
  const out = writtenSite(pages);
  const scratch = await newScratchRepository();
  const { signal } = new AbortController();
  const files = (await readSite(out, "sha1", signal)) ?? new Map<string, string>();
  const before = await publishElsewhere(scratch.repository, { CNAME: "a.example" }, { ref: "refs/base" });
  const snapshot = await takeSnapshot(files, await filesOf(scratch, before), scratch);
  const all = [".nojekyll", "CNAME", ...Object.keys(pages)].sort();
  expect([...snapshot.site.keys()].sort()).toEqual(all);
  const tree = (await makeTree(scratch, out, snapshot, before)) ?? "";
  expect([...(await filesOf(scratch, tree)).keys()].sort()).toEqual(all);
  meddle(join(out, "v1/network/index.json"));
  expect(await makeTree(scratch, out, snapshot, before)).toBeUndefined();
});
