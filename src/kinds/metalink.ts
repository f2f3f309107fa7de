import { escapeXml } from "../base/text/quote.ts";
import type { ListedContent, ListedMirror, MirrorList } from "./list.ts";
import { fileUrl } from "./mirror-file.ts";

/**
 * A metalink for dnf and other tools that use librepo: Metalink 3.0 with the extensions of MirrorManager
 * (https://github.com/rpm-software-management/librepo, librepo/metalink.c). dnf takes the first mirror whose repomd.xml has one
 * of the digests.
 */
export const metalink: MirrorList = {
  extension: "metalink",
  type: "application/metalink+xml",
  tool: "dnf",
  title: "The mirrors for dnf, best first",
  description:
    "A metalink for `metalink=` of dnf, with the size and the digests of the reference's `repomd.xml`, and those that the reference had in the last days as alternates. dnf refuses a mirror with any other.",
  usage: { title: "A line of a repository for dnf", line: (url) => `metalink=${url}` },
  render: ({ mirrors, reference, former = [] }) => {
    const lines = [
      '<?xml version="1.0" encoding="utf-8"?>',
      '<metalink version="3.0" xmlns="http://www.metalinker.org/" xmlns:mm0="http://fedorahosted.org/mirrormanager" type="dynamic">',
      " <files>",
      '  <file name="repomd.xml">',
      ...contentLines(reference, "   "),
      ...alternates(former.filter(({ sha256 }) => sha256 !== undefined && sha256 !== reference?.sha256)),
      '   <resources maxconnections="1">',
      ...mirrors.map(resource),
      "   </resources>",
      "  </file>",
      " </files>",
      "</metalink>",
    ];
    return `${lines.join("\n")}\n`;
  },
};

function alternates(former: readonly ListedContent[]): string[] {
  if (former.length === 0) return [];
  return [
    "   <mm0:alternates>",
    ...former.flatMap((content) => [
      "    <mm0:alternate>",
      ...contentLines(content, "     "),
      "    </mm0:alternate>",
    ]),
    "   </mm0:alternates>",
  ];
}

function contentLines(content: ListedContent | undefined, indent: string): string[] {
  const { content_at, size, sha256, sha512 } = content ?? {};
  const hashes = [
    ...(sha256 === undefined ? [] : [`${indent} <hash type="sha256">${sha256}</hash>`]),
    ...(sha512 === undefined ? [] : [`${indent} <hash type="sha512">${sha512}</hash>`]),
  ];
  return [
    ...(content_at === undefined
      ? []
      : [`${indent}<mm0:timestamp>${Math.floor(Date.parse(content_at) / 1000)}</mm0:timestamp>`]),
    ...(size === undefined ? [] : [`${indent}<size>${size}</size>`]),
    ...(hashes.length > 0 ? [`${indent}<verification>`, ...hashes, `${indent}</verification>`] : []),
  ];
}

function resource({ url, country }: ListedMirror, index: number): string {
  const { protocol, href } = fileUrl(url, "repodata/repomd.xml");
  const scheme = protocol.slice(0, -1);
  const location = country === undefined ? "" : ` location="${country}"`;
  // 100 is the best.
  const preference = Math.max(1, 100 - index);
  return `    <url protocol="${scheme}" type="${scheme}"${location} preference="${preference}">${escapeXml(href)}</url>`;
}
