import { hash } from "node:crypto";
import pLimit from "p-limit";
import type { Node } from "../config/nodes.ts";
import { InputError } from "../base/errors.ts";
import { readBytes } from "../base/files/read-text.ts";
import { type Environment, runChildProcess } from "../base/git/child-process.ts";
import { kinds } from "../kinds/kinds.ts";
import type { ProbeContext } from "../kinds/kind.ts";
import { isCleartextSigned } from "./cleartext-signature.ts";
import { ProbeFailure } from "../base/http/failure.ts";

const maxBytes = 16 * 1024 * 1024;

/** How many gpgv run at once. Each takes some 20 ms of a processor. */
const maxProcesses = 4;
const silenceMs = 10_000;
/** Mirrors that are in sync have the same text. That of Ubuntu has 300 KB. */
const maxKnown = 16;

/**
 * Returns a function that verifies signatures with gpgv, or undefined if no node has a keyring. Throws InputError if a keyring
 * cannot be read, or gpgv is not installed.
 */
export async function loadKeyrings(
  nodes: readonly Node[],
  environment: Environment,
  interrupt: AbortSignal,
): Promise<ProbeContext["verifySignature"] | undefined> {
  const keyrings = nodes.flatMap(({ settings: { kind, options } }) =>
    (kinds[kind].keyrings ?? []).flatMap((name) => {
      const file = options[name];
      return typeof file === "string" ? [[file, `correct probe.${kind}.${name}`] as const] : [];
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
  const verify = async (text: Buffer, keyring: string): Promise<string | undefined> => {
    if (!isCleartextSigned(text.toString("latin1").replaceAll("\r\n", "\n"))) return undefined;
    // With --output, gpgv prints what was signed, which is all that it says something about.
    const parameters = ["--keyring", keyring, "--status-fd", "2", "--weak-digest", "SHA1", "--output", "-"];
    const { code, killedFor, output, errorOutput } = await limit(gpgv, parameters, text);
    if (killedFor !== undefined) throw new ProbeFailure("timeout");
    return code !== undefined && isGood(errorOutput) ? output.toString("utf8") : undefined;
  };
  const known = new Map<string, Promise<string | undefined>>();
  return (text, keyring) => {
    const key = `${hash("sha256", text)} ${keyring}`;
    const verified = known.get(key) ?? verify(text, keyring);
    known.delete(key);
    known.set(key, verified);
    // This machine was too slow once.
    verified.catch(() => known.delete(key));
    for (const oldest of [...known.keys()].slice(0, -maxKnown)) known.delete(oldest);
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
 * Returns whether the status lines of gpgv tell of one text with a good signature and no bad one (GnuPG's doc/DETAILS).
 * Signatures of unknown keys do not count: archives sign with several keys, while they change them.
 */
function isGood(lines: string): boolean {
  const keywords = lines.split("\n").map((line) => /^\[GNUPG:\] (\w+)/.exec(line)?.[1]);
  const texts = keywords.filter((keyword) => keyword === "PLAINTEXT");
  const isBad = keywords.includes("BADSIG") || keywords.includes("ERROR");
  return texts.length === 1 && keywords.includes("GOODSIG") && !isBad;
}
