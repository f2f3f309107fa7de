import { readFile, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import * as z from "zod";
import { runChildProcess } from "../../base/git/child-process.ts";
import { gitOfUser, lineOf } from "../../base/git/git.ts";
import { errorCode, InputError } from "../../base/errors.ts";
import { packageFolder, product } from "../../base/files/package.ts";
import { tryParseJson } from "../../base/text/json.ts";
import { quote } from "../../base/text/quote.ts";
import type { SiteFile } from "../../base/files/site-file.ts";
import { makeTemporaryFolder } from "../../base/files/folders.ts";
import type { CommandContext } from "../../base/terminal/context.ts";

export interface FeedProgram {
  /** The package as an argument for npx in the folder of the feed. */
  readonly pin: string;
  /** The package itself, if it was neither released nor installed from a Git repository. */
  readonly files: readonly SiteFile[];
}

/** Returns what a new feed needs of this program. Throws InputError if npm has to pack it and fails. */
export async function feedProgram(
  context: Pick<CommandContext, "environment" | "interrupt">,
): Promise<FeedProgram> {
  const pin = await packagePin();
  const isFile = pin.startsWith("./");
  return { pin, files: isFile ? [{ path: pin.slice(2), content: await packProgram(context) }] : [] };
}

/** Returns the package of this program, packed by npm, since it was not released. */
async function packProgram({
  environment,
  interrupt,
}: Pick<CommandContext, "environment" | "interrupt">): Promise<Buffer> {
  const folder = makeTemporaryFolder("pack");
  try {
    const { code, output, errorOutput } = await runChildProcess({
      program: "npm",
      homepage: "https://nodejs.org",
      parameters: [
        ...["pack", packageFolder, "--ignore-scripts", "--silent"],
        ...["--pack-destination", folder, "--cache", join(folder, "cache")],
      ],
      environment: { ...environment, npm_config_dry_run: "false" },
      signal: interrupt,
      silenceMs: 120_000,
    });
    if (code !== 0) {
      const reason = errorOutput.trim().split("\n").at(-1) ?? "";
      throw new InputError(
        `npm could not pack mirrorfeed for the workflow: ${quote(reason)}; repair npm and run again.`,
      );
    }
    return await readFile(join(folder, output.toString().trim()));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

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

/** Returns the URL of the remote `origin` of the repository around a folder, or undefined without one. */
export async function remoteOf(
  folder: string,
  { environment, interrupt }: Pick<CommandContext, "environment" | "interrupt">,
): Promise<string | undefined> {
  try {
    const git = gitOfUser(environment, { signal: interrupt, timeoutMs: 10_000 });
    const { code, output } = await git(["remote", "get-url", "origin"], { folder });
    return code === 0 ? lineOf(output) : undefined;
  } catch (error) {
    // Git is missing or fails. It is not needed here.
    if (error instanceof InputError) return undefined;
    throw error;
  }
}
