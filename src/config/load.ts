import { readFile, stat } from "node:fs/promises";
import { errorCode, InputError } from "../errors.ts";
import type { Config } from "./schema.ts";
import { validateConfig } from "./validate.ts";

const mostBytes = 64 * 1024 * 1024;

/** The configuration in a file. Throws InputError where it cannot be read or is not right. */
export async function loadConfig(file: string): Promise<Config> {
  return validateConfig(
    await readText(file, mostBytes, "run mirrorfeed where mirrors.json is, or name it with --config"),
    file,
  );
}

/**
 * A UTF-8 text file of at most `most` bytes. Throws InputError, with `remedy` as its end, where there is none, and
 * where it is too large or not UTF-8.
 */
export async function readText(file: string, most: number, remedy: string): Promise<string> {
  const bytes = await readBytes(file, most, remedy);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new InputError(`${file} is not UTF-8 text; save it as UTF-8.`);
  }
}

async function readBytes(file: string, most: number, remedy: string): Promise<Buffer> {
  try {
    const { size } = await stat(file);
    if (size > most) throw new InputError(`${file} is larger than ${most / 1024 / 1024} MiB; ${remedy}.`);
    return await readFile(file);
  } catch (error) {
    const reason = unreadable[errorCode(error) ?? ""];
    if (reason === undefined) throw error;
    throw new InputError(`${file} ${reason}; ${remedy}.`);
  }
}

const unreadable: Partial<Record<string, string>> = {
  ENOENT: "does not exist",
  ENOTDIR: "does not exist",
  EACCES: "must not be read by this user",
  EPERM: "must not be read by this user",
  EISDIR: "is a folder",
  ELOOP: "is a link that leads nowhere",
};
