import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { runChildProcess } from "../../core/base/git/child-process.ts";
import { InputError } from "../../core/base/errors.ts";
import { packageFolder, product } from "../../core/base/files/package.ts";
import { quote } from "../../core/base/text/quote.ts";
import type { SiteFile } from "../../core/base/files/site-file.ts";
import { makeTemporaryFolder } from "../../core/base/files/folders.ts";
import type { CommandContext } from "../../core/base/terminal/context.ts";

export interface FeedProgram {
  /** The package that npx runs in the feed's folder: a version or a tarball. */
  readonly pin: string;
  /** The tarball, unless npx can download this version. */
  readonly files: readonly SiteFile[];
}

type Needed = Pick<CommandContext, "environment" | "interrupt">;

/** Finds how a new feed can run this version of mirrorfeed. Throws InputError if npm cannot pack it. */
export async function feedProgram(context: Needed, folder: string = packageFolder): Promise<FeedProgram> {
  // The build writes this file during `npm publish` (esbuild.config.js).
  const isReleased = existsSync(join(folder, "dist/released"));
  if (isReleased) return { pin: `mirrorfeed@${product.version}`, files: [] };
  const path = `mirrorfeed-${product.version}.tgz`;
  return { pin: `./${path}`, files: [{ path, content: await packProgram(context) }] };
}

async function packProgram({ environment, interrupt }: Needed): Promise<Buffer> {
  const folder = makeTemporaryFolder("pack");
  try {
    const { code, output, errorOutput } = await runChildProcess({
      program: "npm",
      homepage: "https://nodejs.org",
      parameters: ["pack", packageFolder, "--ignore-scripts", "--silent", "--pack-destination", folder],
      environment,
      signal: interrupt,
    });
    if (code === 0) return await readFile(join(folder, output.toString().trim()));
    const reason = errorOutput.trim().split("\n").at(-1) ?? "";
    throw new InputError(
      `npm could not pack mirrorfeed for the workflow: ${quote(reason)}; repair npm and run again.`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
