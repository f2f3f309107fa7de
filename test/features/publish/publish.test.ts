import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { git, gitEnvironment, newRemote } from "../../support/git.ts";
import { Interrupted } from "../../../src/core/base/errors.ts";
import { writeSite } from "../../../src/core/site/write.ts";
import { gitDescendants } from "../../support/processes.ts";
import { folderWith, pages, published, put, site, writtenSite } from "../../support/folder.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import {
  branchFiles,
  failure,
  log,
  publish,
  publishElsewhere,
  isolateTemporaryFiles,
  untilCloned,
} from "../../support/publishing.ts";

isolateTemporaryFiles();

const noJekyll = { ".nojekyll": "" };
/** A site with files that Git would change if it obeyed attributes. */
const sensitive = { ...pages, "crlf.txt": "one\r\ntwo\n", "ident.txt": "$Id$\n" };

function sorted(files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, text.trim()]));
}

describe("a branch becomes the site", () => {
  test("by a first publication, with .nojekyll and without mirrorfeed's own folder", async () => {
    const remote = await newRemote();
    const { commit, ...rest } = await publish({ remote });
    expect(rest).toEqual({ published: true, changed: 4, removed: 0 });
    expect(await log(remote)).toEqual([commit]);
    expect(await branchFiles(remote)).toEqual(sorted({ ...pages, ...noJekyll }));
    expect(await git(["-C", remote, "for-each-ref", "--format=%(refname)"])).toBe("refs/heads/gh-pages");
  });

  test("with the files that another process wrote beside those of mirrorfeed", async () => {
    const remote = await newRemote();
    const out = writtenSite(pages);
    put(out, { "beside.txt": "mine", ".well-known/security.txt": "Contact: me" });
    await publish({ remote, out });
    expect(await branchFiles(remote)).toEqual(sorted({ ...published(out), ...noJekyll }));
  });

  test("or stays as it is where it is the site already, whichever git made it", async () => {
    const remote = await newRemote();
    const commit = await publishElsewhere(remote, { ...pages, ...noJekyll });
    expect(await publish({ remote })).toEqual({ published: false, commit, changed: 0, removed: 0 });
    expect(await publish({ remote, history: true })).toMatchObject({ published: false });
    expect(await log(remote)).toEqual([commit]);
  });

  test.each<[string, Record<string, string>, changed: number, removed: number]>([
    ["removed and nothing else", { "index.html": pages["index.html"] }, 0, 2],
    ["turned from a file to a folder", { "index.html/a": "new" }, 1, 3],
  ])("where files were %s", async (_, next, changed, removed) => {
    const remote = await newRemote();
    const out = writtenSite(pages);
    await publish({ remote, out });
    writeSite(out, site(next));
    expect(await publish({ remote, out })).toMatchObject({ published: true, changed, removed });
    expect(await branchFiles(remote)).toEqual(sorted({ ...next, ...noJekyll }));
    expect(await log(remote)).toHaveLength(1);
  });

  test("by a commit on top with history, by one commit alone without", async () => {
    const remote = await newRemote();
    const first = await publishElsewhere(remote, { "old.html": "old" });
    const second = await publishElsewhere(remote, { "old.html": "older" }, { parent: first });
    const { commit } = await publish({ remote, history: true, message: "On top" });
    expect(await log(remote)).toEqual([commit, second, first]);
    expect(await log(remote, "%an %s")).toEqual(["mirrorfeed On top", "Other Elsewhere", "Other Elsewhere"]);
    expect(await branchFiles(remote)).toEqual(sorted({ ...pages, ...noJekyll }));
    await publish({ remote, out: writtenSite({ "index.html": "alone" }) });
    expect(await log(remote)).toHaveLength(1);
  });

  test("keeping a CNAME, unless the site has its own", async () => {
    const remote = await newRemote();
    await publishElsewhere(remote, { CNAME: "status.example.org\n", "old.html": "old" });
    await publish({ remote });
    expect(await branchFiles(remote)).toEqual(sorted({ ...pages, ...noJekyll, CNAME: "status.example.org" }));
    await publish({ remote, out: writtenSite({ ...pages, CNAME: "other.example.org" }) });
    expect(await branchFiles(remote)).toMatchObject({ CNAME: "other.example.org" });
  });

  test("of any name that git takes", async () => {
    const remote = await newRemote();
    for (const branch of ["index.html", "v1/ünï"]) {
      expect(await publish({ remote, branch })).toMatchObject({ published: true });
      expect(await publish({ remote, branch })).toMatchObject({ published: false });
    }
    for (const branch of ["", "a b", "a..b", "-d", "x.lock", "a:b", "*", "refs/heads/a", "HEAD"])
      expect(await failure({ remote, branch })).toMatch(/is not a valid branch name/);
  });
});

describe("every file arrives as it is", () => {
  const odd = String.raw`*.json [ab].json {a,b}.json !not.txt ? (x)|y.txt @(z).txt +1$^.txt -rf # :top :(glob)x "quoted".txt
    'single'.txt dömäin/日本語/👍.json .hidden/.deep/x a.json`;

  test("under odd names", async () => {
    const remote = await newRemote();
    const paths = ["a b.txt", ...odd.split(/\s+/)];
    const files = Object.fromEntries(paths.map((path) => [path, `This is ${JSON.stringify(path)}`]));
    await publish({ remote, out: writtenSite({ ...files, "index.html": "stays" }) });
    expect(await branchFiles(remote)).toEqual({ ...files, "index.html": "stays", ...noJekyll });
  });

  test("whatever the user's git ignores, converts, signs, runs or traces", async () => {
    const remote = await newRemote();
    const home = temporaryFolder();
    const hook = `#!/bin/sh\ntouch ${home}/hooked\nexit 1\n`;
    put(home, {
      ".gitconfig": `[core]\n excludesFile = ${home}/ignored\n autocrlf = true\n hooksPath = ${home}/hooks\n[commit]\n gpgSign = true\n[init]\n templateDir = ${home}/template\n[push]\n gpgSign = true\n`,
      ignored: "*\n",
      ".config/git/ignore": "*\n",
      ".config/git/attributes": "* text eol=crlf\n",
      "hooks/pre-push": hook,
      "hooks/pre-commit": hook,
      "template/hooks/pre-commit": hook,
    });
    for (const path of ["hooks/pre-push", "hooks/pre-commit", "template/hooks/pre-commit"])
      chmodSync(join(home, path), 0o755);
    const environment = {
      ...gitEnvironment,
      GIT_CONFIG_GLOBAL: undefined,
      HOME: home,
      XDG_CONFIG_HOME: join(home, ".config"),
      GIT_DIR: "/nowhere",
      GIT_INDEX_FILE: "/nowhere/index",
      GIT_TRACE: join(home, "trace"),
      GIT_TRACE2_EVENT: join(home, "trace2"),
    };
    await publish({ remote, environment, out: writtenSite(sensitive) });
    expect(await branchFiles(remote)).toEqual(sorted({ ...sensitive, ...noJekyll }));
    expect(readdirSync(home).filter((name) => /hooked|trace/.test(name))).toEqual([]);
  });
});

describe("a site is refused", () => {
  let remote: string;
  beforeAll(async () => {
    remote = await newRemote();
  });
  afterAll(async () => {
    expect(await git(["-C", remote, "for-each-ref"])).toBe("");
  });

  test("that is missing, not mirrorfeed's, empty or unfinished", async () => {
    const foreign = folderWith({ "index.html": "mine" });
    const empty = writtenSite({});
    const unfinished = writtenSite(pages);
    const manifest = { schema: 1, finished: false, files: Object.keys(pages) };
    writeFileSync(join(unfinished, ".mirrorfeed/manifest.json"), JSON.stringify(manifest));
    expect(await failure({ remote, out: join(foreign, "nowhere") })).toMatch(/^There is no folder/);
    expect(await failure({ remote, out: foreign })).toMatch(/is not a site that mirrorfeed wrote/);
    expect(await failure({ remote, out: empty })).toMatch(/is empty/);
    expect(await failure({ remote, out: unfinished })).toMatch(/is not finished/);
  });

  test("that holds a link, a repository or a name that is none on every system", async () => {
    const linked = writtenSite(pages);
    symlinkSync("/etc/passwd", join(linked, "passwd"));
    expect(await failure({ remote, out: linked })).toMatch(/passwd" is a link/);
    const nested = writtenSite(pages);
    mkdirSync(join(nested, "below/.git"), { recursive: true });
    expect(await failure({ remote, out: nested })).toMatch(/would change what Git publishes/);
    for (const name of [".gitignore", "v1/.gitattributes", ".gitmodules"]) {
      const directing = writtenSite({ ...pages, [name]: "*" });
      expect(await failure({ remote, out: directing })).toMatch(/would change what Git publishes; move it/);
    }
    const backslash = writtenSite(pages);
    put(backslash, { "a\\b": "" });
    expect(await failure({ remote, out: backslash })).toMatch(/cannot be published/);
  });
});

test("a commit that gh-pages cannot make is one sentence, and the branch stays as it was", async () => {
  const remote = await newRemote();
  const commit = await publishElsewhere(remote, { CNAME: "a.example" });
  const out = writtenSite({ "CNAME/b": "below a folder" });
  expect(await failure({ remote, out })).toMatch(/^gh-pages cannot make the commit: "EEXIST/);
  expect(await log(remote)).toEqual([commit]);
});

test.each([{ history: true }, { replace: true }])(
  "a branch with links, submodules and attributes is published to without obeying them: %j",
  async (changes) => {
    const outside = folderWith({ "victim.txt": "safe" });
    const remote = await newRemote();
    const parent = await publishElsewhere(remote, {
      ".gitignore": "*\n",
      ".gitattributes": "* text eol=crlf ident filter=lfs working-tree-encoding=UTF-16\n",
    });
    await git(
      ["-C", remote, "fast-import", "--quiet"],
      `commit refs/heads/gh-pages\ncommitter A <a@b> 0 +0000\ndata 0\nfrom ${parent}\nM 160000 ${parent} x\nM 120000 inline v1\ndata ${outside.length}\n${outside}\n`,
    );
    const out = writtenSite(sensitive);
    expect(await publish({ remote, out, ...changes })).toMatchObject({ changed: 6, removed: 4 });
    expect(await branchFiles(remote)).toEqual(sorted({ ...sensitive, ...noJekyll }));
    expect(published(outside)).toEqual({ "victim.txt": "safe" });
    expect(await publish({ remote, out, ...changes })).toMatchObject({ published: false });
  },
);

test("a branch that takes more than the limit is refused", async () => {
  const remote = await newRemote();
  await publishElsewhere(remote, { "noise.txt": randomBytes(3 * 1024 * 1024).toString("hex") });
  const refusal = await failure({ remote, maxBytes: 1024 * 1024 });
  expect(refusal).toMatch(/holds more than 1 MiB, so nothing was published/);
});

test("nothing is left behind in the folder for temporary files", async () => {
  const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith("mirrorfeed-publish-"));
  const remote = await newRemote();
  await publish({ remote });
  expect(await failure({ remote: `${remote}.nowhere` })).toMatch(/cannot be read/);
  expect(left()).toEqual([]);
  const controller = new AbortController();
  const publishing = publish({ remote: await newRemote(), interrupt: controller.signal });
  const outcome = publishing.catch((error: unknown) => error);
  await untilCloned();
  controller.abort(new Interrupted());
  expect(await outcome).toBeInstanceOf(Interrupted);
  expect(left()).toEqual([]);
  expect(await gitDescendants()).toEqual([]);
});
