import { X509Certificate } from "node:crypto";
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import { InputError } from "../errors.ts";
import { readText } from "../files/read-text.ts";

const maxBytes = 16 * 1024 * 1024;
const certificatePattern = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * Reads what TLS trusts: the authorities of Node.js, those of NODE_EXTRA_CA_CERTS and those in the PEM `files`. Throws
 * InputError if one of the files cannot be read, holds no certificate, or holds one that is not valid.
 */
export async function loadSecureContext(
  files: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<SecureContext> {
  // Node.js has read NODE_EXTRA_CA_CERTS itself, and takes it if no others are named.
  if (files.length === 0) return createSecureContext();
  const own = await Promise.all(files.map((file) => loadCertificates(file, "correct probe.ca")));
  const extra = environment["NODE_EXTRA_CA_CERTS"] ?? "";
  const others =
    extra === "" ? [] : await loadCertificates(extra, "correct NODE_EXTRA_CA_CERTS, or unset it");
  return createSecureContext({ ca: [...rootCertificates, ...others, ...own.flat()] });
}

async function loadCertificates(file: string, remedy: string): Promise<string[]> {
  const certificates = (await readText(file, maxBytes, remedy)).match(certificatePattern) ?? [];
  if (certificates.length === 0) throw new InputError(`${file} holds no certificate in PEM; ${remedy}.`);
  for (const [index, certificate] of certificates.entries()) {
    try {
      new X509Certificate(certificate);
    } catch (cause) {
      throw new InputError(`${file}: certificate ${index + 1} is not valid; ${remedy}.`, { cause });
    }
  }
  return certificates;
}
