import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { quote } from "../base/text/quote.ts";
import type { Config } from "./config-schema.ts";
import { type CheckedConfig, checkConfig, formatProblems, locate } from "./validate.ts";
import { InputError } from "../base/errors.ts";
import { readText } from "../base/files/read-text.ts";
import type { Problem } from "./json-document.ts";
import { fileProblems, resolveFiles } from "./named-files.ts";

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

/** Checks the file that `site.logo` names, in `public/` below `folder`. */
function logoProblems({ logo }: Config["site"], folder: string): Problem[] {
  if (logo === undefined) return [];
  const file = join(folder, "public", logo);
  if (existsSync(file) && statSync(file).isFile()) return [];
  const message = `${quote(file)} is not a file; put the image there, or correct the path`;
  return [{ path: ["site", "logo"], message }];
}
