import { createHash } from "node:crypto";
import { StringDecoder } from "node:string_decoder";
import { parseTimestamp } from "../base/text/timestamp.ts";
import type { SampleFile } from "./mirror-content.ts";
import { filePathPattern } from "./mirror-files.ts";
import { copyOf, type ListFormat, maxListBytes, type PackageList, spreadSamples } from "./package-list.ts";

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
  /** The lists that have packages. */
  readonly files: readonly ReleasedFile[];
}

/** Parses InRelease or Release, or the signed text of the first. */
export function parseRelease(text: string): Release | undefined {
  const parser = new ReleaseParser();
  parser.add(Buffer.from(text));
  return parser.end();
}

/** apt needs one of these lists of files. */
const digestFields: ReadonlySet<string> = new Set(["sha256", "sha512", "sha1", "md5sum"]);

const clearStart = "-----BEGIN PGP SIGNED MESSAGE-----";
const signatureStart = "-----BEGIN PGP SIGNATURE-----";
const signatureEnd = "-----END PGP SIGNATURE-----";

/** 4 MB have 70,000 lines with a digest. A million empty ones would cost far more time. */
const maxLines = 100_000;
const maxLineLength = 65_536;
/** Ten times what Debian has. */
const maxFiles = 4096;
/** No time is longer. */
const maxValueLength = 200;

/**
 * Parses a release as it comes, and keeps only what mirrorfeed needs: the first stanza of a control file (deb822),
 * alone or within a clear signature (RFC 9580, 7).
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

  /** Nothing that comes after can make it valid. */
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
    // Blanks at line ends are not signed (RFC 9580, 7.2), and gpgv leaves them out.
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
        // Nothing may follow that has another signature, or none.
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
  const folders = [...new Set(files.map(({ path }) => folderOf(path)))];
  const folder = wanted ?? folders.toSorted((left, right) => folderRank(left) - folderRank(right))[0];
  const [gz, xz, plain] = [".gz", ".xz", ""].map((ending) =>
    files.find(({ path }) => folderOf(path) === folder && path.endsWith(`Packages${ending}`)),
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

export const packagesFormat: ListFormat = {
  separator: "\n\n",
  path: /^Filename:(.*)$/m,
  size: /^Size: *(\d{1,15})$/m,
};

/** Returns packages, with paths relative to the archive; none if it is not a list of the release. */
export function samplePackages(
  { sha256, files: packages }: Pick<PackageList, "sha256" | "files">,
  { path }: ReleasedFile,
  { files, revision }: Release,
  max: number,
): readonly SampleFile[] {
  // A server that sends a .gz as an encoding of its content has it decompressed on the way.
  const isListed = files.some((file) => file.sha256 === sha256 && folderOf(file.path) === folderOf(path));
  const relative = packages.map((found) => {
    return { ...found, path: found.path.trim().replace(/^(?:\.\/)+/, "") };
  });
  return isListed ? spreadSamples(relative, revision, max) : [];
}
