import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { InputError } from "../../core/base/errors.ts";

// The formats of minisign's files (https://jedisct1.github.io/minisign/), for keys without a password and signatures
// without prehashing.

/** This environment variable holds the text of the secret key file. */
export const keyVariable = "MIRRORFEED_SIGNING_KEY";

export type SigningKey = ReturnType<typeof parseSigningKey>;

const algorithm = Buffer.from("Ed");
/**
 * These fields of a secret key say that it has no password: zeros for the key derivation algorithm, the name of the
 * checksum algorithm (B2), and zeros for the salt and the two limits of the key derivation.
 */
const unencrypted = Buffer.concat([Buffer.from("\0\0B2"), Buffer.alloc(48)]);
/** Without a password, minisign fills the checksum with zeros and does not check it. */
const checksum = Buffer.alloc(32);

export function generateKey(): { readonly secretKey: string; readonly publicKey: string } {
  const { d = "", x = "" } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
  const [seed, point] = [Buffer.from(d, "base64url"), Buffer.from(x, "base64url")];
  const id = randomBytes(8);
  const shownId = Buffer.from(id).reverse().toString("hex").toUpperCase();
  const secret = [algorithm, unencrypted, id, seed, point, checksum];
  return {
    secretKey: fileText("minisign secret key, not encrypted", ...secret),
    publicKey: fileText(`minisign public key ${shownId}`, algorithm, id, point),
  };
}

/** Parses the text of a secret key file. `id` tells keys apart. Throws InputError, which never quotes the text. */
export function parseSigningKey(text: string) {
  const bytes = Buffer.from(text.trim().split("\n").at(-1) ?? "", "base64");
  const isKey = bytes.length === 158 && bytes.subarray(0, 2).equals(algorithm);
  if (!isKey || bytes.readUInt16LE(2) !== 0) {
    const problem = isKey ? "has a password" : "is not the text of a minisign secret key";
    throw new InputError(
      `The key in ${keyVariable} ${problem}; make one with mirrorfeed keygen or minisign -G -W, and store the whole file.`,
    );
  }
  const [id, seed, x] = [bytes.subarray(54, 62), bytes.subarray(62, 94), bytes.subarray(94, 126)];
  const jwk = { kty: "OKP", crv: "Ed25519", d: seed.toString("base64url"), x: x.toString("base64url") };
  return { id, key: createPrivateKey({ key: jwk, format: "jwk" }) };
}

/** Returns the text of the signature file. `comment` must be a single line. */
export function signWith({ id, key }: SigningKey, text: string, comment: string): string {
  const signature = sign(null, Buffer.from(text), key);
  const global = sign(null, Buffer.concat([signature, Buffer.from(comment)]), key);
  return `${fileText("signature of a mirrorfeed site", algorithm, id, signature)}trusted comment: ${comment}\n${global.toString("base64")}\n`;
}

function fileText(comment: string, ...parts: readonly Buffer[]): string {
  return `untrusted comment: ${comment}\n${Buffer.concat(parts).toString("base64")}\n`;
}
