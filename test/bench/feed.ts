import { listNodes } from "../../src/config/nodes.ts";
import type { Config } from "../../src/config/schema.ts";
import { validateConfig } from "../../src/config/validate.ts";
import type { Round } from "../../src/state/round.ts";

/** Returns a feed of this many targets, each with this many nodes. Each host has one node of every target. */
export function feedOfSize(targets: number, nodes: number): Config {
  const list = Array.from({ length: targets }, (_, target) => ({
    target: `t${target}`,
    network: Array.from({ length: nodes }, (__, node) => ({
      id: target * nodes + node + 1,
      url: `https://m${node}.example.org/group/t${target}`,
    })),
  }));
  const systems = [{ system: "bench", projects: [{ project: "mirrors", targets: list }] }];
  return validateConfig(JSON.stringify({ systems }), "the benchmark");
}

/** Returns a round at noon, this many days after 2026-01-01, in which every node was online. */
export function roundOf(config: Config, day = 0): Round {
  const at = Date.UTC(2026, 0, 1 + day, 12);
  const checked_at = new Date(at).toISOString();
  const observations = new Map(
    listNodes(config).map(({ id }) => [
      id,
      {
        id,
        code: "ok" as const,
        attempts: 1,
        latency_ms: 40 + (id % 90),
        checked_at,
        revision: "a".repeat(40),
      },
    ]),
  );
  return {
    run: `r${day}`,
    at,
    vantages: [{ name: "default", controls: [], observations, missingShards: [] }],
  };
}
