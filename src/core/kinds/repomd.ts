import { childrenOf, ownText, parseXmlRoot, textOf, type XmlElement } from "../base/text/xml.ts";
import { filePathPattern } from "./mirror-files.ts";

export interface Repomd {
  readonly revision: string | undefined;
  /** When the parts were made, in epoch milliseconds. */
  readonly timestamps: readonly number[];
  /** The list of all packages. Undefined if it is on a different server. */
  readonly primary: PrimaryList | undefined;
}

export interface PrimaryList {
  readonly path: string;
  readonly size: number | undefined;
  readonly sha256: string | undefined;
}

/** Like librepo, expects no prefixes in names, and takes the first of several parts of a type. */
export function parseRepomd(text: string): Repomd | undefined {
  const root = parseXmlRoot(text);
  if (root?.name !== "repomd") return undefined;
  const parts = childrenOf(root, "data");
  const primary = parts.find(({ attributes }) => attributes["type"] === "primary");
  if (primary === undefined) return undefined;
  const { href = "", "xml:base": base } = childrenOf(primary, "location")[0]?.attributes ?? {};
  const isHere =
    base === undefined && filePathPattern.test(href) && !/(?:^|\/)\.{1,2}(?:\/|$)|:\/\//.test(href);
  return {
    revision: textOf(root, "revision"),
    timestamps: parts
      .map((part) => textOf(part, "timestamp") ?? "")
      .filter((seconds) => /^\d{1,12}(?:\.\d+)?$/.test(seconds))
      .map((seconds) => Math.floor(1000 * Number(seconds))),
    primary: isHere ? { path: href, size: sizeOf(primary), sha256: sha256Of(primary) } : undefined,
  };
}

function sizeOf(part: XmlElement): number | undefined {
  const size = textOf(part, "size") ?? "";
  return /^\d{1,15}$/.test(size) ? Number(size) : undefined;
}

function sha256Of(part: XmlElement): string | undefined {
  const checksum = childrenOf(part, "checksum").find(({ attributes }) => attributes["type"] === "sha256");
  const digest = checksum === undefined ? "" : ownText(checksum);
  return /^[0-9a-f]{64}$/.test(digest) ? digest : undefined;
}
