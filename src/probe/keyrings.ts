import type { NetworkNode } from "../config/nodes.ts";
import { InputError } from "../errors.ts";
import { readBytes } from "../files/read-text.ts";
import { type Environment, runChildProcess } from "../git/child-process.ts";
import { keyringOptions } from "../kinds/kinds.ts";
import type { IsSigned } from "./probe-node.ts";

const maxBytes = 16 * 1024 * 1024;

/**
 * Returns a function that verifies signatures with gpgv, or undefined if no node has a keyring. Throws InputError if a keyring
 * cannot be read, or gpgv is not installed.
 */
export async function loadKeyrings(
  nodes: readonly NetworkNode[],
  environment: Environment,
  interrupt: AbortSignal,
): Promise<IsSigned | undefined> {
  const keyrings = nodes.flatMap(({ settings: { options } }) =>
    keyringOptions.flatMap((name) => {
      const file = options[name];
      return typeof file === "string" ? [[file, `correct probe.${name}`] as const] : [];
    }),
  );
  if (keyrings.length === 0) return undefined;
  for (const [file, remedy] of new Map(keyrings)) await checkKeyring(file, remedy);
  const gpgv = (parameters: readonly string[], input: Buffer, signal: AbortSignal) =>
    runChildProcess({
      program: "gpgv",
      homepage: "https://gnupg.org (in Debian the package gpgv)",
      parameters,
      environment: { ...environment, LC_ALL: "C" },
      input: [input],
      signal,
    });
  await gpgv(["--version"], Buffer.alloc(0), interrupt);
  return async (text, keyring, signal) => {
    const parameters = ["--keyring", keyring, "--status-fd", "1", "--weak-digest", "SHA1"];
    const { output } = await gpgv(parameters, text, signal);
    return isGood(output.toString("latin1"));
  };
}

async function checkKeyring(file: string, remedy: string): Promise<void> {
  const keyring = await readBytes(file, maxBytes, remedy);
  if (keyring.length === 0) throw new InputError(`${file} is empty; ${remedy}.`);
  if (keyring.toString("latin1", 0, 10) !== "-----BEGIN") return;
  throw new InputError(`${file} is not binary, as gpgv needs it; convert it with gpg --dearmor.`);
}

/**
 * Returns whether the status lines of gpgv have a good signature and no bad one (GnuPG's doc/DETAILS). Signatures of unknown
 * keys do not count: archives sign with several keys, while they change them.
 */
function isGood(status: string): boolean {
  return /^\[GNUPG:\] GOODSIG /m.test(status) && !/^\[GNUPG:\] BADSIG /m.test(status);
}
