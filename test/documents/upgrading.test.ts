import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { env } from "node:process";
import { expect, test } from "vitest";
import { parseState } from "../../src/state/document.ts";
import { program, sentenceOf, startChild } from "../support/child.ts";
import { loadDocument, type Section } from "../support/document.ts";
import { git } from "../support/git.ts";
import { runInProcess } from "../support/in-process.ts";
import { initForPages, withoutPacking } from "../support/init-options.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const guide = loadDocument(".github/docs/upgrading.md");
const user = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];

function section(heading: string): Section {
  const found = guide.sections.find((one) => one.heading === heading);
  if (found === undefined) throw new Error(`There is no section "${heading}".`);
  return found;
}

/** Runs a block of commands of a section in a folder. Throws if one fails. */
async function execute(heading: string, number: number, folder: string, repository = ""): Promise<string> {
  const blocks = section(heading).blocks.filter(({ language }) => language === "sh");
  const text = blocks[number]?.text.replace("https://github.com/OWNER/MIRRORFEED", repository) ?? "false";
  const environment = {
    PATH: `${join(folder, "../bin")}${delimiter}${env["PATH"] ?? ""}`,
    GIT_AUTHOR_NAME: "Ann",
    GIT_AUTHOR_EMAIL: "ann@example.org",
    GIT_COMMITTER_NAME: "Ann",
    GIT_COMMITTER_EMAIL: "ann@example.org",
  };
  const { code, stdout, stderr } = await startChild("/bin/sh", ["-ec", text], { folder, environment }).ending;
  expect([code, code === 0 ? "" : stderr]).toEqual([0, ""]);
  return stdout;
}

/** Makes the files of a folder those given, and commits them. */
async function commit(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  await git(["-C", folder, "add", "--all"]);
  await git(["-C", folder, ...user, "commit", "--quiet", "--message", "A commit"]);
}

const notice = "---\ntitle: Moving to new disks\nfrom: 2026-01-31T08:00:00Z\n---\n";
const mirrors = JSON.stringify({
  systems: [
    {
      system: "s",
      projects: [
        {
          project: "p",
          targets: [{ target: "t", network: [{ id: 1, url: "https://git.example.org/a/t" }] }],
        },
      ],
    },
  ],
});

test("a feed from the template takes the new files, and keeps its own", async () => {
  const place = temporaryFolder();
  const [upstream, feed, bin] = ["upstream", "feed", "bin"].map((name) => join(place, name));
  if (upstream === undefined || feed === undefined || bin === undefined) throw new Error("No folders.");
  for (const folder of [upstream, feed]) await git(["init", "--quiet", "--initial-branch=main", folder]);
  const files = { "src/old.ts": "1", "src/kept.ts": "1", "mirrors.json": "{}", ".gitignore": "dist\n" };
  await commit(upstream, files);
  await commit(feed, { ...files, "mirrors.json": mirrors, "public/incidents/disks.md": notice });
  rmSync(join(upstream, "src/old.ts"));
  await commit(upstream, { "src/kept.ts": "2", "src/new.ts": "2", "mirrors.json": '{"own":true}' });

  const shown = await execute("A feed from the template", 0, feed, upstream);
  expect(shown.match(/^ src\/\w+\.ts/gm)).toEqual([" src/kept.ts", " src/new.ts", " src/old.ts"]);
  expect(existsSync(join(feed, "src/old.ts"))).toBe(false);
  expect(readFileSync(join(feed, "src/kept.ts"), "utf8")).toBe("2");
  expect(readFileSync(join(feed, "mirrors.json"), "utf8")).toBe(mirrors);
  expect(readFileSync(join(feed, "public/incidents/disks.md"), "utf8")).toBe(notice);

  // The tests have built the program already.
  mkdirSync(bin);
  writeFileSync(join(bin, "npm"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  symlinkSync(dirname(program), join(feed, "dist"));
  await execute("A feed from the template", 1, feed);
  expect(await git(["-C", feed, "status", "--porcelain"])).toBe("");
});

test("a state goes back to its copy, in a file and on a branch, after a newer version wrote it", async () => {
  const place = temporaryFolder();
  const [remote, clone] = [join(place, "remote.git"), join(place, "clone")];
  const old = '{"schema":2,"runs":[],"nodes":{},"references":{},"vantages":{}}';
  const newer = '{"schema":3}';
  await git(["init", "--quiet", "--bare", "--initial-branch=mirrorfeed-state", remote]);
  await git(["clone", "--quiet", remote, clone]);
  await commit(clone, { "state.json": old });
  await git(["-C", clone, "push", "--quiet", "origin", "HEAD:mirrorfeed-state"]);
  mkdirSync(join(clone, ".mirrorfeed"));
  const file = join(clone, ".mirrorfeed/state.json");
  writeFileSync(file, old);

  for (const number of [0, 1]) await execute("Keep the state", number, clone);
  await git(["-C", clone, "checkout", "--quiet", "--orphan", "newer"]);
  await commit(clone, { "state.json": newer });
  await git(["-C", clone, "push", "--quiet", "--force", "origin", "HEAD:mirrorfeed-state"]);
  writeFileSync(file, newer);
  writeFileSync(join(clone, "mirrors.json"), mirrors);
  const refused = sentenceOf(await runInProcess(["run"], { folder: clone }));
  expect(`mirrorfeed: ${refused}\n`).toBe(
    section("Go back").blocks.find(({ language }) => language === "text")?.text,
  );
  expect(readFileSync(file, "utf8")).toBe(newer);

  for (const number of [0, 1]) await execute("Go back", number, clone);
  expect(parseState(readFileSync(file, "utf8"), file).schema).toBe(2);
  expect(await git(["-C", remote, "show", "mirrorfeed-state:state.json"])).toBe(old);
});

test("the line of the version is once in each workflow of init, and init overwrites nothing", async () => {
  const folder = temporaryFolder();
  expect((await runInProcess(initForPages, { folder, environment: withoutPacking() })).code).toBe(0);
  const named = section("A feed of mirrorfeed init");
  expect(named.hasText).toBe(true);
  for (const name of ["refresh.yml", "validate.yml"]) {
    const workflow = readFileSync(join(folder, ".github/workflows", name), "utf8");
    expect(workflow.match(/^ *MIRRORFEED: ".*"$/gm)).toHaveLength(1);
  }
  expect(sentenceOf(await runInProcess(initForPages, { folder, environment: withoutPacking() }))).toContain(
    "init overwrites nothing",
  );
});

test("the commands of the last check are those of the program", async () => {
  const [block] = section("What to look at").blocks;
  const commands = block?.text.trimEnd().split("\n") ?? [];
  expect(commands).toEqual(["mirrorfeed validate", "mirrorfeed verify https://status.example.org/"]);
  const folder = temporaryFolder();
  writeFileSync(join(folder, "mirrors.json"), mirrors);
  expect((await runInProcess(["validate"], { folder })).code).toBe(0);
});
