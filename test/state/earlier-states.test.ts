import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listNodes } from "../../src/config/nodes.ts";
import { validateConfig } from "../../src/config/validate.ts";
import { advance } from "../../src/state/advance.ts";
import { readCounts } from "../../src/state/counts.ts";
import { formatState, parseState } from "../../src/state/document.ts";
import { vantageOf } from "../support/rounds.ts";

const url = (port: number, path: string): string => `http://127.0.0.1:${port}/${path}`;
const config = validateConfig(
  JSON.stringify({
    probe: { allowPrivate: true },
    systems: [
      {
        system: "s",
        projects: [
          {
            project: "p",
            targets: [
              {
                target: "t",
                primary: 1,
                network: [
                  { id: 1, url: url(47001, "a/t") },
                  { id: 2, url: url(47002, "b/t") },
                ],
              },
              { target: "u", network: [{ id: 3, url: url(47002, "b/u") }] },
            ],
          },
        ],
      },
    ],
  }),
  "mirrors.json",
);

/**
 * States as the program of these commits wrote them, after two runs of the three mirrors above. The server of the mirrors
 * 2 and 3 was stopped before the second run.
 */
test.each([
  { commit: "7d3f2b2", shape: "schema 1" },
  { commit: "31d0428", shape: "the first of schema 2" },
  { commit: "4c0e09b", shape: "with the phase and the cause of a failure" },
  { commit: "86dc07f", shape: "with all refs" },
  { commit: "614f60c", shape: "with incidents" },
])("a state of $commit, $shape, is read, written and goes on with its history", ({ commit }) => {
  const text = readFileSync(join(import.meta.dirname, `earlier/${commit}.txt`), "utf8");
  const before = parseState(text, "state.json");
  expect(before.runs.map(([run]) => run)).toEqual(["one", "two"]);
  const [, second = 0] = before.runs.map(([, at]) => at);
  expect(Object.values(before.nodes).map(({ status, code }) => [status, code])).toEqual([
    [1, "ok"],
    [0, "refused"],
    [0, "refused"],
  ]);
  expect(parseState(formatState(before), "state.json")).toEqual(before);

  const at = second + 1_800_000;
  const round = { run: "three", at, vantages: [vantageOf("default", ["ok", "refused", "ok"])] };
  const { state } = advance(config, listNodes(config), round, before);
  expect(Object.values(state?.nodes ?? {}).map(({ status, since }) => [status, since])).toEqual([
    [1, before.nodes["1"]?.since],
    [0, second],
    [1, at],
  ]);
  expect(state?.nodes["3"]?.transitions).toEqual([
    [second, 0, "refused"],
    [at, 1, "ok"],
  ]);
  const days = Object.values(state?.vantages["default"]?.nodes ?? {}).flatMap((tally) =>
    readCounts(tally.days),
  );
  expect(days.map(({ count: { ok, failed } }) => [ok, failed])).toEqual([
    [3, 0],
    [1, 2],
    [2, 1],
  ]);
});
