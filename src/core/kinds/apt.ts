import { hash } from "node:crypto";
import * as z from "../base/zod.ts";
import {
  type Classification,
  described,
  filePath,
  type Kind,
  type MirrorList,
  type ProbeContext,
} from "./kind.ts";
import {
  isListed,
  listForms,
  packagesFormat,
  parseRelease,
  pathByHash,
  type Release,
  type ReleasedFile,
} from "./apt-release.ts";
import { classifyWhole, fileUrl, isAbsent, problemOf, tryHead } from "./mirror-files.ts";
import { contentTime } from "./mirror-content.ts";
import type { PackageList } from "./package-list.ts";
import { withSamples } from "./samples.ts";

const options = z.object({
  suite: described(
    z
      .string()
      .max(200)
      .regex(/^[\w.~+-]+(?:\/[\w.~+-]+)*\/?$/, {
        error:
          "must be a suite such as stable or bookworm-updates, or a folder that ends with a slash, such as ./",
      }),
    "The suite, as in sources.list (default: stable). A suite that ends with a slash, such as ./, is a folder outside dists/.",
    "bookworm-updates",
    "suite",
  ).exactOptional(),
  index: described(
    z
      .string()
      .max(200)
      .regex(/^[\w.~+-]+(?:\/[\w.~+-]+)*$/, { error: "must be a folder such as main/binary-arm64" }),
    "The folder whose Packages file the package samples come from (default: main/binary-amd64 if listed, otherwise another amd64 folder, or else the first folder).",
    "main/binary-arm64",
    "path",
  ).exactOptional(),
  keyring: described(
    filePath,
    "The path of a keyring, relative to this file. gpgv then checks that InRelease is signed by one of the keyring's keys (default: signatures are not checked).",
    "debian-archive-keyring.gpg",
    "path",
  ).exactOptional(),
});

/** A mirror list for apt (apt-transport-mirror(1)). Without priorities, apt chooses at random. */
const aptList: MirrorList = {
  extension: "list",
  type: "text/plain",
  tool: "apt",
  title: "Mirrors for apt, best first",
  description:
    "A list for apt's `mirror+https` and `mirror+http` methods, with a priority for each mirror. If a mirror fails, apt tries the next one. Requires apt 1.6 or later.",
  usage: {
    title: "Add to apt's sources.list",
    line: (url, { suite: given }) => {
      const suite = typeof given === "string" ? given : "stable";
      return `deb mirror+${url} ${suite}${suite.endsWith("/") ? "" : " main"}`;
    },
  },
  render: ({ mirrors, comment }) =>
    [
      `# ${comment}\n`,
      ...mirrors.map(({ url }, index) => `${url.replace(/\/*$/, "/")}\tpriority:${index + 1}\n`),
    ].join(""),
};

const maxReleaseBytes = 4 * 1024 * 1024;

export const apt: Kind<"not_apt" | "bad_signature"> = {
  label: "Packages for apt (Debian, Ubuntu)",
  description: "the suite's InRelease or Release must parse. Signatures are verified only with a `keyring`.",
  codes: {
    not_apt: "Its answer is not an apt release file.",
    bad_signature: "Its release file is not signed by a key in the keyring.",
  },
  options,
  revision: {
    meaning: "the first digits of the SHA-256 of the release file without its signature",
    example: "9f86d081884c7d659a2feaa0c55ad015",
  },
  isProof: true,
  lists: [aptList],
  probe: async (url, given, request, context) => {
    const { suite = "stable", index, keyring } = options.parse(given);
    const folder = suite.endsWith("/") ? suite : `dists/${suite}/`;
    const at = (path: string): URL => fileUrl(url, `${folder}${path}`);
    const requestRelease = (name: string) => request(at(name), classifyWhole, { maxBytes: maxReleaseBytes });
    const signed = await requestRelease("InRelease");
    // Archives without inline signatures have only Release.
    const isPlain = isAbsent(signed) && keyring === undefined;
    const { answer, code } = isPlain ? await requestRelease("Release") : signed;
    if (code !== "ok") return { code };
    if (!answer.complete) return { code: "too_large" };
    const unverified = parseRelease(answer.body.toString());
    if (unverified === undefined) return { code: "not_apt" };
    const signedText = keyring && (await context.verifySignature(answer.body, keyring));
    const release = keyring === undefined ? unverified : parseRelease(signedText ?? "");
    if (release === undefined) return { code: "bad_signature" };
    const { revision, date, validUntil, algorithm } = release;
    const forms = listForms(release, index);
    const [list] = forms;
    const isHalf = await lacksList(at, release, forms, context);
    const found: Classification = {
      ...{ code, revision },
      content_at: contentTime(date, context.now),
      content_code: isHalf ? "half_synced" : undefined,
    };
    const samples = list && {
      path: `${folder}${pathByHash(release, list) ?? list.path}`,
      ...{ format: packagesFormat, algorithm },
      isRight: ({ digest }: PackageList) => isListed(release, list, digest),
    };
    const sampled = await withSamples(url, found, context, samples);
    const isExpired = validUntil !== undefined && validUntil < context.now;
    return { ...sampled, content_code: sampled.content_code ?? (isExpired ? "expired" : undefined) };
  },
};

/** Lists of the right size are downloaded only once for each release, and only if they are small. */
const maxDigestBytes = 1024 * 1024;

/** Returns whether the package list is missing or is not the release's. */
async function lacksList(
  at: (path: string) => URL,
  release: Release,
  forms: readonly ReleasedFile[],
  { tryRequest, lastRevision, wasIncomplete }: ProbeContext,
): Promise<boolean> {
  const isNew = lastRevision !== release.revision || wasIncomplete === true;
  // Some mirroring tools don't copy by-hash files. apt then requests the list by name, and its next form if one is missing.
  const byHash = forms.slice(0, 1).map((list) => ({ list, path: pathByHash(release, list) }));
  for (const { list, path } of [...byHash, ...forms.map((list) => ({ list, path: list.path }))]) {
    if (path === undefined) continue;
    const isRead = isNew && path === list.path && list.size < maxDigestBytes;
    const found = await (isRead
      ? tryRequest(at(path), classifyWhole, { maxBytes: maxDigestBytes })
      : tryHead(at(path), tryRequest));
    const problem = found && problemOf(found, list);
    if (problem === "missing_file") continue;
    if (found === undefined || problem !== undefined || !isRead) return problem !== undefined;
    const { status, body, complete } = found.answer;
    return status === 200 && complete && !isListed(release, list, hash(release.algorithm, body));
  }
  return forms.length > 0;
}
