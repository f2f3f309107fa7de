import { type Addition, editedNode, levels, type MergedNodes } from "./edit-nodes.ts";
import { listNodes, type TargetNames } from "../../core/config/nodes.ts";
import { validateConfig } from "../../core/config/validate.ts";

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

/** Renders a new mirrors.json with one target for the mirrors. `file` is the file's name in error messages. */
export function newNodesFile(file: string, addition: Addition): MergedNodes {
  const { probe, mirrors, usedId = 0 } = addition;
  const network = mirrors.map(({ url, name }, index) => ({
    id: usedId + index + 1,
    ...(name !== undefined && { name }),
    url,
  }));
  const text = renderConfig(addition, network, { probe });
  const config = validateConfig(text, `${file} with these mirrors added`);
  const [first] = listNodes(config);
  return {
    ...{ text, config, created: levels, settings: first?.settings, added: network.map(editedNode) },
    ...{ known: 0, missing: [], isRemoved: false },
  };
}
