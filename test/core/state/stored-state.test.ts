import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { NodeState } from "../../../src/core/state/state-schema.ts";
import { maxBytes } from "../../../src/core/state/store.ts";
import { recorded } from "../../support/command-context.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { openState } from "../../support/stored.ts";

test("a state that would be too large to be read again is stored without its longest histories, and a warning says so", async () => {
  const folder = temporaryFolder();
  const state = join(folder, "state.json");
  const { context, logged } = recorded({ now: () => 10 });
  const stored = openState({ state, config: join(folder, "mirrors.json") }, context);
  const names = Array<string>(5).fill("\ufffd".repeat(1000));
  const short: NodeState = { status: 1, since: 7, transitions: [[7, 1, "ok"]] };
  const allNames = { missing: names, extra: names, different: names };
  const long: NodeState = { ...short, difference: { missing: 5, extra: 5, different: 5, names: allNames } };
  const others = Array.from({ length: 3499 }, (_, index) => [index + 2, long]);
  const nodes = { 1: short, ...Object.fromEntries(others) };
  const saved = await stored.save(() => ({
    ...{ schema: 1, runs: [["r", 7]], nodes, references: {} },
    vantages: { default: { times: [7], nodes: {} } },
  }));
  expect(statSync(state).size).toBeLessThanOrEqual(maxBytes);
  expect(saved.nodes["1"]).toEqual(short);
  expect(saved.nodes["2"]?.difference?.names.missing).toEqual([]);
  const warning = /^Warning: the state would be larger than 128 MiB, so the mirrors/;
  expect(logged).toEqual([expect.stringMatching(warning)]);
  const loaded = await openState({ state, config: "mirrors.json" }, context).load();
  expect(loaded).toEqual(JSON.parse(JSON.stringify(saved)));
  const { context: past } = recorded({ now: () => 7 - 5 * 60_000 - 1 });
  await expect(openState({ state, config: "mirrors.json" }, past).load()).rejects.toThrow(
    `The state in ${state} has a run of 1970-01-01T00:00:00.007Z, after this machine's current time; correct its clock, or restore an earlier state.`,
  );
});

test("a state that is not UTF-8 is never a first run", async () => {
  const state = join(temporaryFolder(), "state.json");
  writeFileSync(state, Buffer.from([0x7b, 0xff, 0x7d]));
  const stored = openState({ state, config: "mirrors.json" }, recorded().context);
  const sentence = `${state} is not UTF-8 text; restore the state, or name another file with --state.`;
  await expect(stored.load()).rejects.toThrow(sentence);
  await expect(
    stored.save(() => {
      throw new Error("An update was asked for.");
    }),
  ).rejects.toThrow(sentence);
  expect(readFileSync(state)).toEqual(Buffer.from([0x7b, 0xff, 0x7d]));
});
