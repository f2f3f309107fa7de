import { hash } from "node:crypto";
import pLimit from "p-limit";
import type { NetworkNode } from "../config/nodes.ts";
import { InputError } from "../errors.ts";
import { readBytes } from "../files/read-text.ts";
import { type Environment, runChildProcess } from "../git/child-process.ts";
import { keyringOptions } from "../kinds/kinds.ts";
import type { ProbeContext } from "../kinds/kind.ts";

const maxBytes = 16 * 1024 * 1024;

/** How many gpgv run at once. Each takes some 20 ms of a processor. */
const maxProcesses = 4;
const silenceMs = 10_000;

/**
 * Returns a function that verifies signatures with gpgv, or undefined if no node has a keyring. Throws InputError if a keyring
 * cannot be read, or gpgv is not installed.
 */
export async function loadKeyrings(
  nodes: readonly NetworkNode[],
  environment: Environment,
  interrupt: AbortSignal,
): Promise<ProbeContext["isSigned"] | undefined> {
  const keyrings = nodes.flatMap(({ settings: { options } }) =>
    keyringOptions.flatMap((name) => {
      const file = options[name];
      return typeof file === "string" ? [[file, `correct probe.${name}`] as const] : [];
    }),
  );
  if (keyrings.length === 0) return undefined;
  for (const [file, remedy] of new Map(keyrings)) await checkKeyring(file, remedy);
  const gpgv = (parameters: readonly string[], input: Buffer) =>
    runChildProcess({
      program: "gpgv",
      homepage: "https://gnupg.org (in Debian the package gpgv)",
      parameters,
      environment: { ...environment, LC_ALL: "C" },
      input: [input],
      signal: interrupt,
      silenceMs,
    });
  await gpgv(["--version"], Buffer.alloc(0));
  const limit = pLimit(maxProcesses);
  const verify = async (text: Buffer, keyring: string): Promise<boolean | undefined> => {
    const parameters = ["--keyring", keyring, "--status-fd", "1", "--weak-digest", "SHA1"];
    const { output, killedFor } = await gpgv(parameters, text);
    return killedFor === undefined ? isGood(output.toString("latin1")) : undefined;
  };
  // Mirrors that are in sync have the same bytes.
  const known = new Map<string, Promise<boolean | undefined>>();
  return (text, keyring) => {
    const key = `${hash("sha256", text)} ${keyring}`;
    const verified = known.get(key) ?? limit(() => verify(text, keyring));
    known.set(key, verified);
    return verified;
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
