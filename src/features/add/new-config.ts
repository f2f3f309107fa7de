import type { TargetNames } from "../../core/config/nodes.ts";

/** Renders a mirrors.json with one target, and one line for each node. `more` holds keys to write after `systems`. */
export function renderConfig(
  { system, project, target }: TargetNames,
  network: readonly object[],
  ofTarget: Readonly<Record<string, unknown>>,
  { $schema, ...more }: Readonly<Record<string, unknown>> = {},
): string {
  const targets = [{ target, ...ofTarget, network: [] }];
  const file = { $schema, systems: [{ system, projects: [{ project, targets }] }], ...more };
  const indent = "\n".padEnd(15);
  const lines = network.map((node) => `${indent}  ${JSON.stringify(node, null, 1).replaceAll(/\n */g, " ")}`);
  const text = JSON.stringify(file, null, 2).replace(
    '"network": []',
    () => `"network": [${lines.join(",")}${indent}]`,
  );
  return `${text}\n`;
}
