import { listNodes } from "../../src/core/config/nodes.ts";
import type { Config } from "../../src/core/config/config-schema.ts";
import { validateConfig } from "../../src/core/config/validate.ts";

/** Returns a configuration with this many targets, `t0`, `t1`, …, in one project. Each has two nodes. */
export function largeConfig(targets: number): Config {
  const list = Array.from({ length: targets }, (_, index) => ({
    target: `t${index}`,
    network: [0, 1].map((copy) => ({
      id: index * 2 + copy + 1,
      url: `https://m${copy}.example.org/large/t${index}`,
    })),
  }));
  const systems = [{ system: "large", projects: [{ project: "all", targets: list }] }];
  return validateConfig(JSON.stringify({ systems }), "large.json");
}

/** Returns statuses by node id: nodes with odd ids are online, the others offline. */
export function halfOnline(config: Config): Map<number, 0 | 1> {
  return new Map(listNodes(config).map(({ id }) => [id, id % 2 === 1 ? 1 : 0]));
}
