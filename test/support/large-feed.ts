import { listNodes } from "../../src/core/config/nodes.ts";
import type { Config } from "../../src/core/config/config-schema.ts";
import { configFrom, networkAt } from "./mirrors-json.ts";

/** Returns a configuration with this many targets, `t0`, `t1`, …, in one project. Each has two nodes. */
export function largeConfig(targets: number): Config {
  const list = Array.from({ length: targets }, (_, index) => ({
    target: `t${index}`,
    network: networkAt(
      [0, 1].map((copy) => `https://m${copy}.example.org/large/t${index}`),
      index * 2 + 1,
    ),
  }));
  return configFrom({ systems: [{ system: "large", projects: [{ project: "all", targets: list }] }] });
}

/** Returns statuses by node id: nodes with odd ids are online, the others offline. */
export function halfOnline(config: Config): Map<number, 0 | 1> {
  return new Map(listNodes(config).map(({ id }) => [id, id % 2 === 1 ? 1 : 0]));
}
