// This module is loaded only if a key is given. It imports nothing from the client, so it bundles into one small file.

type Bytes = Uint8Array<ArrayBuffer>;

const encoder = new TextEncoder();

/** A feed's trusted comment: fields separated by tabs, as in minisign's own comments. */
const commentPattern = /^trusted comment: (feed:(\S+)\trun:(\S+)\tgenerated_at:(\S+)\texpires_at:(\S+))$/;

/**
 * Verifies SHA256SUMS and the signature's trusted comment. Returns undefined if none of the keys signed both, or if the
 * comment is not that of a feed. Throws TypeError if a key is invalid. The format is
 * https://jedisct1.github.io/minisign/#signature-format without prehashing, since WebCrypto lacks BLAKE2b.
 */
export async function verifySums(publicKey: string, sums: string, signature: string) {
  const [untrusted = "", main = "", comment = "", global = ""] = signature.split(/\r?\n/);
  const [, trusted = "", site_url = "", run = "", generated_at = "", expires_at = ""] =
    commentPattern.exec(comment) ?? [];
  const bytes = fromBase64(main);
  const signed = bytes.slice(10);
  const key = parsePublicKeys(publicKey).find((one) => headOf(one) === headOf(bytes));
  if (key === undefined || !untrusted.startsWith("untrusted comment: ") || trusted === "") return undefined;
  const digests = parseSums(sums);
  const isSigned = await Promise.all([
    isSignedBy(key, signed, encoder.encode(sums)),
    isSignedBy(key, fromBase64(global), new Uint8Array([...signed, ...encoder.encode(trusted)])),
  ]);
  if (digests === undefined || isSigned.includes(false)) return undefined;
  return {
    /** The fields of the heartbeat that the trusted comment repeats. */
    heartbeat: { site_url, run, generated_at, expires_at },
    /**
     * Whether the signed document at a path such as `v1/report/index.json` has exactly this text or, if `text` is
     * undefined, whether there is no such document.
     */
    has: async (path: string, text: string | undefined): Promise<boolean> =>
      digests.get(path) === (text === undefined ? undefined : await sha256(text)),
  };
}

/**
 * Parses the text of one or more minisign.pub files, or only their lines of base64. Throws TypeError if any other
 * line is present, or if there is no key.
 */
export function parsePublicKeys(text: string): Bytes[] {
  const lines = text.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("untrusted comment:"));
  const keys = lines.map(fromBase64);
  // Each line encodes "Ed", an id of eight bytes, and the key.
  if (keys.length === 0 || keys.some((key) => key.length !== 42 || key[0] !== 0x45 || key[1] !== 0x64))
    throw new TypeError("Invalid publicKey");
  return keys;
}

/** Returns the algorithm and key id that a key and its signatures begin with. */
function headOf(bytes: Bytes): string {
  return bytes.slice(0, 10).join();
}

async function isSignedBy(key: Bytes, signature: Bytes, signed: Bytes): Promise<boolean> {
  const imported = await crypto.subtle.importKey("raw", key.slice(10), "Ed25519", false, ["verify"]);
  return crypto.subtle.verify("Ed25519", imported, signature, signed);
}

/** Parses `sha256sum` output into digests by path, or returns undefined if a line is invalid. */
function parseSums(text: string): ReadonlyMap<string, string> | undefined {
  const lines = text.replace(/\n$/, "").split("\n");
  const found = lines.flatMap((line) => [...line.matchAll(/^([\da-f]{64}) [ *](.+)$/g)]);
  const digests = new Map(found.map(([, digest = "", path = ""]) => [path, digest]));
  return digests.size === lines.length ? digests : undefined;
}

async function sha256(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns an empty array if the text is not base64. */
function fromBase64(text: string): Bytes {
  const isBase64 = /^(?:[\w+/]{4})*(?:[\w+/]{2}==|[\w+/]{3}=)?$/.test(text) && !text.includes("_");
  return Uint8Array.from(isBase64 ? atob(text) : "", (character) => character.charCodeAt(0));
}
