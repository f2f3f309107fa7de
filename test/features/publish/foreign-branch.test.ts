import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { writtenSite } from "../../support/folder.ts";
import { newRemote } from "../../support/git.ts";
import {
  type Changes,
  failure,
  heartbeat,
  log,
  publish,
  publishElsewhere,
  isolateTemporaryFiles,
} from "../../support/publishing.ts";

isolateTemporaryFiles();

const ref = "refs/heads/main";
const guarded = { branch: "main", replace: false };

/** Creates a remote whose branch `main` has three commits by someone else. Also returns their ids, newest first. */
async function remoteWithWork(): Promise<{ remote: string; commits: string[] }> {
  const remote = await newRemote();
  let parent = "";
  for (const text of ["one", "two", "three"])
    parent = await publishElsewhere(remote, { "README.md": text, "src/main.c": text }, { parent, ref });
  return { remote, commits: await log(remote, "%H", "main") };
}

const refusal =
  /^The branch "main" of "[^"]+remote.git" is not a published feed, so nothing was published; use a different branch with --branch, keep this one's commits with --history, or delete them with --replace\.$/;

describe("a branch with the work of another author", () => {
  test("is refused and stays as it was", async () => {
    const { remote, commits } = await remoteWithWork();
    for (const address of [remote, pathToFileURL(remote).href])
      expect(await failure({ remote: address, ...guarded })).toMatch(refusal);
    expect(await log(remote, "%H", "main")).toEqual(commits);
    expect(commits).toHaveLength(3);
  });
});

describe("a branch is published to", () => {
  test("that is a feed, of whatever version, and stays one", async () => {
    const remote = await newRemote();
    const path = "v1/report/index.json";
    const other = { ...(JSON.parse(heartbeat()[path]) as object), schema: 7, prober: "changed" };
    await publishElsewhere(remote, { "old.html": "old", [path]: JSON.stringify(other) }, { ref });
    for (const text of ["one", "two"]) {
      const out = writtenSite({ "index.html": text, ...heartbeat() });
      expect(await publish({ remote, ...guarded, out })).toMatchObject({ published: true });
    }
    expect(await log(remote, "%H", "main")).toHaveLength(1);
  });

  test("that is missing, or was only ever an empty commit", async () => {
    const remote = await newRemote();
    expect(await publish({ remote, ...guarded })).toMatchObject({ published: true });
    await publishElsewhere(remote, {});
    expect(await publish({ remote, replace: false })).toMatchObject({ published: true, removed: 0 });
  });

  test.each([
    { title: "another document", text: '{"openapi":"3.1.0"}' },
    { title: "no JSON", text: "# Report" },
    { title: "an empty object", text: "{}" },
    { title: "a list nested without end", text: "[".repeat(200_000) },
  ])("not when its heartbeat is $title", async ({ text }) => {
    const remote = await newRemote();
    const commit = await publishElsewhere(remote, { "v1/report/index.json": text }, { ref });
    expect(await failure({ remote, ...guarded })).toMatch(refusal);
    expect(await log(remote, "%H", "main")).toEqual([commit]);
  });
});

test("a feed that keeps earlier commits is refused without --history, and stays as it was", async () => {
  const { remote, commits } = await remoteWithWork();
  const order = (text: string): Changes => {
    return { remote, ...guarded, out: writtenSite({ "index.html": text, ...heartbeat() }) };
  };
  await publish({ ...order("one"), history: true });
  const kept = await log(remote, "%H", "main");
  expect(kept).toHaveLength(commits.length + 1);
  const second = await failure(order("two"));
  expect(second).toMatch(/^The branch "main" of "[^"]+" has earlier commits, so nothing/);
  expect(await log(remote, "%H", "main")).toEqual(kept);
  await publish({ ...order("two"), history: true });
  expect(await log(remote, "%H", "main")).toEqual([expect.any(String), ...kept]);
  await publish({ ...order("three"), replace: true });
  expect(await log(remote, "%H", "main")).toHaveLength(1);
});
