import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nextRunAt, watch } from "../../../src/app/commands/watch-command.ts";
import { advertisement } from "../../support/advertisement.ts";
import { misbehaviours as lab } from "../../support/misbehaviours.ts";
import type { Handler } from "../../support/mirror-server.ts";
import { readManifest } from "../../../src/core/site/manifest.ts";
import { writeOneTarget } from "../../support/one-target.ts";
import { testbed } from "../../support/start-testbed.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { recorded } from "../../support/command-context.ts";

test.each([
  ["a quick run waits for the next interval", 0, 100, 1, 900, 0],
  ["a run of exactly one interval goes on at once", 0, 1000, 1, 0, 0],
  ["a run a little over leaves one out", 0, 1001, 2, 999, 1],
  ["a run of five intervals leaves four out", 0, 4999, 5, 1, 4],
  ["the interval does not drift", 7, 8300, 9, 700, 1],
  ["a clock that went back is not waited for", 3, -200_000_000, 4, 1000, 0],
  ["after a sleep of days the next interval is right", 3, 200_000_300, 200_001, 700, 199_997],
])("%s", (_, index, now, next, inMs, skipped) => {
  expect(nextRunAt(0, 1000, now, index)).toEqual({ index: next, inMs, skipped });
});

test("a round that fails says why, and the next one is right", async () => {
  const server = await testbed.startServer(advertisement());
  const folder = temporaryFolder();
  const [config, out, state] = [
    join(folder, "mirrors.json"),
    join(folder, "_site"),
    join(folder, "state.json"),
  ];
  writeOneTarget(folder, [server.url]);
  const written: boolean[] = [];
  const waits: number[] = [];
  /** Actions to run between rounds. The watch ends after the last one. */
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
  const { context, logged } = recorded({ now: () => now });
  const code = await watch({ config, out, state, everyMs: 60_000 }, context, (ms) => {
    now += ms;
    waits.push(ms);
    written.push(existsSync(out) && readManifest(out)?.finished === true);
    meanwhile.shift()?.();
    return Promise.resolve(meanwhile.length > 0);
  });
  expect([code, written, waits]).toEqual([0, [true, false, true], [60_000, 60_000, 60_000]]);
  expect(logged).toEqual([
    expect.stringMatching(/^1970-01-01T00:01:00Z .*_site contains files that mirrorfeed did not write/),
    expect.stringMatching(
      /^1970-01-01T00:02:00Z .*mirrors\.json has 1 problem:\n.*\nThe previous mirrors\.json stays in use\.$/,
    ),
  ]);
});

test("each run says which mirrors changed, and how", async () => {
  const head = (digit: string): Handler => {
    const id = digit.repeat(40);
    return advertisement([
      { id, name: "HEAD" },
      { id, name: "refs/heads/main" },
    ]);
  };
  let handlers = [head("1"), head("1"), head("1")];
  const servers = await Promise.all(
    [0, 1, 2].map((place) => testbed.startServer((exchange) => handlers[place]?.(exchange))),
  );
  const folder = temporaryFolder();
  const urls = servers.map(({ url }) => `${url}/a`);
  writeOneTarget(folder, urls, { freshness: { grace: "1m" }, probe: { allowPrivate: true, attempts: 1 } });
  /**
   * The mirrors' answers in each run after the first. The answers in the last two runs are the same as in the run before
   * them, but the third mirror has been behind for the grace by then.
   */
  const later = [
    [head("1"), head("1"), lab.serverError()],
    [head("2"), head("2"), head("1")],
    [head("2"), head("2"), head("1")],
    [head("2"), head("2"), head("1")],
  ];
  let now = 0;
  const { context, printed } = recorded({ now: () => now });
  const [config, out, state] = [
    join(folder, "mirrors.json"),
    join(folder, "_site"),
    join(folder, "state.json"),
  ];
  await watch({ config, out, state, everyMs: 60_000 }, context, (ms) => {
    now += ms;
    const next = later.shift();
    handlers = next ?? handlers;
    return Promise.resolve(next !== undefined);
  });
  const third = `${(urls[2] ?? "").replace("http://", "")} (community/jcb/packages, mirror 3)`;
  expect(printed.map((line) => line.replace(/^1970-01-01T00:0\d:00Z /, ""))).toEqual([
    "3 mirrors: 3 online.",
    `${third} is offline now (was online). It answered with an HTTP error (HTTP 500).`,
    "3 mirrors: 2 online, 1 offline.",
    `${third} is online now (was offline).`,
    "3 mirrors: 3 online.",
    `${third} is behind now (was online). It has been behind for 1 minute: it still has the reference's earlier content.`,
    "3 mirrors: 2 online, 1 behind.",
  ]);
});
