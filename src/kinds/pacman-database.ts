import { createHash } from "node:crypto";
import type { HttpResponse } from "../base/http/response.ts";
import { parseTimestamp } from "../base/text/timestamp.ts";
import { classifyBody, header } from "./classification.ts";
import { findInGzip, spreadSamples } from "./mirror-files.ts";

/** Every change of a package changes the size or the end of a database: gzip ends with a checksum of everything. */
const tailBytes = 512;

/** A server that ignores ranges sends the whole database. */
const maxBytes = 512 * 1024;

export const tail = { headers: ["range", `bytes=-${tailBytes}`], maxBytes };

/**
 * The revision is a digest of the size and the end; there is none if the server ignores ranges and the database is
 * long.
 */
export const classifyDatabase = classifyBody<"not_pacman">((answer) => {
  if (!isBinary(answer.body)) return { code: "not_pacman" };
  const size = sizeOf(answer);
  return size === undefined ? { code: "ok" } : { code: "ok", revision: digestOf(answer.body, size) };
});

function digestOf(body: Buffer, size: number): string {
  const hash = createHash("sha256").update(`${size} `).update(body.subarray(-tailBytes));
  return hash.digest("hex").slice(0, 32);
}

/** Returns the paths of sample packages; none without gzip, undefined if it is not the database with this digest. */
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

export function changedAt(answer: HttpResponse): number | undefined {
  return parseTimestamp(header(answer, "last-modified") ?? "", "http-date");
}

function sizeOf(answer: HttpResponse): number | undefined {
  if (answer.status !== 206) return answer.complete ? answer.body.length : undefined;
  const [, last = "", size = ""] =
    /^bytes \d+-(\d+)\/(\d+)$/.exec(header(answer, "content-range") ?? "") ?? [];
  return answer.complete && size !== "" && Number(last) + 1 === Number(size) ? Number(size) : undefined;
}

/** One byte in 30 of compressed data is below a tab, and none of a page. */
function isBinary(bytes: Buffer): boolean {
  return bytes.some((byte) => byte < 9);
}
