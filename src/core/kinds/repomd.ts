import { childrenOf, ownText, parseXmlRoot, textOf, type XmlElement } from "../base/text/xml.ts";
import { filePathPattern } from "./mirror-files.ts";
import type { Digest } from "./package-list.ts";

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
  readonly checksum: { readonly algorithm: Digest; readonly digest: string } | undefined;
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
    primary: isHere ? { path: href, size: sizeOf(primary), checksum: checksumOf(primary) } : undefined,
  };
}

function sizeOf(part: XmlElement): number | undefined {
  const size = textOf(part, "size") ?? "";
  return /^\d{1,15}$/.test(size) ? Number(size) : undefined;
}

function checksumOf(part: XmlElement): PrimaryList["checksum"] {
  const [checksum] = childrenOf(part, "checksum");
  const algorithm = checksum?.attributes["type"];
  const digest = checksum === undefined ? "" : ownText(checksum);
  const isUsable = algorithm === "sha256" || algorithm === "sha512";
  return isUsable && /^(?:[0-9a-f]{64}){1,2}$/.test(digest) ? { algorithm, digest } : undefined;
}
