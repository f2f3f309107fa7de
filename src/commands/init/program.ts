import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { runChildProcess } from "../../base/git/child-process.ts";
import { InputError } from "../../base/errors.ts";
import { packageFolder } from "../../base/files/package.ts";
import { quote } from "../../base/text/quote.ts";
import type { SiteFile } from "../../base/files/site-file.ts";
import { makeTemporaryFolder } from "../../base/files/folders.ts";
import type { CommandContext } from "../../base/terminal/context.ts";
import { packagePin } from "./pin.ts";
import { summaryPath, validatePath, workflowPath } from "./workflow.ts";

/** The text of each file that `init` copies, by path. */
export type Workflows = Readonly<
  Record<typeof workflowPath | typeof validatePath | typeof summaryPath, string>
>;

/** What a new feed needs of this program. */
export interface FeedProgram {
  /** The package as an argument for npx in the folder of the feed. */
  readonly pin: string;
  /** The package itself, if it was neither released nor installed from a Git repository. */
  readonly files: readonly SiteFile[];
  /** The workflows of this program's own repository and their script, by path. */
  readonly workflows: Workflows;
}

/** Returns what a new feed needs of this program. Throws InputError if npm has to pack it and fails. */
export async function feedProgram(
  context: Pick<CommandContext, "environment" | "interrupt">,
): Promise<FeedProgram> {
  const pin = await packagePin();
  const workflows = await ownWorkflows();
  if (!pin.startsWith("./")) return { pin, files: [], workflows };
  return { pin, files: [{ path: pin.slice(2), content: await packProgram(context) }], workflows };
}

/** Returns the files that `init` copies, from this package. */
export async function ownWorkflows(): Promise<Workflows> {
  const read = (path: string): Promise<string> => readFile(join(packageFolder, path), "utf8");
  return {
    [workflowPath]: await read(workflowPath),
    [validatePath]: await read(validatePath),
    [summaryPath]: await read(summaryPath),
  };
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
