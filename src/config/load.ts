import { dirname, resolve } from "node:path";
import type { Config } from "./schema.ts";
import { validateConfig } from "./validate.ts";
import { readText } from "../files/read-text.ts";

const maxBytes = 64 * 1024 * 1024;

/** Returns the configuration in a file, with absolute paths. Throws InputError if it cannot be read or is not valid. */
export async function loadConfig(file: string): Promise<Config> {
  const config = validateConfig(await readConfigText(file), file);
  const ca = config.probe.ca.map((path) => resolve(dirname(file), path));
  return { ...config, probe: { ...config.probe, ca } };
}

/** Returns the text of a configuration. Throws InputError if it cannot be read. */
export async function readConfigText(file: string): Promise<string> {
  return readText(
    file,
    maxBytes,
    "run mirrorfeed in the folder of mirrors.json, or name the file with --config",
    "make one with mirrorfeed init, or name yours with --config",
  );
}
