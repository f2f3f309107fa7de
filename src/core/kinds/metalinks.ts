import * as z from "../base/zod.ts";
import { escapeXml } from "../base/text/quote.ts";
import { decodeSegment } from "../contract/routing.ts";
import type { KindOptions, ListedContent, ListedMirror, ListInput, MirrorList } from "./kind.ts";
import { fileUrl } from "./mirror-files.ts";

/** Metalink 3.0 with MirrorManager's extensions (librepo/metalink.c). dnf uses mirrors with any of the digests. */
export const metalink: MirrorList = {
  extension: "metalink",
  type: "application/metalink+xml",
  tool: "dnf",
  title: "Mirrors for dnf, best first",
  description:
    "A metalink for dnf's `metalink=`, with the size and digests of the reference's `repomd.xml`. The reference's versions from the last few days are listed as alternates. dnf refuses mirrors with any other version, even a newer one. If mirrors are updated more often than this feed, use `mirrorlist=` with the plain list.",
  usage: { title: "Add to a dnf repository file", line: (url) => `metalink=${url}` },
  render: ({ mirrors, comment, reference, former = [] }) => {
    const known = reference?.sha256;
    const alternates = former.filter(({ sha256 }) => sha256 !== undefined && sha256 !== known);
    const file = [
      ...contentLines(reference),
      ...element(
        "mm0:alternates",
        alternates.flatMap((content) => element("mm0:alternate", contentLines(content))),
      ),
      ...element('resources maxconnections="1"', mirrors.map(resource)),
    ];
    const root = element(
      'metalink version="3.0" xmlns="http://www.metalinker.org/" xmlns:mm0="http://fedorahosted.org/mirrormanager" type="dynamic"',
      element("files", element('file name="repomd.xml"', file)),
    );
    return documentOf(comment, root);
  },
};

function documentOf(comment: string, root: readonly string[]): string {
  return ['<?xml version="1.0" encoding="utf-8"?>', `<!-- ${comment} -->`, ...root, ""].join("\n");
}

/** Returns the lines of an element, or none if it would be empty. `tag` is its name and attributes. */
function element(tag: string, content: readonly string[], indent = " "): string[] {
  const [name = ""] = tag.split(" ", 1);
  return content.length === 0 ? [] : [`<${tag}>`, ...content.map((line) => indent + line), `</${name}>`];
}

function textElement(tag: string, text: string | number | undefined): string[] {
  const [name = ""] = tag.split(" ", 1);
  return text === undefined ? [] : [`<${tag}>${text}</${name}>`];
}

function contentLines({ content_at, size, sha256, sha512 }: ListedContent = {}): string[] {
  const hashes = [...textElement('hash type="sha256"', sha256), ...textElement('hash type="sha512"', sha512)];
  return [
    ...textElement("mm0:timestamp", content_at && Math.floor(Date.parse(content_at) / 1000)),
    ...textElement("size", size),
    ...element("verification", hashes),
  ];
}

function resource({ url, country }: ListedMirror, index: number): string {
  const { protocol, href } = fileUrl(url, "repodata/repomd.xml");
  const scheme = protocol.slice(0, -1);
  const location = country === undefined ? "" : ` location="${country}"`;
  // 100 is best.
  const preference = Math.max(1, 100 - index);
  return `<url protocol="${scheme}" type="${scheme}"${location} preference="${preference}">${escapeXml(href)}</url>`;
}

export const metalink4: MirrorList = {
  extension: "meta4",
  type: "application/metalink4+xml",
  tool: "aria2",
  title: "Mirrors of a file, best first",
  description:
    "A metalink (RFC 5854) for a file with `content.sha256`. It gives the file's size and digest once they are known. With `content.size`, both come from the configuration, and mirrorfeed does not verify the digest. Mirrors with the wrong content are left out as long as any mirror has the right content. aria2 and similar tools refuse a file with a different digest.",
  usage: { title: "Download from the best mirrors and verify", line: (url) => `aria2c ${url}` },
  isFor: (options) => declaredContent(options).sha256 !== undefined,
  render: (input) => {
    const { mirrors, comment, primary, reference } = input;
    const declared = declaredContent(primary.options);
    const isUnread = declared.size !== undefined;
    const { size, sha256 } = isUnread ? declared : { ...reference };
    const digest = sha256 ?? (declared.sha256 === "reference" ? undefined : declared.sha256);
    const urls = withRightContent(mirrors, isUnread ? primary.revision : digest).map(
      ({ url, country }, index) =>
        `<url${country === undefined ? "" : ` location="${country.toLowerCase()}"`} priority="${index + 1}">${escapeXml(url)}</url>`,
    );
    const lines = [...textElement("size", size), ...textElement('hash type="sha-256"', digest), ...urls];
    const file = element(`file name="${escapeXml(fileName(input))}"`, lines, "  ");
    const content = [...(isUnread ? [declaredComment] : []), ...file];
    return documentOf(comment, element('metalink xmlns="urn:ietf:params:xml:ns:metalink"', content, "  "));
  },
};

const declaredComment =
  "<!-- The size and digest come from the configuration. mirrorfeed checks each copy's size, not its digest. -->";

const contentOption = z.object({ sha256: z.string().optional(), size: z.number().optional() }).catch({});

/** If the configuration has both, the digest is never verified, because the body is not read. */
function declaredContent({ content }: KindOptions): z.infer<typeof contentOption> {
  return contentOption.parse(content);
}

/** Leaves out wrong content, which would corrupt the download, unless only mirrors with such content are online. */
function withRightContent(
  mirrors: readonly ListedMirror[],
  expected: string | undefined,
): readonly ListedMirror[] {
  const right = mirrors.filter(
    ({ revision, content_code }) =>
      content_code === undefined && (revision === undefined || expected?.startsWith(revision) !== false),
  );
  return right.some(({ status }) => status === 1) ? right : mirrors;
}

/** Returns the file name in the primary's URL, or the target's name if that is not a safe file name. */
function fileName({ place, primary }: ListInput): string {
  const name = decodeSegment(new URL(primary.url).pathname.split("/").at(-1) ?? "");
  const isSafe = /^(?![.~-])[^/\\\p{C}\p{Z}:*?"<>|]{1,200}$/u.test(name);
  return isSafe ? name : (place.split("/").at(-1) ?? "file");
}
