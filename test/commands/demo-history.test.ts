import { expect, test } from "vitest";
import { listNodes } from "../../src/config/nodes.ts";
import { validateConfig } from "../../src/config/validate.ts";
import type { Results } from "../../src/probe/observation.ts";
import { formatState, parseState } from "../../src/state/document.ts";
import { inventHistory } from "../../src/commands/demo-history.ts";

const now = Date.parse("2026-11-21T12:00:00Z");
const names = ["primary", "copy", "refuses", "broken"];
const config = validateConfig(
  JSON.stringify({
    systems: [
      {
        system: "demo",
        projects: [
          {
            project: "p",
            targets: [
              {
                target: "t",
                network: names.map((name, index) => ({
                  id: index + 1,
                  name: `${name} - x`,
                  url: `https://${name}.example.org/t`,
                })),
              },
            ],
          },
        ],
      },
    ],
    site: { interval: "6h" },
    maintenance: [{ scope: 4, from: "2026-11-21T11:00:00Z", to: "2026-11-21T17:00:00Z", reason: "disks" }],
  }),
  "the demo",
);
const at = new Date(now).toISOString();
const codes = ["ok", "ok", "refused", "http_status"];
const results: Results = {
  ...{ schema: 1, run: "r", vantage: "default", shard: { index: 1, count: 1 }, config: "", prober: "" },
  ...{ started_at: at, finished_at: at, controls: [] },
  observations: codes.map((code, index) => ({ id: index + 1, code, attempts: 1, checked_at: at })),
};
const state = inventHistory(config, listNodes(config), results, now);

test("ends in what is observed now, and a mirror in maintenance was online", () => {
  const nodes = state?.nodes ?? {};
  expect(Object.values(nodes).map(({ status, code }) => [status, code])).toEqual([
    [1, "ok"],
    [1, "ok"],
    [0, "refused"],
    [1, "ok"],
  ]);
  expect(nodes["3"]?.since).toBeGreaterThan(now - 2 * 86_400_000);
});

test("has an outage of the copies, forty days ago, and no run of now", () => {
  const outages = Object.values(state?.incidents ?? {}).filter(({ host }) => host.startsWith("copy"));
  expect(outages).toMatchObject([{ code: "refused" }]);
  expect((now - (outages[0]?.start ?? 0)) / 86_400_000).toBeCloseTo(40, 0);
  expect(state?.runs.at(-1)?.[1]).toBe(now - 6 * 3_600_000);
  expect(state?.vantages["default"]?.times).not.toEqual([]);
});

test("is the same in every demo, and a state as any other", () => {
  expect(inventHistory(config, listNodes(config), results, now)).toEqual(state);
  if (state === undefined) throw new Error("There is no state.");
  expect(parseState(formatState(state), "the demo")).toEqual(JSON.parse(JSON.stringify(state)));
});
