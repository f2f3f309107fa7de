import { createHash } from "node:crypto";
import { StringDecoder } from "node:string_decoder";
import { parseTimestamp } from "../base/text/timestamp.ts";
import type { SampleFile } from "./mirror-content.ts";
import { filePathPattern } from "./mirror-files.ts";
import { copyOf, type ListFormat, maxListBytes, type PackageList, spreadSamples } from "./package-list.ts";

/** A file listed in a release, with its path relative to the release. */
export interface ReleasedFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

export interface Release {
  /** A digest of the text without its signature, so InRelease and Release have the same revision. */
  readonly revision: string;
  /** In epoch milliseconds. */
  readonly date: number | undefined;
  readonly validUntil: number | undefined;
  /** Whether files can be requested by digest, so that they never change during an update. */
  readonly isByHash: boolean;
  /** The package lists that aren't empty. */
  readonly files: readonly ReleasedFile[];
}

/** Parses Release, InRelease, or the signed text of InRelease. */
export function parseRelease(text: string): Release | undefined {
  const parser = new ReleaseParser();
  parser.add(Buffer.from(text));
  return parser.end();
}

/** apt requires at least one of these fields. */
const digestFields: ReadonlySet<string> = new Set(["sha256", "sha512", "sha1", "md5sum"]);

const clearStart = "-----BEGIN PGP SIGNED MESSAGE-----";
const signatureStart = "-----BEGIN PGP SIGNATURE-----";
const signatureEnd = "-----END PGP SIGNATURE-----";

/**
 * A release of 4 MB has room for 70,000 lines with digests. Without a limit, it could have millions of empty lines
 * instead, which take far longer to parse.
 */
const maxLines = 100_000;
const maxLineLength = 65_536;
/** Ten times as many package lists as a release of Debian has. */
const maxFiles = 4096;
/** Longer than any date. */
const maxValueLength = 200;

/**
 * Parses a release chunk by chunk, and keeps only the fields that mirrorfeed needs. A release is the first stanza of a
 * control file (deb822), plain or clearsigned (RFC 9580, 7).
 */
export class ReleaseParser {
  #part: "start" | "armor" | "text" | "signed" | "signature" | "end" | "invalid" = "start";
  readonly #decoder = new StringDecoder("utf8");
  #rest = "";
  #lines = 0;
  readonly #digest = createHash("sha256");
  #isHashed = false;
  #blankLines = 0;
  #isStanzaOver = false;
  readonly #fields = new Map<string, string>();
  #field: string | undefined;
  #hasDigests = false;
  #files: ReleasedFile[] = [];

  /** Whether the text so far is already invalid. Later text cannot change that. */
  get isInvalid(): boolean {
    return this.#part === "invalid";
  }

  add(chunk: Buffer): void {
    const lines = (this.#rest + this.#decoder.write(chunk)).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      if (this.isInvalid) return;
      this.#addLine(line);
    }
    if (this.#rest.length > maxLineLength) this.#part = "invalid";
  }

  end(): Release | undefined {
    this.#addLine(this.#rest + this.#decoder.end());
    if ((this.#part !== "text" && this.#part !== "end") || !this.#hasDigests) return undefined;
    const time = (name: string) => parseTimestamp(this.#fields.get(name) ?? "", "http-date");
    return {
      revision: this.#digest.digest("hex").slice(0, 32),
      date: time("date"),
      validUntil: time("valid-until"),
      isByHash: this.#fields.get("acquire-by-hash") === "yes",
      files: this.#files,
    };
  }

  #addLine(sent: string): void {
    this.#lines += 1;
    if (this.#lines > maxLines || sent.length > maxLineLength) this.#part = "invalid";
    // Trailing whitespace isn't signed (RFC 9580, 7.2), and gpgv drops it.
    const line = sent.trimEnd();
    if (this.#part === "start") this.#part = line === clearStart ? "armor" : "text";
    switch (this.#part) {
      case "armor":
        if (line === "") this.#part = "signed";
        if (line === signatureStart) this.#part = "invalid";
        return;
      case "text":
        this.#addText(line);
        return;
      case "signed":
        if (line === signatureStart) this.#part = "signature";
        else this.#addText(line.replace(/^- /, ""));
        return;
      case "signature":
        if (line.startsWith("-----")) this.#part = line === signatureEnd ? "end" : "invalid";
        return;
      case "end":
        // Text after the signature would be unsigned, or signed separately.
        if (line !== "") this.#part = "invalid";
        return;
      case "invalid":
    }
  }

  #addText(line: string): void {
    if (line.trim() === "") {
      this.#blankLines += 1;
      if (this.#field !== undefined) this.#isStanzaOver = true;
      return;
    }
    this.#digest.update(this.#isHashed ? `${"\n".repeat(this.#blankLines + 1)}${line}` : line.trimStart());
    this.#isHashed = true;
    this.#blankLines = 0;
    if (!this.#isStanzaOver && !line.startsWith("#")) this.#addField(line);
  }

  #addField(line: string): void {
    const [, name, value = line] = /^([!"$-,.-9;-~][!-9;-~]*):[ \t]*(.*)$/.exec(line) ?? [];
    if (name !== undefined) {
      this.#field = name.toLowerCase();
      this.#fields.delete(this.#field);
      if (digestFields.has(this.#field)) this.#hasDigests = true;
      if (this.#field === "sha256") this.#files = [];
    }
    const field = this.#field;
    if (field === undefined || (name === undefined && !/^[ \t]/.test(line))) {
      this.#part = "invalid";
    } else if (field === "sha256") {
      this.#addFile(value.trim());
    } else if (["date", "valid-until", "acquire-by-hash"].includes(field)) {
      const former = this.#fields.get(field);
      const lines = former === undefined ? value.trim() : `${former}\n${value.trim()}`;
      this.#fields.set(field, lines.slice(0, maxValueLength));
    }
  }

  #addFile(line: string): void {
    if (this.#files.length >= maxFiles) return;
    const [, sha256, digits, path] = /^([0-9a-f]{64}) +(\d{1,15}) +([!-~]{1,300})$/.exec(line) ?? [];
    if (sha256 === undefined || path === undefined) return;
    const isList = /(?:^|\/)Packages(?:\.gz|\.xz)?$/.test(path) && filePathPattern.test(path);
    if (!isList || Number(digits) <= emptyBytes) return;
    this.#files.push({ path: copyOf(path), size: Number(digits), sha256: copyOf(sha256) });
  }
}

/** A package list without packages is no larger than this, even compressed. */
const emptyBytes = 64;

export interface PackageIndex {
  /** The package list in the form (.gz, .xz or plain) that every mirror should have. */
  readonly published: ReleasedFile;
  /** `published`, or undefined if it is too large or compressed with xz. */
  readonly readable: ReleasedFile | undefined;
}

/**
 * Chooses the package list in the folder `wanted`. Without `wanted`, chooses main/binary-amd64 if listed, otherwise
 * another amd64 folder, otherwise the first folder.
 */
export function chooseIndex({ files }: Release, wanted: string | undefined): PackageIndex | undefined {
  const folders = [...new Set(files.map(({ path }) => folderOf(path)))];
  const folder = wanted ?? folders.toSorted((left, right) => folderRank(left) - folderRank(right))[0];
  const [gz, xz, plain] = [".gz", ".xz", ""].map((ending) =>
    files.find(({ path }) => folderOf(path) === folder && path.endsWith(`Packages${ending}`)),
  );
  const published = gz ?? xz ?? plain;
  if (published === undefined) return undefined;
  // Archives list the plain file, but often don't publish it. Node.js can't decompress xz.
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

/** Returns a path relative to the release (Acquire-By-Hash in Debian's RepositoryFormat). */
export function pathByHash({ path, sha256 }: ReleasedFile): string {
  return [...path.split("/").slice(0, -1), "by-hash", "SHA256", sha256].join("/");
}

export const packagesFormat: ListFormat = {
  separator: "\n\n",
  path: /^Filename:(.*)$/m,
  size: /^Size: *(\d{1,15})$/m,
};

/** Returns some of a list's packages, with paths relative to the archive, or none if the release lacks the list. */
export function samplePackages(
  { sha256, files: packages }: Pick<PackageList, "sha256" | "files">,
  { path }: ReleasedFile,
  { files, revision }: Release,
  max: number,
): readonly SampleFile[] {
  // The digest can be that of the plain file: a .gz sent with Content-Encoding arrives decompressed.
  const isListed = files.some((file) => file.sha256 === sha256 && folderOf(file.path) === folderOf(path));
  const relative = packages.map((found) => {
    return { ...found, path: found.path.trim().replace(/^(?:\.\/)+/, "") };
  });
  return isListed ? spreadSamples(relative, revision, max) : [];
}
