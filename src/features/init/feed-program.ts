import { readFile, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import * as z from "zod";
import { runChildProcess } from "../../core/base/git/child-process.ts";
import { gitOfUser, lineOf } from "../../core/base/git/run-git.ts";
import { errorCode, InputError } from "../../core/base/errors.ts";
import { packageFolder, product } from "../../core/base/files/package.ts";
import { tryParseJson } from "../../core/base/text/json.ts";
import { quote } from "../../core/base/text/quote.ts";
import type { SiteFile } from "../../core/base/files/site-file.ts";
import { makeTemporaryFolder } from "../../core/base/files/folders.ts";
import type { CommandContext } from "../../core/base/terminal/context.ts";

export interface FeedProgram {
  /** The package that npx runs in the feed's folder: a version, a commit or a tarball. */
  readonly pin: string;
  /** The packed tarball, unless npx can download this version. */
  readonly files: readonly SiteFile[];
}

/** Finds how a new feed can run this version of mirrorfeed. Throws InputError if npm cannot pack it. */
export async function feedProgram(
  context: Pick<CommandContext, "environment" | "interrupt">,
): Promise<FeedProgram> {
  const pin = await packagePin();
  const isFile = pin.startsWith("./");
  return { pin, files: isFile ? [{ path: pin.slice(2), content: await packProgram(context) }] : [] };
}

/** Packs this version with npm, for versions that npx cannot download. */
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

/** What we read of the "hidden lockfile" (npm/arborist). npm and npx record in it what they installed. */
const installationSchema = z.object({
  packages: z.record(z.string(), z.object({ resolved: z.string().optional() })),
});

/**
 * Returns what to pass to npx: the version if this one was released, the commit if npm installed it from a public Git
 * repository, and otherwise the tarball from `packProgram`. `folder` is the package's folder.
 */
export async function packagePin(folder: string = packageFolder): Promise<string> {
  // The build writes this file during `npm publish` (esbuild.config.js).
  const released = await textOf(join(folder, "dist/released"));
  if (released?.trim() === product.version) return `mirrorfeed@${product.version}`;
  const installed = await textOf(join(dirname(folder), ".package-lock.json"));
  const packages = installationSchema.safeParse(tryParseJson(installed ?? "")).data?.packages;
  const resolved = packages?.[`node_modules/${basename(folder)}`]?.resolved;
  return commitPin(resolved ?? "") ?? `./mirrorfeed-${product.version}.tgz`;
}

/** Returns undefined if the file cannot be read. */
async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Returns `git+https://HOST/PATH#COMMIT` without a user name: workflows are public, and runners have no SSH key. */
function commitPin(resolved: string): string | undefined {
  const { protocol, host, hostname, pathname, hash } = URL.canParse(resolved)
    ? new URL(resolved)
    : { protocol: "", host: "", hostname: "", pathname: "", hash: "" };
  const server = protocol === "git+https:" ? host : hostname;
  const pin = `git+https://${server}${pathname}${hash}`;
  const isReachable = protocol === "git+https:" || protocol === "git+ssh:";
  return isReachable && safePin.test(pin) ? pin : undefined;
}

/**
 * The pin goes into YAML and a shell command, so it must not contain characters that are special in YAML or in a shell.
 */
const safePin = /^git\+https:\/\/[a-z0-9.-]+(?::\d{1,5})?\/[\w./~-]+#(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Returns the URL of the remote `origin` for the repository that contains a folder, or undefined. */
export async function remoteOf(
  folder: string,
  { environment, interrupt }: Pick<CommandContext, "environment" | "interrupt">,
): Promise<string | undefined> {
  try {
    const git = gitOfUser(environment, { signal: interrupt, timeoutMs: 10_000 });
    const { code, output } = await git(["remote", "get-url", "origin"], { folder });
    return code === 0 ? lineOf(output) : undefined;
  } catch (error) {
    // Git is optional here.
    if (error instanceof InputError) return undefined;
    throw error;
  }
}
