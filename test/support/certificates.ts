import { isIP } from "node:net";
import { generate } from "selfsigned";

/** A key and a self-signed certificate in PEM. The certificate is its own authority. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** A subject alternative name. Type 2 is a DNS name, type 7 an IP address. */
type AltName = { readonly type: 2; readonly value: string } | { readonly type: 7; readonly ip: string };

interface CertificateOptions {
  readonly expired?: boolean;
  readonly usage?: "clientAuth";
  readonly keyType?: "ec" | "rsa";
  /** Default: the subject. */
  readonly altNames?: readonly AltName[];
}

const day = 24 * 60 * 60 * 1000;

/**
 * Creates a certificate for a name or an address. It is valid for 30 more days. With `expired`, it stopped being valid
 * yesterday.
 */
export async function certificateFor(
  subject: string,
  { expired = false, usage, keyType = "ec", altNames = [altNameOf(subject)] }: CertificateOptions = {},
): Promise<Certificate> {
  const now = Date.now();
  const { private: key, cert } = await generate([{ name: "commonName", value: subject }], {
    keyType,
    algorithm: "sha256",
    notBeforeDate: new Date(now - 10 * day),
    notAfterDate: new Date(now + (expired ? -day : 30 * day)),
    extensions: [
      { name: "basicConstraints", cA: true },
      ...(usage === undefined ? [] : [{ name: "extKeyUsage" as const, [usage]: true }]),
      { name: "subjectAltName", altNames: [...altNames] },
    ],
  });
  return { key, cert };
}

function altNameOf(subject: string): AltName {
  return isIP(subject) !== 0 ? { type: 7, ip: subject } : { type: 2, value: subject };
}
