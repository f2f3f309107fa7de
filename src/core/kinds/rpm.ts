import { hash } from "node:crypto";
import { classifyWhole, fileUrl, findFileProblem, isPage, problemOf, tryHead } from "./mirror-files.ts";
import type { Classification, Kind } from "./kind.ts";
import { metalink } from "./metalinks.ts";
import { contentTime } from "./mirror-content.ts";
import { firstGroup, type ListFormat, type PackageList } from "./package-list.ts";
import { withSamples } from "./samples.ts";

const maxBytes = 256 * 1024;

export const rpm: Kind<"not_rpm"> = {
  label: "RPM packages (Fedora, openSUSE)",
  description: "its repodata/repomd.xml must be valid.",
  codes: { not_rpm: "It did not answer like an RPM repository." },
  revision: {
    meaning: "the revision in repomd.xml, and the first digits of its SHA-256",
    example: "1773136800-6f1ed002ab5595859014ebf0951522d9",
  },
  isProof: true,
  lists: [metalink],
  probe: async (url, _, request, context) => {
    // Loaded here, because no other kind needs XML.
    const { parseRepomd } = await import("./repomd.ts");
    const { answer, code } = await request(fileUrl(url, "repodata/repomd.xml"), classifyWhole, { maxBytes });
    if (code !== "ok") return { code };
    if (!answer.complete) return { code: "too_large" };
    const repomd = parseRepomd(answer.body.toString("utf8"));
    if (repomd === undefined) return { code: "not_rpm" };
    const { revision: name = "", timestamps, primary, others } = repomd;
    const sha256 = hash("sha256", answer.body);
    const sha512 = hash("sha512", answer.body);
    const named = /^[!-~]{1,31}$/.test(name) ? `${name}-` : "";
    const times = timestamps.map((at) => contentTime(at, context.now)).filter((at) => at !== undefined);
    const head = primary && (await tryHead(fileUrl(url, primary.path), context.tryRequest));
    const isHalf =
      (head && (problemOf(head, primary) ?? (primary.size === undefined && isPage(head.answer)))) ||
      (await findFileProblem(url, others, { ...context, lastProblem: undefined })) !== undefined;
    const found: Classification = {
      code,
      revision: `${named}${sha256.slice(0, 32)}`,
      content_at: times.sort().at(-1),
      content_code: isHalf ? "half_synced" : undefined,
    };
    const checksum = primary?.checksum;
    const samples = checksum && {
      ...{ path: primary.path, format: primaryFormat, algorithm: checksum.algorithm },
      isRight: ({ digest }: PackageList) => digest === checksum.digest,
    };
    const sampled = await withSamples(url, found, context, samples);
    return { ...sampled, index: { size: answer.body.length, sha256, sha512, ...sampled.index } };
  },
};

/** Parsing a large `primary.xml` would take 1 GB. The path has no entities and is not on a different server. */
const primaryFormat: ListFormat = {
  separator: "</package>",
  path: firstGroup(/<location href="([^"&]+)"\s*\/>/),
  size: firstGroup(/<size package="(\d{1,15})"/),
};
