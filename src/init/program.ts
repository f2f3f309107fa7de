import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { runChildProcess } from "../git/child-process.ts";
import { InputError } from "../errors.ts";
import { packageFolder } from "../files/package.ts";
import { quote } from "../text/quote.ts";
import type { SiteFile } from "../files/site-file.ts";
import { makeTemporaryFolder } from "../files/temporary-folder.ts";
import type { CommandContext } from "../terminal/context.ts";
import { packagePin } from "./pin.ts";

/** What a new feed needs of this program. */
export interface FeedProgram {
  /** The package as an argument for npx in the folder of the feed. */
  readonly pin: string;
  /** The package itself, if it was neither released nor installed from a Git repository. */
  readonly files: readonly SiteFile[];
  /** The script that writes the summary of a run on GitHub. */
  readonly summary: string;
}

/** Returns what a new feed needs of this program. Throws InputError if npm has to pack it and fails. */
export async function feedProgram(
  context: Pick<CommandContext, "environment" | "interrupt">,
): Promise<FeedProgram> {
  const pin = await packagePin();
  const summary = await readFile(join(packageFolder, ".github/workflows/summary.js"), "utf8");
  if (!pin.startsWith("./")) return { pin, files: [], summary };
  return { pin, files: [{ path: pin.slice(2), content: await packProgram(context) }], summary };
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
