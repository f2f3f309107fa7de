import { isIP } from "node:net";
import { generate } from "selfsigned";

/** A key and a self-signed certificate in PEM, which is its own authority. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

interface CertificateOptions {
  readonly expired?: boolean;
  readonly usage?: "clientAuth";
  /** The only alternative name, if it is not the subject. */
  readonly altName?: string;
}

const day = 24 * 60 * 60 * 1000;

/** Returns a certificate for a name or address, valid for 30 days, or one that expired yesterday. */
export async function certificateFor(
  subject: string,
  { expired = false, usage, altName = subject }: CertificateOptions = {},
): Promise<Certificate> {
  const now = Date.now();
  const { private: key, cert } = await generate([{ name: "commonName", value: subject }], {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate: new Date(now - 10 * day),
    notAfterDate: new Date(now + (expired ? -day : 30 * day)),
    extensions: [
      { name: "basicConstraints", cA: true },
      ...(usage === undefined ? [] : [{ name: "extKeyUsage" as const, [usage]: true }]),
      {
        name: "subjectAltName",
        altNames: [isIP(altName) !== 0 ? { type: 7, ip: altName } : { type: 2, value: altName }],
      },
    ],
  });
  return { key, cert };
}
