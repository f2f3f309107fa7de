import { isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { errorCode, InputError } from "../errors.ts";
import { readError } from "./system-errors.ts";
import { X509Certificate } from "node:crypto";

/** Reads UTF-8, and throws InputError like `readBytes`. */
export async function readText(file: string, ...limits: Limits): Promise<string> {
  return decodeUtf8(await readBytes(file, ...limits), file);
}

type Limits = readonly [maxBytes: number, remedy: string, remedyIfMissing?: string];

/** Drops a byte order mark. Throws InputError if the bytes from `source` are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array, source: string, remedy = "save it as UTF-8"): string {
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
  throw new InputError(`${source} is not UTF-8 text; ${remedy}.`);
}

/** Throws InputError, which ends with `remedy`, or with `remedyIfMissing` if the file does not exist. */
export async function readBytes(
  file: string,
  ...[maxBytes, remedy, remedyIfMissing = remedy]: Limits
): Promise<Buffer> {
  try {
    const stats = await stat(file);
    // Opening or reading a pipe or a device could take forever.
    if (!stats.isFile() && !stats.isDirectory())
      throw new InputError(`${file} is not a regular file; ${remedy}.`);
    // Reads one byte more than allowed to notice content that is too large: files in /proc do not report their size.
    const bytes = await buffer(createReadStream(file, { end: maxBytes }));
    if (bytes.length > maxBytes)
      throw new InputError(`${file} is larger than ${maxBytes / 1024 / 1024} MiB; ${remedy}.`);
    return bytes;
  } catch (error) {
    const isMissing = ["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "");
    if (isMissing) throw new InputError(`${file} does not exist; ${remedyIfMissing}.`);
    throw readError(error, file, remedy) ?? error;
  }
}

/** For a file of certificates, and for a keyring. */
const maxKeyBytes = 16 * 1024 * 1024;
const certificatePattern = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Throws InputError if the file cannot be read, or contains no certificate or an invalid one. */
export async function loadCertificates(file: string, remedy: string): Promise<string[]> {
  const certificates = (await readText(file, maxKeyBytes, remedy)).match(certificatePattern) ?? [];
  if (certificates.length === 0) throw new InputError(`${file} contains no PEM certificate; ${remedy}.`);
  for (const [index, certificate] of certificates.entries()) {
    try {
      new X509Certificate(certificate);
    } catch (cause) {
      throw new InputError(`${file}: certificate ${index + 1} is not valid; ${remedy}.`, { cause });
    }
  }
  return certificates;
}

/** Throws InputError if the file is empty or ASCII-armored. gpgv can read neither. */
export async function checkKeyring(file: string, remedy: string): Promise<void> {
  const keyring = await readBytes(file, maxKeyBytes, remedy);
  if (keyring.length === 0) throw new InputError(`${file} is empty; ${remedy}.`);
  if (keyring.toString("latin1", 0, 10) !== "-----BEGIN") return;
  throw new InputError(`${file} is not a binary keyring, which gpgv needs; convert it with gpg --dearmor.`);
}
