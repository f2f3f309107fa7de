import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The folder of the hosts' emulators from .ci/install-engines, apart from the dependencies of mirrorfeed. */
export const enginesFolder = join(import.meta.dirname, "../../.ci/engines");
const { resolve } = createRequire(join(enginesFolder, "package.json"));

/** Returns whether all of these packages are installed. */
export function areInstalled(...packages: readonly string[]): boolean {
  return packages.every((name) => existsSync(join(enginesFolder, "node_modules", name, "package.json")));
}

/** Returns the exports of an installed package. Throws if `isExpected` is false for them. */
export async function loadInstalled<Exports>(
  name: string,
  isExpected: (exports: object) => exports is Exports & object,
): Promise<Exports> {
  const loaded: unknown = await import(/* @vite-ignore */ pathToFileURL(resolve(name)).href);
  if (typeof loaded === "object" && loaded !== null && isExpected(loaded)) return loaded;
  throw new Error(`${name} is not the version it was.`);
}
