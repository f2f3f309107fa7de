import { describe, expect, test } from "vitest";
import { listNodes } from "../../src/config/nodes.ts";
import { validateConfig } from "../../src/config/validate.ts";
import { advance } from "../../src/state/advance.ts";
import type { State } from "../../src/state/document.ts";
import { type Seen, vantageOf } from "../support/rounds.ts";

const hour = 3_600_000;
const start = Date.parse("2026-03-01T00:00:00Z");

/** Returns an observation of a revision, by the first digit of its id. */
function at(digit: string): Seen {
  return { revision: digit.repeat(40), branch: "main" };
}

/** Returns a function that applies a run at an hour, and returns the statuses of the three nodes after it. */
function playing(probe: object, offlineAfter = "24h") {
  const network = [1, 2, 3].map((id) => ({ id, url: `https://m${id}.example.org/x` }));
  const targets = [{ target: "t", primary: 1, freshness: { offlineAfter }, network }];
  const systems = [{ system: "s", projects: [{ project: "p", targets }] }];
  const config = validateConfig(JSON.stringify({ systems, probe }), "mirrors.json");
  const nodes = listNodes(config);
  let state: State | undefined;
  return (hours: number, ...seen: readonly Seen[]) => {
    const vantages = [vantageOf("default", seen, ["ok"])];
    const round = { run: `r${hours}`, at: start + hours * hour, vantages };
    state = advance(config, nodes, round, state).state;
    return [1, 2, 3].map((id) => state?.nodes[String(id)]?.status);
  };
}

describe("a mirror whose content is wrong stays online", () => {
  test("until another one is online again, damping included", () => {
    const run = playing({ upAfter: 3 });
    run(0, at("a"), at("a"), at("a"));
    run(1, at("b"), at("a"), "timeout");
    expect(run(2, "timeout", at("a"), "timeout")).toEqual([0, 1, 0]);
    // The primary answers again, and counts as online from its third answer.
    expect(run(30, at("b"), at("a"), "timeout")).toEqual([0, 1, 0]);
    expect(run(31, at("b"), at("a"), "timeout")).toEqual([0, 1, 0]);
    expect(run(32, at("b"), at("a"), "timeout")).toEqual([1, 0, 0]);
  });

  test("at once if it was offline for its content alone and is the last one", () => {
    const run = playing({ upAfter: 3 }, "0s");
    run(0, at("a"), at("a"), at("a"));
    expect(run(1, at("b"), at("a"), "timeout")).toEqual([1, 0, 0]);
    expect(run(2, "timeout", at("a"), "timeout")).toEqual([0, 1, 0]);
  });

  test("although one with newer content answers again", () => {
    const run = playing({ upAfter: 2 });
    run(0, at("a"), at("a"), at("a"));
    run(1, at("b"), at("a"), at("a"));
    run(2, at("c"), at("a"), at("b"));
    expect(run(3, "timeout", at("a"), "timeout")).toEqual([0, 1, 0]);
    expect(run(40, "timeout", at("a"), at("b"))).toEqual([0, 1, 0]);
  });

  test("not at once if it did not answer before", () => {
    const run = playing({ upAfter: 2 }, "0s");
    run(0, at("a"), at("a"), at("a"));
    expect(run(1, at("b"), "timeout", "timeout")).toEqual([1, 0, 0]);
    expect(run(2, "timeout", at("a"), "timeout")).toEqual([0, 0, 0]);
    expect(run(3, "timeout", at("a"), "timeout")).toEqual([0, 1, 0]);
  });
});
