import { X509Certificate } from "node:crypto";
import { InputError } from "../errors.ts";
import { readText } from "./read-text.ts";

const maxBytes = 16 * 1024 * 1024;
const certificatePattern = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Throws InputError if the file cannot be read, or contains no certificate or an invalid one. */
export async function loadCertificates(file: string, remedy: string): Promise<string[]> {
  const certificates = (await readText(file, maxBytes, remedy)).match(certificatePattern) ?? [];
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
