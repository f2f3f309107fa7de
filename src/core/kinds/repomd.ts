import { childrenOf, ownText, parseXmlRoot, textOf, type XmlElement } from "../base/text/xml.ts";
import { filePathPattern } from "./mirror-files.ts";
import type { SampleFile } from "./mirror-content.ts";
import type { Digest } from "./package-list.ts";

/** Like librepo, expects no prefixes in names, and takes the first of several parts of a type. */
export function parseRepomd(text: string) {
  const root = parseXmlRoot(text);
  if (root?.name !== "repomd") return undefined;
  const parts = childrenOf(root, "data");
  const primary = parts.find(({ attributes }) => attributes["type"] === "primary");
  if (primary === undefined) return undefined;
  const others = parts.filter(({ attributes: { type = "" } }) => type !== "primary" && !type.endsWith("_db"));
  return {
    revision: textOf(root, "revision"),
    /** When the parts were made, in epoch milliseconds. */
    timestamps: parts
      .map((part) => textOf(part, "timestamp") ?? "")
      .filter((seconds) => /^\d{1,12}(?:\.\d+)?$/.test(seconds))
      .map((seconds) => Math.floor(1000 * Number(seconds))),
    /** The list of all packages. */
    primary: fileOf(primary).map((file) => ({ ...file, checksum: checksumOf(primary) }))[0],
    /** The other lists that dnf reads. */
    others: others.flatMap(fileOf).slice(0, maxLists),
  };
}

/** Three times as many as Fedora has. */
const maxLists = 32;

/** Returns nothing for a file on a different server. */
function fileOf(part: XmlElement): SampleFile[] {
  const { href = "", "xml:base": base } = childrenOf(part, "location")[0]?.attributes ?? {};
  const isHere =
    base === undefined && filePathPattern.test(href) && !/(?:^|\/)\.{1,2}(?:\/|$)|:\/\//.test(href);
  const size = textOf(part, "size") ?? "";
  return isHere ? [{ path: href, ...(/^\d{1,15}$/.test(size) && { size: Number(size) }) }] : [];
}

function checksumOf(part: XmlElement): { algorithm: Digest; digest: string } | undefined {
  const [checksum] = childrenOf(part, "checksum");
  const algorithm = checksum?.attributes["type"];
  const digest = checksum === undefined ? "" : ownText(checksum);
  const isUsable = algorithm === "sha256" || algorithm === "sha512";
  return isUsable && /^(?:[0-9a-f]{64}){1,2}$/.test(digest) ? { algorithm, digest } : undefined;
}
