import { resolve } from "node:path";
import { InputError } from "../base/errors.ts";
import { loadCertificates, readBytes } from "../base/files/read-text.ts";
import type { Config } from "./config-schema.ts";
import type { Problem } from "./json-document.ts";
import { isObject, outline } from "./outline.ts";

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

const maxBytes = 16 * 1024 * 1024;

/** Throws InputError if the file is empty or ASCII-armored. gpgv can read neither. */
export async function checkKeyring(file: string, remedy: string): Promise<void> {
  const keyring = await readBytes(file, maxBytes, remedy);
  if (keyring.length === 0) throw new InputError(`${file} is empty; ${remedy}.`);
  if (keyring.toString("latin1", 0, 10) !== "-----BEGIN") return;
  throw new InputError(`${file} is not a binary keyring, which gpgv needs; convert it with gpg --dearmor.`);
}
