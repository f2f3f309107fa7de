import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../../core/base/errors.ts";
import { makeTemporaryFolder } from "../../core/base/files/folders.ts";
import { runChildProcess } from "../../core/base/git/child-process.ts";
import type { CommandContext } from "../../core/base/terminal/context.ts";
import { quote } from "../../core/base/text/quote.ts";
import { packageFolder, product } from "../../core/base/files/package.ts";
import type { SiteFile } from "../../core/base/files/site-file.ts";
import { configJsonSchema } from "../../core/config/config-schema.ts";
import { validateConfig } from "../../core/config/validate.ts";
import { defaultKind } from "../../core/kinds/kinds.ts";
import { renderConfig } from "../add/config-file.ts";
import type { Delivery } from "../hosts/host.ts";
import { type Answers, schedules } from "./answers.ts";

export const ignoredPaths = ["_site/", ".mirrorfeed/", "mirrorfeed.key", "node_modules/"] as const;

/**
 * Returns mirrors.json and a copy of its schema, so that editors find the schema offline. Ids follow `usedId`. Throws
 * InputError if mirrors.json would not be valid.
 */
export function initFiles(answers: Answers, usedId = 0): SiteFile[] {
  const { system, project, target, kind, suite, url, interval, host, allowPrivate } = answers;
  const network = answers.mirrors.map((mirror, index) => ({ id: usedId + index + 1, url: mirror }));
  const primary = network.find((node) => node.url === answers.primary)?.id;
  const kindProbe =
    kind === defaultKind && suite === undefined ? undefined : { kind, [kind]: suite && { suite } };
  const targets = [{ target, primary, probe: kindProbe, network }];
  const text = renderConfig({
    $schema: "./mirrors.schema.json",
    systems: [{ system, projects: [{ project, targets }] }],
    probe: allowPrivate ? { allowPrivate } : undefined,
    site: { url, interval, host: host.name },
  });
  validateConfig(text, "The new mirrors.json");
  return [
    { path: "mirrors.json", content: text },
    { path: "mirrors.schema.json", content: `${JSON.stringify(configJsonSchema(), null, 2)}\n` },
  ];
}

export const workflowPath = ".github/workflows/refresh.yml";
const paths = [workflowPath, ".github/workflows/summary.js", ".github/workflows/validate.yml"];

/**
 * Returns a feed's workflows and the script that they run: those of this repository, with other values. Changes of
 * mirrors.json on `branch` start a run. Returns an empty array if the host needs no workflows.
 */
export async function workflowFiles(
  { interval, allowPrivate }: Pick<Answers, "interval" | "allowPrivate">,
  { pin }: Pick<FeedProgram, "pin">,
  { workflow: publish }: Delivery,
  branch?: string,
): Promise<SiteFile[]> {
  if (publish === undefined) return [];
  const values = {
    "- cron": schedules.get(interval),
    ...(branch !== undefined && { branches: [branch] }),
    MIRRORFEED: `npx --yes ${pin}`,
    PUBLISH: publish,
    PROBE_OPTIONS: allowPrivate ? "--allow-private" : "",
  };
  return Promise.all(
    paths.map(async (path) => {
      let content = await readFile(join(packageFolder, path), "utf8");
      for (const [key, value] of Object.entries(values))
        content = content.replace(new RegExp(`(?<=^ +${key}: ).*`, "m"), () => JSON.stringify(value));
      // npx installs the package before a later step sees the token.
      return { path, content: content.replaceAll("run: npm ci", "run: $MIRRORFEED --version") };
    }),
  );
}

export interface FeedProgram {
  /** The package that npx runs in the feed's folder: a version or a tarball. */
  readonly pin: string;
  /** The tarball, unless npx can download this version. */
  readonly files: readonly SiteFile[];
}

/** Finds how a new feed can run this version of mirrorfeed. Throws InputError if npm cannot pack it. */
export async function feedProgram({ environment, interrupt }: CommandContext): Promise<FeedProgram> {
  // The build writes this file during `npm publish` (esbuild.config.js).
  const isReleased = existsSync(join(packageFolder, "dist/released"));
  if (isReleased) return { pin: `mirrorfeed@${product.version}`, files: [] };
  const folder = makeTemporaryFolder("pack");
  try {
    const { code, output, errorOutput } = await runChildProcess({
      program: "npm",
      homepage: "https://nodejs.org",
      parameters: ["pack", packageFolder, "--ignore-scripts", "--silent", "--pack-destination", folder],
      environment,
      signal: interrupt,
    });
    const path = `mirrorfeed-${product.version}.tgz`;
    if (code === 0) {
      const content = await readFile(join(folder, output.toString().trim()));
      return { pin: `./${path}`, files: [{ path, content }] };
    }
    const reason = errorOutput.trim().split("\n").at(-1) ?? "";
    throw new InputError(
      `npm could not pack mirrorfeed for the workflow: ${quote(reason)}; repair npm and run again.`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
