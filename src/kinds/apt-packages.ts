import { createHash } from "node:crypto";
import { decodeContent } from "../http/content-encoding.ts";
import { ProbeFailure } from "../http/failure.ts";
import type { Release, ReleasedFile } from "./apt-release.ts";
import { filePathPattern } from "./mirror-file.ts";

/** How much of an index is read, as it is sent and decompressed. The samples come from what is read. */
export const maxIndexBytes = 16 * 1024 * 1024;
const maxPackagesBytes = 64 * 1024 * 1024;

const maxSamples = 16;

/** An index without packages is not larger than this, compressed. */
const emptyBytes = 64;

/**
 * Returns the list of packages that samples are taken from: of the folder `wanted`, such as `main/binary-amd64`; else of that
 * one, of another one for amd64, or of the first one listed. Returns undefined if none can be read.
 */
export function chooseIndex({ files }: Release, wanted: string | undefined): ReleasedFile | undefined {
  const indices = files.filter(
    ({ path, size }) =>
      /(?:^|\/)Packages(?:\.gz)?$/.test(path) &&
      filePathPattern.test(path) &&
      size > emptyBytes &&
      size <= maxIndexBytes &&
      (wanted === undefined || folderOf(path) === wanted),
  );
  const [first] = indices.map((file, place) => ({ file, rank: rankOf(file.path), place })).sort(byRank);
  return first?.file;
}

interface Ranked {
  readonly file: ReleasedFile;
  readonly rank: number;
  readonly place: number;
}

function byRank(left: Ranked, right: Ranked): number {
  return left.rank - right.rank || left.place - right.place;
}

/** Archives often publish only the compressed one of the indices that they list. */
function rankOf(path: string): number {
  const folder = folderOf(path);
  const isInstaller = folder.includes("debian-installer/");
  const rank = folder === "main/binary-amd64" ? 0 : folder.endsWith("/binary-amd64") && !isInstaller ? 1 : 2;
  return 2 * rank + (path.endsWith(".gz") ? 0 : 1);
}

function folderOf(path: string): string {
  return path.split("/").slice(0, -1).join("/");
}

/** Returns the path of an index relative to its release. */
export function indexPath({ path, sha256 }: ReleasedFile, { isByHash }: Release): string {
  if (!isByHash) return path;
  return [...path.split("/").slice(0, -1), "by-hash", "SHA256", sha256].join("/");
}

/**
 * Returns at most 16 paths of packages from the body of an index, spread evenly over it, relative to the archive. Another
 * release gives others. Returns undefined if the body is not the one that the release names.
 */
export async function samplePackages(
  body: Buffer,
  { path }: ReleasedFile,
  { files, revision }: Release,
): Promise<readonly string[] | undefined> {
  const sha256 = createHash("sha256").update(body).digest("hex");
  // A server that sends a .gz as an encoding of its content has it decompressed on the way.
  const sent = files.find((file) => file.sha256 === sha256 && folderOf(file.path) === folderOf(path));
  if (sent === undefined) return undefined;
  const packages = sent.path.endsWith(".gz") ? await decompress(body) : body;
  if (packages === undefined) return undefined;
  const paths = packagePaths(packages);
  const count = Math.min(maxSamples, paths.length);
  const start = Number.parseInt(revision.slice(0, 8), 16) / 2 ** 32;
  return Array.from({ length: count }, (_, place) => {
    return paths[Math.floor(((place + start) * paths.length) / count)] ?? [];
  }).flat();
}

async function decompress(body: Buffer): Promise<Buffer | undefined> {
  try {
    return (await decodeContent(["gzip"], { body, complete: true }, maxPackagesBytes)).body;
  } catch (error) {
    if (error instanceof ProbeFailure) return undefined;
    throw error;
  }
}

/** Returns the paths that need no encoding in a URL and lead to nothing above the archive. */
function packagePaths(packages: Buffer): string[] {
  return [...packages.toString("latin1").matchAll(/^Filename:(.+)$/gm)]
    .map(([, path = ""]) => path.trim().replace(/^(?:\.\/)+/, ""))
    .filter((path) => filePathPattern.test(path) && !/%|(?:^|\/)\.\.?(?:\/|$)/.test(path));
}
