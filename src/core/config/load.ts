import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { gitOfUser, lineOf, outputOf } from "../base/git/run-git.ts";
import type { CommandContext } from "../base/terminal/context.ts";
import { quote } from "../base/text/quote.ts";
import type { Config } from "./config-schema.ts";
import { checkConfig, type CheckedConfig, formatProblems, locate } from "./validate.ts";
import { InputError } from "../base/errors.ts";
import { checkKeyring, loadCertificates, readText } from "../base/files/read-text.ts";
import type { Problem } from "./json-document.ts";
import { isObject, outline } from "./outline.ts";

const maxConfigBytes = 64 * 1024 * 1024;

/** Loads a configuration. Throws InputError if it cannot be read or is invalid. */
export async function loadConfig(file: string): Promise<Config> {
  const checked = await checkConfigFile(file);
  if ("config" in checked) return checked.config;
  throw new InputError(formatProblems(checked.problems, file));
}

/** Checks a configuration and its logo, and makes its file names absolute. `readsFiles` checks the other files, too. */
export async function checkConfigFile(file: string, readsFiles = false): Promise<CheckedConfig> {
  const checked = checkConfig(await readConfigText(file), file);
  if ("problems" in checked) return checked;
  const { config, lineOf } = checked;
  resolveFiles(config, dirname(file));
  const problems = [
    ...logoProblems(config.site, dirname(file)),
    ...(readsFiles ? await fileProblems(config) : []),
  ];
  return problems.length === 0 ? checked : { problems: locate(problems, lineOf) };
}

export async function readConfigText(file: string): Promise<string> {
  return readText(
    file,
    maxConfigBytes,
    "run mirrorfeed in the folder of mirrors.json, or name the file with --config",
    "make one with mirrorfeed init, or name yours with --config",
  );
}

/**
 * Returns the text of `file` at the Git revision or in the .json file `before`; undefined if the revision lacks it. A
 * revision takes precedence, because a pull request could add a file of the same name.
 */
export async function loadTextBefore(
  before: string,
  file: string,
  { environment, interrupt }: Pick<CommandContext, "environment" | "interrupt">,
): Promise<string | undefined> {
  const folder = dirname(file);
  const git = gitOfUser(environment, { signal: interrupt, timeoutMs: 60_000 });
  const commit = await git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${before}^{commit}`], {
    folder,
  });
  if (commit.code !== 0) {
    if (before.endsWith(".json") && existsSync(before) && statSync(before).isFile())
      return readConfigText(before);
    throw new InputError(
      `${quote(before)} is neither a Git revision in this repository nor a .json file; name a revision such as origin/main, and fetch it first.`,
    );
  }
  const failure = `${file} cannot be read at ${quote(before)}`;
  const revision = lineOf(commit.output);
  const listed = outputOf(await git(["ls-tree", revision, "--", basename(file)], { folder }), failure);
  if (listed.length === 0) return undefined;
  const blob = await git(["cat-file", "blob", `${revision}:./${basename(file)}`], { folder });
  return outputOf(blob, failure).toString();
}

/** Checks the file that `site.logo` names, in `public/` below `folder`. */
function logoProblems({ logo }: Config["site"], folder: string): Problem[] {
  if (logo === undefined) return [];
  const file = join(folder, "public", logo);
  if (existsSync(file) && statSync(file).isFile()) return [];
  const message = `${quote(file)} is not a file; put the image there, or correct the path`;
  return [{ path: ["site", "logo"], message }];
}

/** Makes the names of the files in a configuration absolute; relative ones start at `folder`. */
export function resolveFiles(config: Config, folder: string): void {
  config.probe.ca = config.probe.ca.map((file) => resolve(folder, file));
  for (const { file, options } of keyringsOf(config)) options["keyring"] = resolve(folder, file);
}

/** Checks the certificate authorities and keyrings that a configuration names. */
export async function fileProblems(config: Config): Promise<Problem[]> {
  const files = [
    ...config.probe.ca.map((file, index) => ({
      path: ["probe", "ca", index],
      file,
      check: loadCertificates,
    })),
    ...keyringsOf(config).map(({ path, file }) => ({ path, file, check: checkKeyring })),
  ];
  const problems: Problem[] = [];
  for (const { path, file, check } of files)
    try {
      await check(file, "put the file there, or correct the path");
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      problems.push({ path, message: error.message.replace(/\.$/, "") });
    }
  return problems;
}

function keyringsOf(config: Config) {
  return outline(config).flatMap(({ path, fields: { probe } }) =>
    Object.entries(isObject(probe) ? probe : {}).flatMap(([kind, options]) => {
      const file = isObject(options) ? options["keyring"] : undefined;
      if (!isObject(options) || typeof file !== "string") return [];
      return [{ path: [...path, "probe", kind, "keyring"], file, options }];
    }),
  );
}
