import { InputError } from "../../src/core/base/errors.ts";
import type { Config } from "../../src/core/config/config-schema.ts";
import { checkConfig, validateConfig } from "../../src/core/config/validate.ts";

/** Returns nodes at the given URLs, with consecutive ids. */
export function networkAt(urls: readonly string[], firstId = 1): { id: number; url: string }[] {
  return urls.map((url, index) => ({ id: firstId + index, url }));
}

/** Returns a mirrors.json with the nodes in target s/p/t. `file` and `target` add keys to the file and the target. */
export function mirrorsJson(network: readonly object[], file: object = {}, target: object = {}): object {
  const targets = [{ target: "t", network, ...target }];
  return { systems: [{ system: "s", projects: [{ project: "p", targets }] }], ...file };
}

export function configFrom(value: object): Config {
  return validateConfig(JSON.stringify(value), "mirrors.json");
}

/** Returns the problems as `path: message`. */
export function problemsIn(value: unknown): string[] {
  const checked = checkConfig(JSON.stringify(value), "mirrors.json");
  return "problems" in checked ? checked.problems.map(({ path, message }) => `${path}: ${message}`) : [];
}

/** Returns the message of the InputError that an action throws, or an empty string. */
export function inputErrorOf(action: () => unknown): string {
  try {
    action();
    return "";
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
}
