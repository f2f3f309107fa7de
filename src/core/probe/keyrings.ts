import { hash } from "node:crypto";
import pLimit from "p-limit";
import { checkKeyring } from "../base/files/read-text.ts";
import type { Node } from "../config/nodes.ts";
import { type Environment, runChildProcess } from "../base/git/child-process.ts";
import type { VerifySignature } from "../kinds/kind.ts";
import { ProbeFailure } from "../base/http/failure.ts";

/** Each gpgv process takes about 20 ms of CPU time. */
const maxProcesses = 4;
/** Mirrors that are in sync have the same signed text, so a few results are enough. Ubuntu's takes 300 KB. */
const maxKnown = 16;

/** Returns a function that verifies signatures. Throws InputError if a keyring cannot be read, or gpgv is missing. */
export async function loadKeyrings(nodes: readonly Node[], environment: Environment, interrupt: AbortSignal) {
  const keyrings = nodes.flatMap(({ settings: { kind, options } }) => {
    const file = options["keyring"];
    return typeof file === "string" ? [[file, `correct probe.${kind}.keyring`] as const] : [];
  });
  if (keyrings.length === 0) return () => Promise.resolve(undefined);
  for (const [file, remedy] of new Map(keyrings)) await checkKeyring(file, remedy);
  const gpgv = (parameters: readonly string[], input: Buffer) =>
    runChildProcess({
      program: "gpgv",
      homepage: "https://gnupg.org (package gpgv on Debian)",
      parameters,
      environment: { ...environment, LC_ALL: "C" },
      input: [input],
      signal: interrupt,
      silenceMs: 10_000,
    });
  await gpgv(["--version"], Buffer.alloc(0));
  const limit = pLimit(maxProcesses);
  const verify = async (text: Buffer, keyring: string): Promise<string | undefined> => {
    if (!isCleartextSigned(text.toString("latin1").replaceAll("\r\n", "\n"))) return undefined;
    // With --output, gpgv prints the signed text, the only text that it vouches for.
    const parameters = ["--keyring", keyring, "--status-fd", "2", "--weak-digest", "SHA1", "--output", "-"];
    const { code, killedFor, output, errorOutput } = await limit(gpgv, parameters, text);
    if (killedFor !== undefined) throw new ProbeFailure("timeout");
    return code !== undefined && isGood(errorOutput) ? output.toString("utf8") : undefined;
  };
  const known = new Map<string, Promise<string | undefined>>();
  return (text: Buffer, keyring: string): ReturnType<VerifySignature> => {
    const key = `${hash("sha256", text)} ${keyring}`;
    const verified = known.get(key) ?? verify(text, keyring);
    known.delete(key);
    known.set(key, verified);
    // A timeout is this machine's fault, so the next call tries again.
    verified.catch(() => known.delete(key));
    for (const oldest of [...known.keys()].slice(0, -maxKnown)) known.delete(oldest);
    return verified;
  };
}

/**
 * Returns whether gpgv reports exactly one text, a good signature and no bad one (GnuPG's doc/DETAILS). Unknown keys
 * are fine, because archives also sign with keys that are too new for a keyring.
 */
function isGood(lines: string): boolean {
  const keywords = lines.split("\n").map((line) => /^\[GNUPG:\] (\w+)/.exec(line)?.[1]);
  const texts = keywords.filter((keyword) => keyword === "PLAINTEXT");
  const isBad = keywords.includes("BADSIG") || keywords.includes("ERROR");
  return texts.length === 1 && keywords.includes("GOODSIG") && !isBad;
}

/** The parts of a cleartext signature (RFC 9580, 7), as archives write them. */
const cleartextHeader = /^-----BEGIN PGP SIGNED MESSAGE-----\n(?:Hash: [\w, -]{1,200}\n){0,8}\n/;
const armorHeader = /^\n-----BEGIN PGP SIGNATURE-----\n(?:[A-Za-z]{1,30}: [^\n]{0,200}\n){0,8}\n/;
const armorBody = /^((?:[A-Za-z\d+/]{1,76}={0,2}\n)+)(?:=[\w+/]{4}\n)?-----END PGP SIGNATURE-----\n*$/;

/** Debian signs with up to four keys, about 1,200 characters each. */
const maxArmorLength = 32 * 1024;

/** Checked first, because gpgv ignores text around the message, and decompresses data in place of the signature. */
function isCleartextSigned(text: string): boolean {
  if (!cleartextHeader.test(text)) return false;
  const start = text.indexOf("\n-----BEGIN PGP SIGNATURE-----\n");
  const armor = text.slice(start);
  const header = armorHeader.exec(armor);
  if (start < 0 || armor.length > maxArmorLength || header === null) return false;
  const [, lines = ""] = armorBody.exec(armor.slice(header[0].length)) ?? [];
  return areSignatures(Buffer.from(lines, "base64"));
}

/** Returns whether OpenPGP packets (RFC 9580, 4.2) are one or more complete signatures and nothing else. */
function areSignatures(packets: Buffer): boolean {
  let at = 0;
  while (at < packets.length) {
    const header = packets[at] ?? 0;
    const isNew = header >= 0xc0;
    const type = isNew ? header & 0x3f : (header & 0x3c) >> 2;
    const end = isNew ? newEnd(packets, at + 1) : oldEnd(packets, at + 1, header & 3);
    if (header < 0x80 || type !== 2 || end === undefined) return false;
    at = end;
  }
  return packets.length > 0 && at === packets.length;
}

/** Returns undefined for partial bodies, because only packets with data may have them (RFC 9580, 4.2.1.4). */
function newEnd(packets: Buffer, at: number): number | undefined {
  const [first = 0, second = 0] = packets.subarray(at);
  if (first < 192) return at + 1 + first;
  if (first < 224) return at + 2 + (first - 192) * 256 + second + 192;
  return first === 255 && at + 5 <= packets.length ? at + 5 + packets.readUInt32BE(at + 1) : undefined;
}

/** Lengths of one, two or four octets (RFC 9580, 4.2.2). */
function oldEnd(packets: Buffer, at: number, lengthType: number): number | undefined {
  const bodyAt = at + 2 ** lengthType;
  if (lengthType === 3 || bodyAt > packets.length) return undefined;
  return bodyAt + packets.readUIntBE(at, bodyAt - at);
}
