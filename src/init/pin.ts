import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import * as z from "zod";
import { errorCode } from "../errors.ts";
import { tryParseJson } from "../text/parse-json.ts";
import { packageFolder, product } from "../files/package.ts";

/** The record that npm and npx keep of an installation (npm/arborist, "hidden lockfile"). */
const installationSchema = z.object({
  packages: z.record(z.string(), z.object({ resolved: z.string().optional() })),
});

/**
 * Returns the package of this program as an argument for npx: the version if it was released, the commit if npm
 * installed it from a public Git repository, else the file that `packProgram` creates. `folder` holds the package.
 */
export async function packagePin(folder: string = packageFolder): Promise<string> {
  if (await isReleased(folder)) return `mirrorfeed@${product.version}`;
  const name = basename(folder);
  const resolved = (await readInstallation(dirname(folder)))?.packages[`node_modules/${name}`]?.resolved;
  return commitPin(resolved ?? "") ?? `./mirrorfeed-${product.version}.tgz`;
}

/** Returns whether the build ran within `npm publish`, which writes this file (esbuild.config.js). */
async function isReleased(folder: string): Promise<boolean> {
  try {
    return (await readFile(join(folder, "dist/released"), "utf8")).trim() === product.version;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

async function readInstallation(folder: string): Promise<z.infer<typeof installationSchema> | undefined> {
  try {
    const text = await readFile(join(folder, ".package-lock.json"), "utf8");
    return installationSchema.safeParse(tryParseJson(text)).data;
  } catch (error) {
    // A checkout has no such file.
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
