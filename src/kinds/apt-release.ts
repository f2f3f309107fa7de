import { hash } from "node:crypto";
import { parseTimestamp } from "../base/text/timestamp.ts";
import { filePathPattern } from "./mirror-files.ts";
import { maxListBytes, type PackageList, type PathMarks, spreadSamples } from "./package-list.ts";

/** A file that a release names, with a path relative to the release. */
export interface ReleasedFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

export interface Release {
  /** Equal for InRelease and Release, and for every signature. */
  readonly revision: string;
  /** In epoch milliseconds. */
  readonly date: number | undefined;
  readonly validUntil: number | undefined;
  /** Whether files can be requested by their digests, which never change below a client. */
  readonly isByHash: boolean;
  readonly files: readonly ReleasedFile[];
}

/** apt needs one of these lists of files. */
const digestFields = ["sha256", "sha512", "sha1", "md5sum"];

/** 4 MB have 70,000 lines with a digest. A million empty ones would take long enough to hold up other probes. */
const maxLines = 100_000;

/** Parses InRelease or Release, or the signed text of the first. */
export function parseRelease(text: string): Release | undefined {
  // Blanks at line ends are not signed (RFC 9580, 7.2), and gpgv leaves them out.
  const lines = text.split("\n", maxLines + 1).map((line) => line.trimEnd());
  if (lines.length > maxLines) return undefined;
  const signed = signedText(lines.join("\n"));
  const fields = signed === undefined ? undefined : parseStanza(signed);
  if (signed === undefined || fields === undefined) return undefined;
  if (!digestFields.some((name) => fields.has(name))) return undefined;
  const time = (name: string): number | undefined => parseTimestamp(fields.get(name) ?? "", "http-date");
  return {
    revision: hash("sha256", signed.trim()).slice(0, 32),
    date: time("date"),
    validUntil: time("valid-until"),
    isByHash: fields.get("acquire-by-hash") === "yes",
    files: parseFiles(fields.get("sha256") ?? ""),
  };
}

const clearStart = "-----BEGIN PGP SIGNED MESSAGE-----\n";
const signatureStart = "\n-----BEGIN PGP SIGNATURE-----\n";
const signatureEnd = "\n-----END PGP SIGNATURE-----";

/** Returns the text within a clear signature (RFC 9580, 7), or all of it if there is none. */
function signedText(text: string): string | undefined {
  if (!text.startsWith(clearStart)) return text;
  const start = text.indexOf("\n\n");
  const end = text.indexOf(signatureStart);
  if (start < 0 || end < start) return undefined;
  // Nothing may follow that has another signature, or none.
  const last = text.indexOf("\n-----", end + 1);
  if (text.slice(last).trimEnd() !== signatureEnd) return undefined;
  return text.slice(start, end).replaceAll(/^- /gm, "");
}

/**
 * Returns the fields of the first stanza of a control file (deb822) by their names in lower case. Further lines of a
 * value begin with a line feed.
 */
function parseStanza(text: string): ReadonlyMap<string, string> | undefined {
  const fields = new Map<string, string>();
  let last: string | undefined;
  for (const line of text.split("\n")) {
    if (line.trim() === "") {
      if (fields.size > 0) break;
      continue;
    }
    if (line.startsWith("#")) continue;
    const [, name, value = ""] = /^([!"$-,.-9;-~][!-9;-~]*):[ \t]*(.*)$/.exec(line) ?? [];
    if (name !== undefined) {
      last = name.toLowerCase();
      fields.set(last, value.trim());
    } else if (/^[ \t]/.test(line) && last !== undefined) {
      fields.set(last, `${fields.get(last) ?? ""}\n${line.trim()}`);
    } else {
      return undefined;
    }
  }
  return fields.size > 0 ? fields : undefined;
}

function parseFiles(lines: string): ReleasedFile[] {
  return lines.split("\n").flatMap((line) => {
    const [, sha256, size, path] = /^([0-9a-f]{64}) +(\d{1,15}) +([!-~]{1,300})$/.exec(line) ?? [];
    return sha256 === undefined || path === undefined ? [] : [{ path, size: Number(size), sha256 }];
  });
}

/** An index without packages is not larger than this, compressed. */
const emptyBytes = 64;

export interface PackageIndex {
  /** A file that each mirror has. */
  readonly published: ReleasedFile;
  /** The same list as a file that can be read. */
  readonly readable: ReleasedFile | undefined;
}

/**
 * Returns the list of packages of the folder `wanted`, else of main for amd64, of another one for amd64, or the first
 * one.
 */
export function chooseIndex({ files }: Release, wanted: string | undefined): PackageIndex | undefined {
  const indices = files.filter(
    ({ path, size }) =>
      /(?:^|\/)Packages(?:\.gz|\.xz)?$/.test(path) && filePathPattern.test(path) && size > emptyBytes,
  );
  const folders = [...new Set(indices.map(({ path }) => folderOf(path)))];
  const folder = wanted ?? folders.toSorted((left, right) => folderRank(left) - folderRank(right))[0];
  const [gz, xz, plain] = [".gz", ".xz", ""].map((ending) =>
    indices.find(({ path }) => folderOf(path) === folder && path.endsWith(`Packages${ending}`)),
  );
  const published = gz ?? xz ?? plain;
  if (published === undefined) return undefined;
  // Archives list the plain file, and often do not publish it. Node.js cannot read xz.
  const readable = published === xz || published.size > maxListBytes ? undefined : published;
  return { published, readable };
}

function folderRank(folder: string): number {
  if (folder === "main/binary-amd64") return 0;
  return folder.endsWith("/binary-amd64") && !folder.includes("debian-installer/") ? 1 : 2;
}

function folderOf(path: string): string {
  return path.split("/").slice(0, -1).join("/");
}

/** By Debian's RepositoryFormat, relative to the release. */
export function pathByHash({ path, sha256 }: ReleasedFile): string {
  return [...path.split("/").slice(0, -1), "by-hash", "SHA256", sha256].join("/");
}

export const filenameMarks: PathMarks = { before: "\nFilename:", after: "\n" };

/** Returns paths of packages, relative to the archive; none if it is not a list of the release. */
export function samplePackages(
  { sha256, paths }: Pick<PackageList, "sha256" | "paths">,
  { path }: ReleasedFile,
  { files, revision }: Release,
  max: number,
): readonly string[] {
  // A server that sends a .gz as an encoding of its content has it decompressed on the way.
  const isListed = files.some((file) => file.sha256 === sha256 && folderOf(file.path) === folderOf(path));
  const relative = paths.map((found) => found.trim().replace(/^(?:\.\/)+/, ""));
  return isListed ? spreadSamples(relative, revision, max) : [];
}
