import { hash } from "node:crypto";
import { parseTimestamp } from "../base/text/timestamp.ts";
import { parseStanza } from "./deb822.ts";

/** A file that a release names, with a path relative to the release. */
export interface ReleasedFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

/** What a mirror of an apt archive says of a suite. */
export interface Release {
  /** The first 32 digits of the SHA-256 of its text: equal for InRelease and Release, and for every signature. */
  readonly revision: string;
  /** In epoch milliseconds. */
  readonly date: number | undefined;
  readonly validUntil: number | undefined;
  /** Whether files can be requested by their digests, which never change below a client. */
  readonly isByHash: boolean;
  readonly files: readonly ReleasedFile[];
}

/** The lists of files, of which apt needs one. */
const digestFields = ["sha256", "sha512", "sha1", "md5sum"];

/** Parses InRelease or Release, or the signed text of the first. Returns undefined if it is none of them. */
export function parseRelease(text: string): Release | undefined {
  // Blanks at line ends are not signed (RFC 9580, 7.2), and gpgv leaves them out.
  const signed = signedText(
    text
      .split("\n")
      .map((line) => line.trimEnd())
      .join("\n"),
  );
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

/** Returns the text within a clear signature (RFC 9580, 7), or the whole text if it has none. */
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

function parseFiles(lines: string): ReleasedFile[] {
  return lines.split("\n").flatMap((line) => {
    const [, sha256, size, path] = /^([0-9a-f]{64}) +(\d{1,15}) +([!-~]{1,300})$/.exec(line) ?? [];
    return sha256 === undefined || path === undefined ? [] : [{ path, size: Number(size), sha256 }];
  });
}
