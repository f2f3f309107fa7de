import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { advertisement } from "../support/advertisement.ts";
import { killAfter, orphansEnded, runProgram, startProgram, timeOf } from "../support/child.ts";
import { git, newRemote } from "../support/git.ts";
import { testbed } from "../support/start-testbed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { randomNumbers, seed, trials } from "../support/trials.ts";
import { writeConfig } from "../support/versions.ts";
import { parseState } from "../support/stored.ts";

const kills = trials(20, 200);

/** A feed whose state is in a file or on a branch. `runs` reads the ids of the runs in the state. */
async function feedWith(place: "a file" | "a branch") {
  const { url } = await testbed.startServer(advertisement());
  const folder = temporaryFolder();
  writeConfig(folder, "mirrors.json", ["packages", "search"], [url]);
  writeConfig(folder, "part.json", ["packages"], [url]);
  const remote = await newRemote();
  const read = async (): Promise<string> =>
    place === "a file"
      ? readFileSync(join(folder, ".mirrorfeed/state.json"), "utf8")
      : git(["--git-dir", remote, "show", "states:state.json"]);
  const state = place === "a file" ? [] : ["--state", "branch:states", "--state-remote", remote];
  return {
    folder,
    parameters: (id: string, config = "mirrors.json") =>
      ["run", "--config", config, "--run-id", id, "--out", `_site-${id}`].concat(state),
    runs: async () => parseState(await read(), "the state").runs.map(([id]) => id),
  };
}

test.each(["a file", "a branch"] as const)(
  `with a state in %s, ${kills} runs that are killed lose nothing (seed ${seed})`,
  async (place) => {
    const random = randomNumbers();
    const { folder, parameters, runs } = await feedWith(place);
    const temporary = temporaryFolder();
    const fullMs = await timeOf(parameters("first"), { folder });
    let known = await runs();
    for (let turn = 0; turn < kills; turn += 1) {
      const config = turn % 2 === 0 ? "part.json" : "mirrors.json";
      const environment = { TMPDIR: temporary };
      const child = startProgram(parameters(`killed-${turn}`, config), { folder, environment });
      await killAfter(child, (0.3 + 0.9 * random()) * fullMs, "SIGKILL");
      // A push goes on without the run that began it.
      await orphansEnded(temporary);
      const now = await runs();
      expect([known, [...known, `killed-${turn}`]]).toContainEqual(now);
      known = now;
      rmSync(join(folder, `_site-killed-${turn}`), { recursive: true, force: true });
    }
    expect(await runProgram(parameters("last"), { folder })).toMatchObject({ code: 0 });
    expect(await runs()).toEqual([...known, "last"]);
  },
);

// For a state in a file, two-runs.test.ts does the same with six builds.
test("with a state in a branch, three runs at once lose nothing", async () => {
  const { folder, parameters, runs } = await feedWith("a branch");
  expect(await runProgram(parameters("first"), { folder })).toMatchObject({ code: 0 });
  const atOnce = ["one", "two", "three"].map((id, index) =>
    runProgram(parameters(id, index === 2 ? "part.json" : "mirrors.json"), { folder }),
  );
  for (const ended of await Promise.all(atOnce)) expect(ended, ended.stderr).toMatchObject({ code: 0 });
  expect((await runs()).sort()).toEqual(["first", "one", "three", "two"]);
});
