import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { git } from "../support/git.ts";
import { writeSite } from "../../src/core/site/write.ts";
import { everything, site } from "../support/folder.ts";
import { heartbeat, isolateTemporaryFiles } from "../support/publishing.ts";
import { inTurns } from "./turns.ts";
import {
  type ChildOptions,
  killAfter,
  orphansEnded,
  runProgram,
  startProgram,
  timeOf,
} from "../support/child.ts";
import { randomNumbers, seed, trials } from "../support/trials.ts";
import { inCopyOf } from "../support/versions.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

isolateTemporaryFiles();

const command = ["publish", "--remote", "remote.git"];
const branch = "gh-pages";

/**
 * A folder whose `_site` differs from the site on its remote, and the files on the remote's branch before and after
 * publishing.
 */
let folder: string;
let before: string;
let after: string;
let fullMs: number;

/** Returns a site's files. The sites with `turn` 1 and 2 share a third of their files. */
function pages(name: string, turn: number): Record<string, string> {
  const pages: Record<string, string> = { "index.html": name, ...heartbeat() };
  for (let index = 0; index < 60; index += 1) {
    const text = JSON.stringify(index % 3 === 0 ? index : `${name} ${index}`);
    if (index % 3 !== turn) pages[`v1/t${index}/index.json`] = text;
  }
  return pages;
}

function listing(remote: string): Promise<string> {
  return git(["-C", remote, "ls-tree", "-r", branch]);
}

function optionsOf(place: string): ChildOptions {
  const temporary = join(place, "tmp");
  mkdirSync(temporary, { recursive: true });
  return { folder: place, environment: { TMPDIR: temporary } };
}

beforeAll(async () => {
  folder = temporaryFolder();
  await git(["init", "--quiet", "--bare", "--template=", join(folder, "remote.git")]);
  writeSite(join(folder, "_site"), site(pages("one", 1)));
  expect(await runProgram(command, optionsOf(folder))).toMatchObject({ code: 0 });
  before = await listing(join(folder, "remote.git"));
  writeSite(join(folder, "_site"), site(pages("two", 2)));
  await inCopyOf(folder, async (copy) => {
    fullMs = await timeOf(command, optionsOf(copy));
    after = await listing(join(copy, "remote.git"));
  });
});

const kills = trials(4, 200);

test(`a publish that is ended at ${kills} random times leaves one site or the other on the branch, and the next one is right (seed ${seed})`, async () => {
  const random = randomNumbers();
  expect(before).not.toBe(after);
  await inTurns(kills, async (turn) => {
    const signal = random() < 0.5 ? "SIGKILL" : "SIGTERM";
    const [ms, history] = [random() * 1.3 * fullMs, random() < 0.5 ? ["--history"] : []];
    await inCopyOf(folder, async (copy) => {
      const [remote, options] = [join(copy, "remote.git"), optionsOf(copy)];
      // A file that an earlier, killed run may have left.
      const leftover = `_site/.mirrorfeed/somewhere.${turn}.01234567-89ab-cdef-0123-456789abcdef.tmp`;
      cpSync(join(copy, "_site/index.html"), join(copy, leftover));
      await killAfter(startProgram([...command, ...history], options), ms, signal);
      await orphansEnded(join(copy, "tmp"));
      expect([before, after]).toContain(await listing(remote));
      expect(await runProgram([...command, ...history], options)).toMatchObject({ code: 0 });
      expect(await listing(remote)).toBe(after);
      await git(["-C", remote, "fsck", "--strict"]);
      // Git's signal handler must not remove folders, so a killed push leaves objects that only `git prune` removes.
      await git(["-C", remote, "prune", "--expire=now"]);
      const left = Object.keys(everything(remote)).filter((path) => /\.lock$|incoming-|tmp_obj/.test(path));
      expect(left).toEqual([]);
    });
  });
});
