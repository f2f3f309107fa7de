import { createHash } from "node:crypto";
import type { HttpResponse } from "../base/http/response.ts";
import { parseTimestamp } from "../base/text/timestamp.ts";
import { classifyBody, header } from "./classification.ts";
import { findInGzip, spreadSamples } from "./mirror-files.ts";

/**
 * How much of the end of a database tells it from others, together with its size. Every change of a package changes the
 * size or the end of the compressed data, and gzip ends with a checksum of everything.
 */
const tailBytes = 512;

/** A server that ignores ranges sends the whole database. This is how much of it is read. */
const maxBytes = 512 * 1024;

/** Requests the end of a database. */
export const tail = { headers: ["range", `bytes=-${tailBytes}`], maxBytes };

/**
 * Classifies the answer to a request for the end of a database. The revision is a digest of the size and the end; there is
 * none if the server ignores ranges and the database is long.
 */
export const classifyDatabase = classifyBody<"not_pacman">((answer) => {
  if (!isBinary(answer.body)) return { code: "not_pacman" };
  const size = sizeOf(answer);
  return size === undefined ? { code: "ok" } : { code: "ok", revision: digestOf(answer.body, size) };
});

/** Returns the digest of a database from its size and its end. */
function digestOf(body: Buffer, size: number): string {
  const hash = createHash("sha256").update(`${size} `).update(body.subarray(-tailBytes));
  return hash.digest("hex").slice(0, 32);
}

/**
 * Returns the paths of sample packages from a whole database, whose own path ends with its name; none if it is not
 * compressed with gzip. Returns undefined if it is not the database with this digest.
 */
export async function samplePackages(
  body: Buffer,
  path: string,
  digest: string,
): Promise<readonly string[] | undefined> {
  if (digestOf(body, body.length) !== digest) return undefined;
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  // In the archive, NULs fill up the header before each file.
  const names = (await findInGzip(body, /\0%FILENAME%\n([^\n/]+)\n/g)) ?? [];
  return spreadSamples(
    names.map((name) => `${folder}${name}`),
    digest,
  );
}

/** Returns when the file of an answer was changed, in epoch milliseconds; undefined if the server does not say. */
export function changedAt(answer: HttpResponse): number | undefined {
  return parseTimestamp(header(answer, "last-modified") ?? "", "http-date");
}

/** Returns the size of the whole database; undefined if the answer does not tell. */
function sizeOf(answer: HttpResponse): number | undefined {
  if (answer.status !== 206) return answer.complete ? answer.body.length : undefined;
  const [, last = "", size = ""] =
    /^bytes \d+-(\d+)\/(\d+)$/.exec(header(answer, "content-range") ?? "") ?? [];
  return answer.complete && size !== "" && Number(last) + 1 === Number(size) ? Number(size) : undefined;
}

/** Returns whether bytes are data: one in 30 of compressed data is below a tab, and none of a page. */
function isBinary(bytes: Buffer): boolean {
  return bytes.some((byte) => byte < 9);
}
