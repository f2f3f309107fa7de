import { createPrivateKey, generateKeyPairSync, hash, randomBytes, sign } from "node:crypto";
import { InputError } from "../../core/base/errors.ts";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "../../core/base/zod.ts";
import type { LockOptions } from "../../core/base/files/lock.ts";
import { tryParseJson } from "../../core/base/text/json.ts";
import { documentPath, reportRoot } from "../../core/contract/contract.ts";
import { readManifest, withSiteLock } from "../../core/site/manifest.ts";
import { addToSite } from "../../core/site/write.ts";
import { requireSite, sitePaths } from "../../core/site/site-paths.ts";

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

const sumsPath = "SHA256SUMS";
const signaturePath = `${sumsPath}.minisig`;

/**
 * Files that get no digest: those that only people read (pages, assets, badges, change feeds), the signature files
 * themselves, and dotfiles, which no host serves.
 */
const unsigned = /(?:^|\/)\.|\.html$|^(?:assets|badge|feed)\/|^SHA256SUMS/;

const field = z.string().regex(/^\S+$/);
const heartbeatSchema = z.looseObject({
  run: field,
  generated_at: field,
  expires_at: field,
  site_url: field,
});

/**
 * Writes SHA256SUMS and its signature into a site, and returns the text of SHA256SUMS. Throws InputError unless the
 * site is finished and knows its URL.
 */
export async function signSite(out: string, key: SigningKey, options: LockOptions): Promise<string> {
  const addSignature = (): string => {
    const comment = renderComment(out);
    const sums = renderSums(out, sitePaths(out));
    addToSite(out, { [sumsPath]: sums, [signaturePath]: signWith(key, sums, comment) });
    return sums;
  };
  // A copy of a site, such as an artifact, has no manifest to check, and needs no lock.
  if (readManifest(out) === undefined) return addSignature();
  requireSite(out);
  return withSiteLock(out, options, () => Promise.resolve(addSignature()));
}

/** Throws InputError if a signed site's documents have changed since it was signed. */
export function requireOwnSums(out: string, paths: readonly string[]): void {
  const found = paths.filter((path) => path === sumsPath || path === signaturePath);
  if (found.length === 0) return;
  if (found.length === 2 && readFileSync(join(out, sumsPath), "utf8") === renderSums(out, paths)) return;
  throw new InputError(`${out} changed after it was signed; run mirrorfeed sign again.`);
}

/** Renders the digests of the documents that programs act on, in the format of sha256sum. */
function renderSums(out: string, paths: readonly string[]): string {
  const signed = paths.filter((path) => !unsigned.test(path)).sort();
  return signed.map((path) => `${hash("sha256", readFileSync(join(out, path)))}  ${path}\n`).join("");
}

/** Renders the trusted comment: the heartbeat's facts about the run, in the form that the client parses. */
function renderComment(out: string): string {
  const file = join(out, documentPath(reportRoot));
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const { data } = heartbeatSchema.safeParse(tryParseJson(text));
  if (data === undefined)
    throw new InputError(
      `${out} is not a site with a URL; set site.url in mirrors.json and run mirrorfeed run, or name another folder with --out.`,
    );
  const { site_url, run, generated_at, expires_at } = data;
  return `feed:${site_url}\trun:${run}\tgenerated_at:${generated_at}\texpires_at:${expires_at}`;
}
