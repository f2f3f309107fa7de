import { dirname, resolve } from "node:path";
import type { Config, Override } from "./schema.ts";
import { type CheckedConfig, checkConfig, formatProblems } from "./validate.ts";
import { InputError } from "../base/errors.ts";
import { logoProblem } from "./logo.ts";
import { readText } from "../base/files/read-text.ts";
import { isKindName, kinds } from "../kinds/kinds.ts";
import { isObject } from "./outline.ts";

export const maxConfigBytes = 64 * 1024 * 1024;

/** Returns the configuration in a file, with absolute paths. Throws InputError if it cannot be read or is not valid. */
export async function loadConfig(file: string): Promise<Config> {
  const checked = await checkConfigFile(file);
  if ("problems" in checked) throw new InputError(formatProblems(checked.problems, file));
  const { config } = checked;
  const absolute = (path: string): string => resolve(dirname(file), path);
  const probe = { ...withKeyrings(config.probe, absolute), ca: config.probe.ca.map(absolute) };
  const own = <Level extends Probed>(level: Level): Level =>
    level.probe === undefined ? level : { ...level, probe: withKeyrings(level.probe, absolute) };
  const systems = config.systems.map((system) => ({
    ...system,
    projects: system.projects.map((project) => ({
      ...own(project),
      targets: project.targets.map((target) => ({ ...own(target), network: target.network.map(own) })),
    })),
  }));
  return { ...config, systems, probe };
}

/**
 * Returns the configuration in a file, or else every problem. Unlike `checkConfig`, it also checks the files beside it that
 * pages show. Throws InputError if the file cannot be read.
 */
export async function checkConfigFile(file: string): Promise<CheckedConfig> {
  const checked = checkConfig(await readConfigText(file), file);
  if ("problems" in checked) return checked;
  const message = logoProblem(checked.config.site, dirname(file));
  if (message === undefined) return checked;
  return { problems: [{ path: "site.logo", line: checked.locate(["site", "logo"]), message }] };
}

/** A level of the configuration that may have settings of its own. */
interface Probed {
  readonly probe?: Override;
}

/** Returns settings with absolute paths of keyrings. */
function withKeyrings<Settings extends Override>(
  settings: Settings,
  absolute: (path: string) => string,
): Settings {
  const changed = Object.entries<unknown>(settings).flatMap(([kind, own]) => {
    if (!isKindName(kind) || !isObject(own)) return [];
    const { keyrings = [] } = kinds[kind];
    const paths = Object.entries(own).flatMap(([key, value]) =>
      keyrings.includes(key) && typeof value === "string" ? [[key, absolute(value)] as const] : [],
    );
    return [[kind, { ...own, ...Object.fromEntries(paths) }] as const];
  });
  return { ...settings, ...Object.fromEntries(changed) };
}

/** Returns the text of a configuration. Throws InputError if it cannot be read or is empty. */
export async function readConfigText(file: string): Promise<string> {
  const text = await readText(
    file,
    maxConfigBytes,
    "run mirrorfeed in the folder of mirrors.json, or name the file with --config",
    "make one with mirrorfeed init, or name yours with --config",
  );
  if (text.trim() !== "") return text;
  throw new InputError(`${file} is empty; remove it and run mirrorfeed init, or name yours with --config.`);
}
