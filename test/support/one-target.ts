import { writeFileSync } from "node:fs";
import { join } from "node:path";

export const target = "community/jcb/packages";

/**
 * Returns a mirrors.json with one target, whose mirrors may be on loopback. `more` overrides keys of the file, and
 * `ofTarget` overrides keys of the target.
 */
export function mirrorsOf(
  nodes: readonly { readonly url: string; readonly name?: string }[],
  more: object = {},
  ofTarget: object = {},
): string {
  const network = nodes.map((node, index) => ({ id: index + 1, ...node }));
  const projects = [{ project: "jcb", targets: [{ target: "packages", network, ...ofTarget }] }];
  const probe = { allowPrivate: true, timeout: "5s", attempts: 1 };
  return JSON.stringify({ systems: [{ system: "community", projects }], probe, ...more }, null, 2);
}

export function writeOneTarget(folder: string, urls: readonly string[], more: object = {}): void {
  const nodes = urls.map((url) => ({ url }));
  writeFileSync(join(folder, "mirrors.json"), mirrorsOf(nodes, more));
}
