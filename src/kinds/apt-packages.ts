import { hash } from "node:crypto";
import type { Release, ReleasedFile } from "./apt-release.ts";
import { filePathPattern } from "./mirror-file.ts";
import { findInGzip, maxListBytes, spreadSamples } from "./samples.ts";

/** An index without packages is not larger than this, compressed. */
const emptyBytes = 64;

/** The list of packages of one folder. */
export interface PackageIndex {
  /** A file that each mirror has, compressed in one way or another. */
  readonly published: ReleasedFile;
  /** The same list as a file that can be read, if there is one. */
  readonly readable: ReleasedFile | undefined;
}

/**
 * Returns the list of packages that samples are taken from: of the folder `wanted`, such as `main/binary-amd64`; else of that
 * one, of another one for amd64, or of the first one listed.
 */
export function chooseIndex({ files }: Release, wanted: string | undefined): PackageIndex | undefined {
  const indices = files.filter(
    ({ path, size }) =>
      /(?:^|\/)Packages(?:\.gz|\.xz)?$/.test(path) && filePathPattern.test(path) && size > emptyBytes,
  );
  const folders = [...new Set(indices.map(({ path }) => folderOf(path)))];
  const [folder] =
    wanted === undefined
      ? folders.sort((left, right) => rankOf(left) - rankOf(right))
      : folders.filter((one) => one === wanted);
  const [gz, xz, plain] = [".gz", ".xz", ""].map((ending) =>
    indices.find(({ path }) => folderOf(path) === folder && path.endsWith(`Packages${ending}`)),
  );
  const published = gz ?? xz ?? plain;
  if (published === undefined) return undefined;
  // Archives list the plain file, and often do not publish it. Node.js cannot read xz.
  const readable = published === xz || published.size > maxListBytes ? undefined : published;
  return { published, readable };
}

function rankOf(folder: string): number {
  if (folder === "main/binary-amd64") return 0;
  return folder.endsWith("/binary-amd64") && !folder.includes("debian-installer/") ? 1 : 2;
}

function folderOf(path: string): string {
  return path.split("/").slice(0, -1).join("/");
}

/** Returns the path by which a file is found by its digest, relative to its release (Debian's RepositoryFormat). */
export function pathByHash({ path, sha256 }: ReleasedFile): string {
  return [...path.split("/").slice(0, -1), "by-hash", "SHA256", sha256].join("/");
}

/**
 * Returns at most `max` paths of packages from the body of an index, spread evenly over it, relative to the archive.
 * Returns undefined if the body is not the one that the release names.
 */
export async function samplePackages(
  body: Buffer,
  { path }: ReleasedFile,
  { files, revision }: Release,
  max: number,
): Promise<readonly string[] | undefined> {
  const sha256 = hash("sha256", body);
  // A server that sends a .gz as an encoding of its content has it decompressed on the way.
  const sent = files.find((file) => file.sha256 === sha256 && folderOf(file.path) === folderOf(path));
  if (sent === undefined) return undefined;
  const pattern = /(?<=\n)Filename:(.+)(?=\n)/g;
  const paths = sent.path.endsWith(".gz")
    ? await findInGzip(body, pattern)
    : Array.from(body.toString("latin1").matchAll(pattern), ([, path = ""]) => path);
  return spreadSamples(
    (paths ?? []).map((path) => path.trim().replace(/^(?:\.\/)+/, "")),
    revision,
    max,
  );
}
