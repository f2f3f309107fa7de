import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nextBeat, watch } from "../../src/commands/watch.ts";
import { advertisement } from "../../src/demo/advertisement.ts";
import { startServer } from "../../src/demo/server.ts";
import { isWritten } from "../../src/site/write.ts";
import { newFolder, writeConfig } from "../faults/versions.ts";
import { recorded } from "./surroundings.ts";

test.each([
  ["a quick run waits for the next beat", 0, 100, 1, 900, 0],
  ["a run of exactly a beat goes on at once", 0, 1000, 1, 0, 0],
  ["a run a little over leaves one out", 0, 1001, 2, 999, 1],
  ["a run of five beats leaves four out", 0, 4999, 5, 1, 4],
  ["the beat does not drift", 7, 8300, 9, 700, 1],
  ["a clock that went back is not waited for", 3, -200_000_000, 4, 1000, 0],
  ["after a sleep of days the next beat is right", 3, 200_000_300, 200_001, 700, 199_997],
])("%s", (_, beat, now, next, inMs, skipped) => {
  expect(nextBeat(0, 1000, now, beat)).toEqual({ beat: next, inMs, skipped });
});

test("a round that fails says why, and the next one is right", async () => {
  const server = await startServer(advertisement());
  const folder = newFolder();
  const [config, out] = [join(folder, "mirrors.json"), join(folder, "_site")];
  writeConfig(folder, "mirrors.json", ["packages"], [server.url]);
  const written: boolean[] = [];
  const waits: number[] = [];
  /** What somebody does between the rounds; the watch ends after the last. */
  const meanwhile = [
    () => {
      rmSync(join(out, ".mirrorfeed"), { recursive: true });
    },
    () => {
      rmSync(out, { recursive: true });
      writeFileSync(config, "{");
    },
    () => undefined,
  ];
  let now = 0;
  const { setting, told } = recorded({ now: () => now });
  const code = await watch(
    { config, out, state: join(folder, "state.json"), everyMs: 60_000 },
    setting,
    (ms) => {
      now += ms;
      waits.push(ms);
      written.push(existsSync(out) && isWritten(out));
      meanwhile.shift()?.();
      return Promise.resolve(meanwhile.length > 0);
    },
  );
  await server.close();
  expect({ code, written, waits }).toEqual({
    code: 0,
    written: [true, false, true],
    waits: [60_000, 60_000, 60_000],
  });
  expect(told).toEqual([
    expect.stringMatching(/_site: \d+ files written/),
    expect.stringMatching(/^1970-01-01T00:01:00Z .*_site holds what mirrorfeed did not write/),
    expect.stringMatching(/mirrors\.json is not JSON:\n.*\nThe mirrors\.json before it stays in force\.$/),
    expect.stringMatching(/_site: \d+ files written/),
  ]);
});
