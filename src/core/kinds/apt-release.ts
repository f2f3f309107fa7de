import { hash } from "node:crypto";
import { parseTimestamp } from "../base/text/timestamp.ts";
import { filePathPattern } from "./mirror-files.ts";
import { type Digest, firstGroup, type ListFormat } from "./package-list.ts";

/** `path` is relative to the release. */
export interface ReleasedFile {
  readonly path: string;
  readonly size: number;
  readonly digest: string;
}

export type Release = Readonly<NonNullable<ReturnType<typeof parseRelease>>>;

const clearStart = "-----BEGIN PGP SIGNED MESSAGE-----";
const signatureStart = "-----BEGIN PGP SIGNATURE-----";
const signatureEnd = "-----END PGP SIGNATURE-----";

/** Room for 70,000 lines with digests. Without a limit, millions of empty lines would take long to parse. */
const maxLines = 100_000;
/** Ten times as many package lists as a release of Debian has. */
const maxFiles = 4096;

/** Parses Release, InRelease, or the signed text of InRelease. */
export function parseRelease(text: string) {
  const lines = text.split("\n", maxLines + 1);
  // Trailing whitespace isn't signed (RFC 9580, 7.2), and gpgv drops it.
  const signed = lines.length > maxLines ? undefined : signedLines(lines.map((line) => line.trimEnd()));
  const content = signed?.join("\n").trim() ?? "";
  const fields = parseFields(content);
  // apt requires at least one of these fields.
  if (!["sha256", "sha512", "sha1", "md5sum"].some((name) => fields?.has(name))) return undefined;
  const valueOf = (name: string) => (fields?.get(name) ?? []).join("\n");
  const algorithm: Digest = fields?.has("sha256") ? "sha256" : "sha512";
  return {
    /** The same for InRelease and Release. */
    revision: hash("sha256", content).slice(0, 32),
    /** In epoch milliseconds. */
    date: parseTimestamp(valueOf("date"), "http-date"),
    validUntil: parseTimestamp(valueOf("valid-until"), "http-date"),
    /** Whether files can be requested by digest, so that they never change during an update. */
    isByHash: valueOf("acquire-by-hash") === "yes",
    algorithm,
    /** The package lists that aren't empty. */
    files: (fields?.get(algorithm) ?? []).flatMap(listIn).slice(0, maxFiles),
  };
}

/** Returns what a clearsigned text (RFC 9580, 7) signs. Anything after the signature makes it invalid. */
function signedLines(lines: readonly string[]): readonly string[] | undefined {
  if (lines[0] !== clearStart) return lines;
  const start = lines.indexOf("") + 1;
  const end = lines.indexOf(signatureStart);
  const last = lines.indexOf(signatureEnd);
  const isWhole = start > 0 && start <= end && end < last;
  const isAlone = lines.every((line, at) => at <= end || at === last || !line.startsWith("-----"));
  if (!isWhole || !isAlone || lines.slice(last + 1).some((line) => line !== "")) return undefined;
  return lines.slice(start, end).map((line) => line.replace(/^- /, ""));
}

/** Parses the first stanza of a control file (deb822). Returns the lines of each field's value. */
function parseFields(content: string): ReadonlyMap<string, readonly string[]> | undefined {
  const fields = new Map<string, string[]>();
  let values: string[] | undefined;
  for (const line of content.split("\n")) {
    if (line === "") break;
    if (line.startsWith("#")) continue;
    const [, name, value = line] = /^([!"$-,.-9;-~][!-9;-~]*):[ \t]*(.*)$/.exec(line) ?? [];
    if (name !== undefined) {
      values = [];
      fields.set(name.toLowerCase(), values);
    } else if (!/^[ \t]/.test(line)) return undefined;
    if (values === undefined) return undefined;
    values.push(value.trim());
  }
  return fields;
}

/** Returns the package list on a line of `SHA256` or `SHA512`, unless the line lists another file or an empty one. */
function listIn(line: string): ReleasedFile[] {
  const [, digest, digits, path] =
    /^([0-9a-f]{64}|[0-9a-f]{128}) +(\d{1,15}) +([!-~]{1,300})$/.exec(line) ?? [];
  if (digest === undefined || path === undefined || Number(digits) <= emptyBytes) return [];
  const isList = /(?:^|\/)Packages(?:\.(?:gz|xz|zst|bz2))?$/.test(path) && filePathPattern.test(path);
  return isList ? [{ path, size: Number(digits), digest }] : [];
}

/** A package list without packages is no larger than this, even compressed. */
const emptyBytes = 64;

/** Returns a package list's forms in a folder (default: main/binary-amd64, another amd64 one, or the first). */
export function listForms({ files }: Release, wanted: string | undefined): readonly ReleasedFile[] {
  const folders = [...new Set(files.map(({ path }) => folderOf(path)))];
  const folder = wanted ?? folders.toSorted((left, right) => folderRank(left) - folderRank(right))[0];
  // Archives list the plain form, but often don't publish it. Only .bz2 can't be read.
  return [".gz", ".zst", ".xz", "", ".bz2"].flatMap(
    (ending) =>
      files.find(({ path }) => folderOf(path) === folder && path.endsWith(`Packages${ending}`)) ?? [],
  );
}

function folderRank(folder: string): number {
  if (folder === "main/binary-amd64") return 0;
  return folder.endsWith("/binary-amd64") && !folder.includes("debian-installer/") ? 1 : 2;
}

function folderOf(path: string): string {
  return path.split("/").slice(0, -1).join("/");
}

/** Returns a path relative to the release, different in each (Acquire-By-Hash in Debian's RepositoryFormat). */
export function pathByHash({ isByHash, algorithm }: Release, { path, digest }: ReleasedFile) {
  if (!isByHash) return undefined;
  return [...path.split("/").slice(0, -1), "by-hash", algorithm.toUpperCase(), digest].join("/");
}

export const packagesFormat: ListFormat = {
  separator: "\n\n",
  path: firstGroup(/^Filename: *(?:\.\/)*(.*?) *$/m),
  size: firstGroup(/^Size: *(\d{1,15})$/m),
};

/** The digest can be that of the plain file: a .gz sent with Content-Encoding arrives decompressed. */
export function isListed({ files }: Release, { path }: ReleasedFile, digest: string): boolean {
  return files.some((file) => file.digest === digest && folderOf(file.path) === folderOf(path));
}
