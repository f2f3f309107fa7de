import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Where .ci/install-engines installs emulators of hosts and a registry, apart from mirrorfeed's dependencies. */
export const enginesFolder = join(import.meta.dirname, "../../../.ci/engines");
const { resolve } = createRequire(join(enginesFolder, "package.json"));

export function areInstalled(...packages: readonly string[]): boolean {
  return packages.every((name) => existsSync(join(enginesFolder, "node_modules", name, "package.json")));
}

/** Throws if the package lacks one of the expected exports. */
export async function loadInstalled<Exports>(name: string, ...expected: (keyof Exports)[]): Promise<Exports> {
  const loaded: unknown = await import(/* @vite-ignore */ pathToFileURL(resolve(name)).href);
  if (hasExports<Exports>(loaded, expected)) return loaded;
  throw new Error(`${name} is not the version it was.`);
}

function hasExports<Exports>(loaded: unknown, expected: (keyof Exports)[]): loaded is Exports {
  return typeof loaded === "object" && loaded !== null && expected.every((name) => name in loaded);
}
