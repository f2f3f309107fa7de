import * as z from "../base/zod.ts";
import { packagesFormat } from "./apt-release.ts";
import { type Classification, described, type Kind } from "./kind.ts";
import { contentTime } from "./mirror-content.ts";
import { changedAt, classifyWhole, filePathPattern, fileUrl } from "./mirror-files.ts";
import { firstGroup, type ListFormat, maxListBytes, type PackageList, scanList } from "./package-list.ts";
import { withSamples } from "./samples.ts";

const formatName = z.enum(["apk", "cran", "opkg", "sha256sums"]);

const [apkName, apkVersion] = [firstGroup(/^P:(\S+)$/m), firstGroup(/^V:(\S+)$/m)];
const [cranName, cranVersion] = [firstGroup(/^Package: *(\S+)$/m), firstGroup(/^Version: *(\S+)$/m)];
const cranFolder = firstGroup(/^Path: *(\S+)$/m);

function joined(...parts: readonly (string | undefined)[]): string | undefined {
  return parts.includes(undefined) ? undefined : parts.join("");
}

const formats: Readonly<Record<z.infer<typeof formatName>, ListFormat & { readonly usualPath: string }>> = {
  apk: {
    usualPath: "APKINDEX.tar.gz",
    separator: "\n\n",
    path: (text) => joined(apkName(text), "-", apkVersion(text), ".apk"),
    size: firstGroup(/^S:(\d{1,15})$/m),
  },
  cran: {
    usualPath: "src/contrib/PACKAGES.gz",
    separator: "\n\n",
    path: (text) => {
      const folder = cranFolder(text);
      return joined(folder ? `${folder}/` : "", cranName(text), "_", cranVersion(text), ".tar.gz");
    },
  },
  opkg: { ...packagesFormat, usualPath: "Packages.gz" },
  sha256sums: {
    usualPath: "SHA256SUMS",
    separator: "\n",
    path: firstGroup(/^(?:[0-9a-f]{64} [ *]|SHA256 \()(?:\.\/)*(.+?)(?:\) = [0-9a-f]{64})?\s*$/m),
  },
};

const options = z.object({
  format: described(
    formatName,
    "The format of the index: apk (Alpine's APKINDEX), cran (R's PACKAGES), opkg (OpenWrt's Packages) or sha256sums (default: sha256sums).",
    "apk",
  ).exactOptional(),
  path: described(
    z.string().regex(filePathPattern, { error: "must be a path relative to the URL, such as SHA256SUMS" }),
    `The index, relative to the URL (defaults: ${Object.values(formats)
      .map(({ usualPath }) => usualPath)
      .join(", ")}). The files that it lists are relative to its folder.`,
    "main/x86_64/APKINDEX.tar.gz",
    "path",
  ).exactOptional(),
});

export const index: Kind<"not_index"> = {
  label: "Other files with an index (Alpine, OpenWrt, CRAN, SHA256SUMS)",
  description: "its index must list files.",
  codes: { not_index: "Its answer is not an index of the expected format." },
  options,
  revision: {
    meaning: "the first digits of the index's SHA-256",
    example: "9f86d081884c7d659a2feaa0c55ad015",
  },
  isProof: true,
  probe: async (url, given, request, context) => {
    const { format: name = "sha256sums", path = formats[name].usualPath } = options.parse(given);
    const format = formats[name];
    let list: PackageList | undefined;
    const { answer, code } = await request(fileUrl(url, path), classifyWhole, {
      maxBytes: maxListBytes,
      readBody: async (chunks, signal) => {
        list = await scanList(chunks, format, signal);
      },
    });
    if (code !== "ok") return { code };
    if (!answer.complete) return { code: "too_large" };
    if (list === undefined || list.files.length === 0) return { code: "not_index" };
    const { digest } = list;
    const content_at = contentTime(changedAt(answer), context.now);
    const found: Classification = { code: "ok", revision: digest.slice(0, 32), content_at };
    const isRight = (read: PackageList) => read.digest === digest;
    return withSamples(url, found, context, { path, format, isRight, isBeside: true });
  },
};
