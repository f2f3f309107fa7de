import { resolve } from "node:path";
import { InputError } from "../base/errors.ts";
import { loadCertificates } from "../base/files/certificates.ts";
import { readBytes } from "../base/files/read-text.ts";
import { isKindName, kinds } from "../kinds/kinds.ts";
import type { JsonPath, Problem } from "./json-document.ts";
import { isObject, outline } from "./outline.ts";
import type { Config } from "./config-schema.ts";

/** A certificate authority or keyring file named in mirrors.json. */
interface NamedFile {
  readonly path: JsonPath;
  readonly file: string;
  readonly check: (file: string, remedy: string) => Promise<unknown>;
  /** Changes the name of the file in the configuration. */
  readonly rename: (file: string) => void;
}

export function namedFiles(config: Config): NamedFile[] {
  const { ca } = config.probe;
  const authorities = ca.map((file, index) => ({
    path: ["probe", "ca", index],
    file,
    check: loadCertificates,
    rename: (other: string): void => {
      ca[index] = other;
    },
  }));
  const keyrings = outline(config).flatMap(({ path, fields: { probe } }) =>
    Object.entries(isObject(probe) ? probe : {}).flatMap(([kind, options]) => {
      if (!isKindName(kind) || !isObject(options)) return [];
      return (kinds[kind].keyrings ?? []).flatMap((key): NamedFile[] => {
        const file = options[key];
        const rename = (other: string): void => {
          options[key] = other;
        };
        return typeof file === "string"
          ? [{ path: [...path, "probe", kind, key], file, check: checkKeyring, rename }]
          : [];
      });
    }),
  );
  return [...authorities, ...keyrings];
}

/** Checks the files that a configuration names; relative paths start at `folder`. */
export async function fileProblems(config: Config, folder: string): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const { path, file, check } of namedFiles(config))
    try {
      await check(resolve(folder, file), "put the file there, or correct the path");
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      problems.push({ path, message: error.message.replace(/\.$/, "") });
    }
  return problems;
}

const maxBytes = 16 * 1024 * 1024;

/** Throws InputError if the file is empty or ASCII-armored. gpgv can read neither. */
export async function checkKeyring(file: string, remedy: string): Promise<void> {
  const keyring = await readBytes(file, maxBytes, remedy);
  if (keyring.length === 0) throw new InputError(`${file} is empty; ${remedy}.`);
  if (keyring.toString("latin1", 0, 10) !== "-----BEGIN") return;
  throw new InputError(`${file} is not a binary keyring, which gpgv needs; convert it with gpg --dearmor.`);
}
