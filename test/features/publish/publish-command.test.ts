import { chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { publish, type PublishOptions } from "../../../src/features/publish/publish-command.ts";
import { recorded } from "../../support/command-context.ts";
import { git, gitEnvironment, newRemote } from "../../support/git.ts";
import { pages, put, writtenSite } from "../../support/folder.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { heartbeat, log, isolateTemporaryFiles } from "../../support/publishing.ts";

isolateTemporaryFiles();

async function run(changes: Partial<PublishOptions>, environment = gitEnvironment) {
  const options = { config: "mirrors.json", out: "_site", branch: "gh-pages" };
  const { context, printed, logged, progressed } = recorded({ environment });
  const code = await publish({ ...options, ...changes }, context);
  return { code, printed: printed.join("\n"), logged: logged.join("\n"), progressed };
}

/** Creates a repository with this URL as its remote `origin`, and returns the path of a mirrors.json in it. */
async function checkout(origin: string): Promise<string> {
  const folder = temporaryFolder();
  await git(["init", "--quiet", "--template=", folder]);
  await git(["-C", folder, "remote", "add", "origin", origin]);
  put(folder, { "feed/mirrors.json": "{}" });
  return join(folder, "feed/mirrors.json");
}

test("publishes to the origin of the configuration's repository, and says so", async () => {
  const remote = await newRemote();
  const out = writtenSite({ ...pages, ...heartbeat() });
  const config = await checkout(remote);
  const first = await run({ config, out });
  const [commit] = await log(remote);
  expect(first).toEqual({
    code: 0,
    printed: `Published ${out} to gh-pages of "${remote}": 5 files changed, 0 removed, commit ${commit}.`,
    logged: "",
    progressed: [`Publishing ${out} to gh-pages`, "stop"],
  });
  const nothing = `gh-pages of "${remote}" already matches ${out}, so nothing was published.`;
  expect(await run({ config, out })).toMatchObject({ code: 0, printed: nothing });
  const next = writtenSite({ "index.html": "x", ...heartbeat() });
  const { printed: json } = await run({ config, out: next, json: true });
  const [second] = await log(remote);
  const expected = { published: true, commit: second, changed: 1, removed: 2, remote, branch: "gh-pages" };
  expect(JSON.parse(json)).toEqual(expected);
});

test("takes an origin that is relative to its repository, and refuses one with a password", async () => {
  const remote = await newRemote();
  const relative = await checkout("remote.git");
  await git(["clone", "--quiet", "--bare", remote, join(relative, "../../remote.git")]);
  expect(await run({ config: relative, out: writtenSite(pages) })).toMatchObject({ code: 0 });
  const config = await checkout("https://ci:secret@example.org/x.git");
  await expect(run({ config, out: writtenSite(pages) })).rejects.toThrow(
    /^The remote URL at "example\.org" contains credentials; remove them and set the environment/,
  );
});

test.skipIf(process.getuid?.() !== 0)(
  "takes the origin of a checkout that another user owns (as root)",
  async () => {
    const remote = await newRemote();
    const config = await checkout(remote);
    const top = join(config, "../..");
    for (const path of [top, join(top, ".git")]) chownSync(path, 65_534, 65_534);
    await expect(git(["-C", top, "remote"])).rejects.toThrow("dubious ownership");
    expect(await run({ config, out: writtenSite(pages) })).toMatchObject({ code: 0 });
  },
);

test("without an origin it asks for a remote", async () => {
  const config = join(temporaryFolder(), "mirrors.json");
  await expect(run({ config, out: writtenSite(pages) })).rejects.toThrow(
    /is not in a Git repository with a remote named origin \("fatal: .*"\); name the remote with --remote\.$/,
  );
});

test("commits as mirrorfeed, or as whom Git's variables name", async () => {
  const remote = await newRemote();
  const config = await checkout(remote);
  const who = () => log(remote, "%an <%ae> by %cn <%ce>: %s");
  await run({ config, out: writtenSite({ "index.html": "1" }) });
  const itself = "mirrorfeed <mirrorfeed@localhost>";
  const first = new RegExp(`^${itself} by ${itself}: Publish by mirrorfeed \\d`);
  expect(await who()).toEqual([expect.stringMatching(first)]);
  const environment = { ...gitEnvironment, GIT_AUTHOR_EMAIL: "author@localhost" };
  await run({ config, out: writtenSite({ "index.html": "2" }), message: "Two", history: true }, environment);
  expect((await who())[0]).toBe(`mirrorfeed <author@localhost> by ${itself}: Two`);
});

test("refuses the site of a void run with exit code 3", async () => {
  const remote = await newRemote();
  const out = writtenSite(pages);
  writeFileSync(join(out, ".mirrorfeed/void"), "");
  const { code, logged, printed } = await run({ remote, out });
  expect({ code, printed }).toEqual({ code: 3, printed: "" });
  expect(logged).toMatch(/was void because .*was not published\.$/);
  expect(await git(["-C", remote, "for-each-ref"])).toBe("");
});
