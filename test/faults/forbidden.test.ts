import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { beforeAll, expect, test } from "vitest";
import { advertisement } from "../support/advertisement.ts";
import { testbed } from "../support/start-testbed.ts";
import { describeWith } from "../support/requirement.ts";
import { everything, put } from "../support/folder.ts";
import { type ProcessExit, program, sentenceOf, startChild } from "../support/child.ts";
import { runInProcess } from "../support/in-process.ts";
import { runHere, writeConfig } from "../support/versions.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** The user id that Linux gives to unknown users. */
const unknownUser = 65_534;
const isRoot = process.getuid?.() === 0;
/** Root is allowed everything, so root drops its privileges first. */
const stepDown = `setpriv --reuid=${unknownUser} --regid=${unknownUser} --clear-groups`.split(" ");
const [command, ...first] = [...(isRoot ? stepDown : []), process.execPath, program];
const canStepDown =
  process.platform !== "win32" && spawnSync(command, [...first, "--version"], { cwd: "/" }).status === 0;

describeWith("a user that is not root", canStepDown, "what this user may not", () => {
  let url: string;
  beforeAll(async () => {
    ({ url } = await testbed.startServer(advertisement()));
  });

  /** Makes a run in a new folder, and returns the folder. The unprivileged user owns everything in it. */
  async function ownFolder(): Promise<string> {
    const folder = temporaryFolder();
    writeConfig(folder, "mirrors.json", ["packages", "search"], [url]);
    await runHere(folder);
    put(folder, { "empty/.keep": "" });
    if (isRoot) {
      for (const above of [folder, dirname(folder)])
        if ((statSync(above).mode & 0o001) === 0) chmodSync(above, 0o755);
      for (const path of ["", ...readdirSync(folder, { recursive: true, encoding: "utf8" })])
        chownSync(join(folder, path), unknownUser, unknownUser);
    }
    return folder;
  }

  /** Runs `mirrorfeed run` in a separate process, as the unprivileged user. */
  function runAlone(folder: string): Promise<ProcessExit> {
    return startChild(command, [...first, "run"], { folder }).ending;
  }

  /** Runs `mirrorfeed run` in this process, as the unprivileged user. */
  async function run(folder: string, ...parameters: readonly string[]): Promise<ProcessExit> {
    const groups = process.getgroups?.() ?? [];
    if (isRoot) {
      process.setgroups?.([]);
      process.setegid?.(unknownUser);
      process.seteuid?.(unknownUser);
    }
    try {
      return await runInProcess(["run", ...parameters], { folder });
    } finally {
      if (isRoot) {
        process.seteuid?.(0);
        process.setegid?.(0);
        process.setgroups?.(groups);
      }
    }
  }

  const denied = "permission denied; change its permissions";
  const out = `${denied} or choose another folder with --out.`;
  const [state, results] = ["state", "results"].map((one) => `${denied} or name another file with --${one}.`);
  const [manifest, stateFile] = ["_site/.mirrorfeed/manifest.json", ".mirrorfeed/state.json"];

  test.each<[string, string, number, sentence: string, ...parameters: string[]]>([
    ["write to its own folder", "_site/.mirrorfeed", 0o555, `_site cannot be written: ${out}`],
    ["read the manifest", manifest, 0, `${manifest} cannot be read: ${out}`],
    ["look into the site", "_site", 0, `_site cannot be read: ${out}`],
    ["make the site", "empty", 0o555, `empty/_site cannot be written: ${out}`, "--out", "empty/_site"],
    ["write to the state's folder", ".mirrorfeed", 0o555, `${stateFile} cannot be stored: ${state}`],
    ["read the state", stateFile, 0, `${stateFile} cannot be read: ${state}`],
    ["make its folder", "empty", 0o555, `empty/a/b cannot be stored: ${state}`, "--state", "empty/a/b"],
    ["write the results", "empty", 0o555, `empty/a cannot be written: ${results}`, "--results", "empty/a"],
    ["read the configuration", "mirrors.json", 0, `Cannot read mirrors.json: ${denied}.`],
  ])("%s: one sentence, and nothing changes", async (_, path, mode, sentence, ...parameters) => {
    const folder = await ownFolder();
    const before = everything(folder);
    chmodSync(join(folder, path), mode);
    const ended = await run(folder, ...parameters);
    chmodSync(join(folder, path), mode === 0o555 || path === "_site" ? 0o755 : 0o644);
    expect(sentenceOf(ended).slice(0, sentence.length)).toBe(sentence);
    expect(everything(folder)).toEqual(before);
  });

  test("write to a folder in the site: what is there is whole, and the next run is right", async () => {
    const folder = await ownFolder();
    const report = join(folder, "_site/v1/report");
    chmodSync(report, 0o555);
    expect(sentenceOf(await runAlone(folder))).toBe(`_site cannot be written: ${out}`);
    const left = Object.keys(everything(join(folder, "_site"))).filter((path) => /\.tmp$|lock/.test(path));
    expect(left).toEqual([]);
    chmodSync(report, 0o755);
    expect(await runAlone(folder)).toMatchObject({ code: 0 });
    const version = everything(join(folder, "_site"));
    rmSync(join(folder, "_site"), { recursive: true });
    mkdirSync(join(folder, "_site"));
    if (isRoot) chownSync(join(folder, "_site"), unknownUser, unknownUser);
    expect(await run(folder)).toMatchObject({ code: 0 });
    expect(Object.keys(everything(join(folder, "_site")))).toEqual(Object.keys(version));
  });
});
