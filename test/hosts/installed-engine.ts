import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Where .ci/install-engines puts the emulators of hosts, apart from our own dependencies. */
export const enginesFolder = join(import.meta.dirname, "../../.ci/engines");
const { resolve } = createRequire(join(enginesFolder, "package.json"));

/** Whether all of these packages are installed. */
export function areInstalled(...packages: readonly string[]): boolean {
  return packages.every((name) => existsSync(join(enginesFolder, "node_modules", name, "package.json")));
}

/** The exports of an installed package; throws where they are not what `isExpected` knows. */
export async function loadInstalled<Exports>(
  name: string,
  isExpected: (exports: object) => exports is Exports & object,
): Promise<Exports> {
  const loaded: unknown = await import(/* @vite-ignore */ pathToFileURL(resolve(name)).href);
  if (typeof loaded === "object" && loaded !== null && isExpected(loaded)) return loaded;
  throw new Error(`${name} is not the version it was.`);
}
