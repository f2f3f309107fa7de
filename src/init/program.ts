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

/** This program, as a new feed gets it. */
export interface FeedProgram {
  /** The package as npx takes it in the folder of the feed. */
  readonly pin: string;
  /** What the pin needs in that folder: the package itself, unless it was released or is in a git repository. */
  readonly files: readonly SiteFile[];
  /** The script that makes the summary of a run on GitHub. */
  readonly summary: string;
}

/** Returns this program for a new feed. Throws InputError if it has to be packed and npm cannot. */
export async function feedProgram(
  context: Pick<CommandContext, "environment" | "interrupt">,
): Promise<FeedProgram> {
  const pin = await packagePin();
  const summary = await readFile(join(packageFolder, ".github/workflows/summary.js"), "utf8");
  if (!pin.startsWith("./")) return { pin, files: [], summary };
  return { pin, files: [{ path: pin.slice(2), content: await packProgram(context) }], summary };
}

/** Returns the package of this program as npm packs it: there is no other place to get it from yet. */
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
        `npm could not pack mirrorfeed for the workflow: ${quote(reason)}; mend npm and run again.`,
      );
    }
    return await readFile(join(folder, output.toString().trim()));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
