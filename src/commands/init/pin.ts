import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import * as z from "zod";
import { errorCode } from "../../base/errors.ts";
import { tryParseJson } from "../../base/text/json.ts";
import { packageFolder, product } from "../../base/files/package.ts";

/** The record that npm and npx keep of an installation (npm/arborist, "hidden lockfile"). */
const installationSchema = z.object({
  packages: z.record(z.string(), z.object({ resolved: z.string().optional() })),
});

/**
 * Returns the package of this program as an argument for npx: the version if it was released, the commit if npm
 * installed it from a public Git repository, else the file that `packProgram` creates. `folder` holds the package.
 */
export async function packagePin(folder: string = packageFolder): Promise<string> {
  // A build within `npm publish` writes this file (esbuild.config.js).
  const released = await textOf(join(folder, "dist/released"));
  if (released?.trim() === product.version) return `mirrorfeed@${product.version}`;
  const installed = await textOf(join(dirname(folder), ".package-lock.json"));
  const packages = installationSchema.safeParse(tryParseJson(installed ?? "")).data?.packages;
  const resolved = packages?.[`node_modules/${basename(folder)}`]?.resolved;
  return commitPin(resolved ?? "") ?? `./mirrorfeed-${product.version}.tgz`;
}

/** Returns the text of a file, or undefined if it cannot be read. */
async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Returns `git+https://HOST/PATH#COMMIT` without a user, since a workflow is public and a runner has no SSH key. */
function commitPin(resolved: string): string | undefined {
  const { protocol, host, hostname, pathname, hash } = URL.canParse(resolved)
    ? new URL(resolved)
    : { protocol: "", host: "", hostname: "", pathname: "", hash: "" };
  const server = protocol === "git+https:" ? host : hostname;
  const pin = `git+https://${server}${pathname}${hash}`;
  const isReachable = protocol === "git+https:" || protocol === "git+ssh:";
  return isReachable && safePin.test(pin) ? pin : undefined;
}

/** The pin is written into YAML and a shell command, so it holds no character that is special in either. */
const safePin = /^git\+https:\/\/[a-z0-9.-]+(?::\d{1,5})?\/[\w./~-]+#(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
