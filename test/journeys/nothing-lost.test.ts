import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { advertisement } from "../support/advertisement.ts";
import { type ProcessExit, sentenceOf } from "../support/child.ts";
import { git, newRemote } from "../support/git.ts";
import { runInProcess } from "../support/in-process.ts";
import { testbed } from "../support/start-testbed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const statePath = ".mirrorfeed/state.json";
const notifying = {
  channels: { ops: { type: "webhook", urlEnv: "HOOK" } },
  notify: { to: ["ops"], after: "0s" },
};
let folder: string;
let url: string;
beforeEach(async () => {
  folder = temporaryFolder("mirrorfeed-lost-");
  ({ url } = await testbed.startServer(advertisement()));
});

/** Writes a configuration with these mirrors. Half of them have a target of their own. */
function write(ids: readonly number[], name = "mirrors.json", more: object = {}): void {
  const targetOf = (target: string, own: readonly number[]) => ({
    target,
    network: own.map((id) => ({ id, name: `Mirror no. ${id}`, url: `${url}/${id}` })),
  });
  const [odd, even] = [ids.filter((id) => id % 2 === 1), ids.filter((id) => id % 2 === 0)];
  const targets = [targetOf("odd", odd), targetOf("even", even)].filter(({ network }) => network.length > 0);
  const systems = [{ system: "s", projects: [{ project: "p", targets }] }];
  const config = { systems, probe: { allowPrivate: true, timeout: "5s" }, ...more };
  writeFileSync(join(folder, name), JSON.stringify(config));
}

function mirrorfeed(...parameters: readonly string[]): Promise<ProcessExit> {
  return runInProcess(parameters, { folder });
}

async function run(...parameters: readonly string[]): Promise<string> {
  const ended = await mirrorfeed("run", ...parameters);
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  return ended.stderr;
}

/** How many runs have reached each mirror today. */
function reached(): Record<number, unknown> {
  const heartbeat = JSON.parse(readFileSync(join(folder, "_site/v1/report/index.json"), "utf8")) as {
    nodes: { id: number; today: object }[];
  };
  return Object.fromEntries(heartbeat.nodes.map(({ id, today }) => [id, today]));
}

test("a run with a part of the mirrors keeps the history of the others, and says so", async () => {
  write([1, 2, 3, 4]);
  await run();
  await run();
  write([1, 3], "try.json");
  expect(await run("--config", "try.json")).toMatch(
    /^2 mirrors are no longer in try\.json; their history is kept until \d+ [A-Z][a-z]{2,3}\.$/m,
  );
  expect(await run()).not.toContain("no longer");
  const [three, four] = [{ ok: 3 }, { ok: 4 }];
  expect(reached()).toEqual({ 1: four, 2: three, 3: four, 4: three });
  write([1, 2, 3]);
  expect(await run()).toContain("1 mirror is no longer in mirrors.json; its history is kept until ");
  write([1, 2, 3, 4]);
  await run();
  expect(reached()).toMatchObject({ 2: { ok: 5 }, 4: four });
});

test("an id is never given twice, and a page names a mirror that is gone", async () => {
  write([1, 2, 3]);
  mkdirSync(join(folder, "public/incidents"), { recursive: true });
  const notice = join(folder, "public/incidents/slow.md");
  writeFileSync(notice, "---\ntitle: Slow\nmirrors: [3, 7]\nfrom: 2026-01-20T00:00:00Z\n---\n");
  await run();
  write([1, 2]);
  const gone = 'public/incidents/slow.md: "3" is not in mirrors.json; the notice shows its last known name.';
  expect(await run()).toContain(`Warning: ${gone}`);
  const valid = await mirrorfeed("validate");
  expect([valid.code, valid.stderr]).toEqual([0, expect.stringContaining(gone)]);
  expect(readFileSync(join(folder, "_site/incidents/slow/index.html"), "utf8")).toMatch(
    /Mirror no\. 3.*Mirror 7/s,
  );
  const add = ["add", `${url}/new`, "--to", "s/p/odd"];
  expect((await mirrorfeed(...add)).stdout).toContain("as mirror 8.");
  rmSync(notice);
  write([1, 2]);
  expect((await mirrorfeed(...add)).stdout).toContain("as mirror 4.");
  rmSync(join(folder, "mirrors.json"));
  writeFileSync(join(folder, "list.txt"), `${url}/new\n`);
  await mirrorfeed("import", "list.txt", "--to", "s/p/t");
  expect(readFileSync(join(folder, "mirrors.json"), "utf8")).toContain('"id": 4');
  rmSync(join(folder, "mirrors.json"));
  const names = ["--system", "s", "--project", "p", "--target", "t"];
  await mirrorfeed("init", "--yes", "--host", "nginx", ...names, "--mirror", `${url}/new`);
  expect(readFileSync(join(folder, "mirrors.json"), "utf8")).toContain('"id": 4');
});

test("a state that is missing is said, and how to bring it back; notify needs one", async () => {
  write([1, 2]);
  expect(sentenceOf(await mirrorfeed("notify"))).toBe(
    "mirrors.json has no channels, so nothing can be sent; add them to channels.",
  );
  write([1, 2], "mirrors.json", notifying);
  const missing = `There is no state in ${statePath}; correct --state, or make the state with mirrorfeed run.`;
  for (const more of [[], ["--dry-run"]])
    expect(sentenceOf(await mirrorfeed("notify", ...more))).toBe(missing);
  const remote = ["--state-remote", await newRemote()];
  expect(sentenceOf(await mirrorfeed("notify", "--state", "branch:states", ...remote))).toBe(
    missing.replace(statePath, "branch:states"),
  );
  expect(await run()).not.toContain("missing");
  await run();
  rmSync(join(folder, statePath));
  const lost = `Warning: the state in ${statePath} is missing, so the history starts over; to bring it back, `;
  expect(await run()).toContain(`${lost}copy ${statePath}.1 to ${statePath} before the next run.`);
  copyFileSync(join(folder, `${statePath}.1`), join(folder, statePath));
  expect(await run()).toContain("it was restored; current problems count as known");
  expect(reached()).toMatchObject({ 1: { ok: 2 } });
  expect(await run()).not.toContain("restored");
  expect(await run("--state", "branch:states", ...remote)).toContain(
    `${lost.replace(statePath, "branch:states")}restore a backup, or correct --state before the next run.`,
  );
});

test("a restored state tells no old news", async () => {
  const pending = async () => (await mirrorfeed("notify", "--dry-run")).stdout;
  write([1, 2, 4], "mirrors.json", notifying);
  await run();
  await run();
  const text = readFileSync(join(folder, "mirrors.json"), "utf8");
  writeFileSync(join(folder, "mirrors.json"), text.replace(`${url}/4`, "http://127.0.0.1:1/4"));
  await run();
  expect(await pending()).toContain("Mirror no. 4");
  copyFileSync(join(folder, `${statePath}.1`), join(folder, statePath));
  expect(await run()).toContain("no notification is sent about them");
  expect(await pending()).toBe("Nothing to send.\n");
});

test("a damaged state names what to restore: a file", async () => {
  write([1, 2]);
  await run();
  await run();
  writeFileSync(join(folder, statePath), "{");
  expect(sentenceOf(await mirrorfeed("run"))).toBe(
    `The state in ${statePath} is not JSON; copy ${statePath}.1 to ${statePath}, or move this one away to start over.`,
  );
  copyFileSync(join(folder, `${statePath}.1`), join(folder, statePath));
  await run();
  expect(reached()).toMatchObject({ 1: { ok: 2 } });
});

test("a damaged state names what to restore: a commit", async () => {
  write([1, 2]);
  const remote = await newRemote();
  const onBranch = ["--state", "branch:states", "--state-remote", remote];
  const inRemote = (...parameters: readonly string[]) => git(["--git-dir", remote, ...parameters]);
  await run(...onBranch);
  // As if the first run was yesterday
  const yesterday = `mirrorfeed <mirrorfeed@mirrorfeed.invalid> ${Math.floor(Date.now() / 1000) - 86_400} +0000`;
  const raw = await inRemote("cat-file", "commit", "states");
  const [old, older] = [raw, raw.replace(/(?<=^(?:author|committer) ).*$/gm, yesterday)];
  expect(older).not.toBe(old);
  const store = ["hash-object", "-t", "commit", "-w", "--stdin"];
  const commit = await git(["--git-dir", remote, ...store], [`${older}\n`]);
  await inRemote("update-ref", "refs/heads/states", commit);
  await run(...onBranch);
  const [, earlier = ""] = (await inRemote("rev-list", "states")).split("\n");
  const clone = join(temporaryFolder(), "clone");
  await git(["clone", "--quiet", "--branch", "states", remote, clone]);
  writeFileSync(join(clone, "state.json"), "{}");
  await git(["-C", clone, "-c", "user.name=a", "-c", "user.email=a@a", "commit", "--quiet", "-am", "Repair"]);
  await git(["-C", clone, "push", "--quiet", "origin", "states"]);
  expect(sentenceOf(await mirrorfeed("run", ...onBranch))).toMatch(
    /; restore the commit [0-9a-f]{12} of the branch "states", or move this one away to start over\.$/,
  );
  await git(["-C", clone, "push", "--quiet", "--force", "origin", `${earlier}:states`]);
  expect(await run(...onBranch)).toContain("it was restored; current problems count as known");
  expect(reached()).toMatchObject({ 1: { ok: 2 } });
});
