import { expect, test } from "vitest";
import { writeSite } from "../../../src/core/site/write.ts";
import { git, newRemote } from "../../support/git.ts";
import { pages, site, writtenSite } from "../../support/folder.ts";
import {
  branchFiles,
  failure,
  heartbeat,
  log,
  overtake,
  publish,
  publishElsewhere,
  isolateTemporaryFiles,
  untilCloned,
} from "../../support/publishing.ts";

isolateTemporaryFiles();

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
  expect(logged).toEqual(["The site or the branch gh-pages changed in the meantime; trying again."]);
});

test("who is overtaken by a newer site gives up, and by an older one does not", async () => {
  const remote = await newRemote();
  await publishElsewhere(remote, { "index.html": "first" });
  const newer = await publishElsewhere(remote, { "index.html": "newer", ...eleven }, { ref });
  overtake(remote, [newer]);
  const out = writtenSite({ "index.html": "new", ...ten });
  expect(await failure({ remote, out })).toBe(
    `The branch "gh-pages" of "${remote}" has a newer site, so nothing was published; run mirrorfeed run and publish again.`,
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
  expect(await failure({ remote })).toMatch(/changed during each of 6 attempts; publish again later\.$/);
  expect(await log(remote)).toEqual(commits.slice(0, 6).reverse());
});

test("three at once: each commit is on top of one that was seen, and none is lost", async () => {
  const remote = await newRemote();
  const titles = ["one", "two", "three"];
  const sites = titles.map((text) => writtenSite({ "index.html": text }));
  await Promise.all(sites.map((out) => publish({ remote, history: true, out })));
  const shown = (await log(remote)).map((commit) => git(["-C", remote, "show", `${commit}:index.html`]));
  expect((await Promise.all(shown)).sort()).toEqual([...titles].sort());
});

test.each([
  { title: "written to", next: { ...pages, "index.html": "new" } },
  { title: "taken away in part", next: { "index.html": "newer" } },
])("a site that is $title while it is committed is read again", async ({ next }) => {
  const remote = await newRemote();
  const out = writtenSite(pages);
  const logged: string[] = [];
  const publishing = publish({ remote, out, log: (text) => logged.push(text) });
  await untilCloned();
  writeSite(out, site(next));
  expect(await publishing).toMatchObject({ published: true });
  expect(logged).toEqual(["The site or the branch gh-pages changed in the meantime; trying again."]);
  expect(Object.keys(await branchFiles(remote))).toEqual([".nojekyll", ...Object.keys(next)].sort());
  expect(await title(remote)).toBe(next["index.html"]);
});
