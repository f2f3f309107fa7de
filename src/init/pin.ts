import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import * as z from "zod";
import { errorCode } from "../errors.ts";
import { tryParseJson } from "../text/parse-json.ts";
import { packageFolder, product } from "../files/package.ts";

/** What npm notes of an installation, and npx of its own (npm/arborist, "hidden lockfile"). */
const installationSchema = z.object({
  packages: z.record(z.string(), z.object({ resolved: z.string().optional() })),
});

/**
 * Returns the package that this program is, as npx takes it: the version if it was released, the commit if npm
 * installed it from a git repository that others can reach, else the file that `packProgram` makes. `folder` is that of
 * the package.
 */
export async function packagePin(folder: string = packageFolder): Promise<string> {
  if (await isReleased(folder)) return `mirrorfeed@${product.version}`;
  const name = basename(folder);
  const resolved = (await readInstallation(dirname(folder)))?.packages[`node_modules/${name}`]?.resolved;
  return commitPin(resolved ?? "") ?? `./mirrorfeed-${product.version}.tgz`;
}

/** The build within `npm publish` leaves a mark (esbuild.config.js). */
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
    // There is none in a checkout, and what is broken there is npm's concern.
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

/** `git+https://HOST/PATH#COMMIT`, without a user: a workflow is public, and a runner has no key for ssh. */
function commitPin(resolved: string): string | undefined {
  const { protocol, host, hostname, pathname, hash } = URL.canParse(resolved)
    ? new URL(resolved)
    : { protocol: "", host: "", hostname: "", pathname: "", hash: "" };
  const server = protocol === "git+https:" ? host : hostname;
  const pin = `git+https://${server}${pathname}${hash}`;
  const isReachable = protocol === "git+https:" || protocol === "git+ssh:";
  return isReachable && safePin.test(pin) ? pin : undefined;
}

/** It goes into YAML and onto the command line of a shell, so that nothing in it may mean anything there. */
const safePin = /^git\+https:\/\/[a-z0-9.-]+(?::\d{1,5})?\/[\w./~-]+#(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
