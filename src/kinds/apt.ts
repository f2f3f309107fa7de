import * as z from "zod";
import { collect } from "../base/http/response.ts";
import type { RequestOptions } from "../base/http/transport.ts";
import {
  chooseIndex,
  packagesFormat,
  parseRelease,
  pathByHash,
  type Release,
  ReleaseParser,
  samplePackages,
} from "./apt-release.ts";
import { classifyBody, withoutQuery } from "./classification.ts";
import type { Classification, Kind, MirrorList, ProbeContext } from "./kind.ts";
import { type ContentCode, contentTime, maxSamples, type SampleFile } from "./mirror-content.ts";
import { filePathPattern, fileUrl, hasWrongSize, isGone, tryHead, withSamples } from "./mirror-files.ts";
import { inTurn, readList } from "./package-list.ts";

type OwnCode = "not_apt" | "bad_signature";

const options = z.object({
  suite: z
    .string()
    .max(200)
    .regex(/^[\w.~+-]+(?:\/[\w.~+-]+)*\/?$/, {
      error:
        "must be a suite such as stable or bookworm-updates, or a folder such as ./ that ends with a slash",
    })
    .describe(
      "The suite, as in sources.list (default: stable). One that ends with a slash is a folder without dists/.",
    )
    .meta({ title: "suite", examples: ["bookworm-updates"] })
    .exactOptional(),
  index: z
    .string()
    .max(200)
    .regex(/^[\w.~+-]+(?:\/[\w.~+-]+)*$/, { error: "must be a folder such as main/binary-arm64" })
    .describe(
      "The folder of the Packages file that sample packages come from (default: main/binary-amd64 if it is listed, otherwise the first one).",
    )
    .meta({ title: "path", examples: ["main/binary-arm64"] })
    .exactOptional(),
  keyring: z
    .string()
    .min(1)
    .max(4096)
    .describe(
      "A keyring, relative to this file, with a key that must have signed InRelease; gpgv verifies it (default: not verified).",
    )
    .meta({ title: "path", examples: ["debian-archive-keyring.gpg"] })
    .exactOptional(),
});

/** A mirror list for apt (apt-transport-mirror(1)). Without priorities apt would choose at random. */
const list: MirrorList = {
  extension: "list",
  type: "text/plain",
  tool: "apt",
  title: "The mirrors for apt, best first",
  description:
    "A list for apt's `mirror+https` and `mirror+http`, with a priority for each mirror. If a mirror fails, apt takes the next one. Needs apt 1.6 or later.",
  usage: {
    title: "A line of sources.list for apt",
    line: (url, { suite: given }) => {
      const suite = typeof given === "string" ? given : "stable";
      return `deb mirror+${url} ${suite}${suite.endsWith("/") ? "" : " main"}`;
    },
  },
  render: ({ mirrors, warning }) =>
    [
      ...(warning === undefined ? [] : [`# ${warning}\n`]),
      ...mirrors.map(({ url }, index) => `${url.replace(/\/*$/, "/")}\tpriority:${index + 1}\n`),
    ].join(""),
};

/** The release file of Debian has 150 KB, and that of Ubuntu 300 KB. */
const maxReleaseBytes = 4 * 1024 * 1024;

/** Reachable with a release file. Freshness comes from that and a sample of the packages. */
export const apt: Kind<OwnCode> = {
  label: "Packages for apt (Debian, Ubuntu)",
  description: "InRelease or Release of a suite must parse. Signatures are verified only with a `keyring`.",
  codes: {
    not_apt: "Its answer is not the release file of an apt archive.",
    bad_signature: "Its release file is not signed by a key of the keyring.",
  },
  options,
  keyrings: ["keyring"],
  content: {
    revision: {
      meaning: "the first digits of the SHA-256 of its release file without the signature",
      example: "9f86d081884c7d659a2feaa0c55ad015",
    },
  },
  isProof: true,
  lists: [list],
  urlProblem: withoutQuery("an apt archive", ", or probe it as http"),
  probe: async (url, given, request, context) => {
    const { suite = "stable", index, keyring } = options.parse(given);
    const folder = suite.endsWith("/") ? suite : `dists/${suite}/`;
    let release: Release | undefined;
    let signedBody: Buffer = Buffer.alloc(0);
    const requestRelease = (name: string) => {
      const parser = new ReleaseParser();
      const classify = classifyBody<OwnCode>(({ bounded }) => {
        if (bounded && !parser.isInvalid) return { code: "too_large" };
        release = parser.end();
        return { code: release === undefined ? "not_apt" : "ok" };
      });
      const parse = (chunk: Buffer, signal: AbortSignal) =>
        inTurn(signal, () => {
          parser.add(chunk);
        });
      const readBody: RequestOptions["readBody"] = async (chunks, signal) => {
        if (keyring === undefined) {
          for await (const chunk of chunks) {
            await parse(chunk, signal);
            if (parser.isInvalid) break;
          }
        } else {
          signedBody = await collect(chunks);
          await parse(signedBody, signal);
        }
      };
      return request(fileUrl(url, `${folder}${name}`), classify, { maxBytes: maxReleaseBytes, readBody });
    };
    const signed = await requestRelease("InRelease");
    // An archive without a signature, or with a detached one, has only Release. Some servers hide what is missing.
    const isMissing = [403, 404, 410].includes(signed.answer.status) && keyring === undefined;
    const { classification } = isMissing ? await requestRelease("Release") : signed;
    if (release === undefined) return classification;
    if (keyring !== undefined) {
      release = parseRelease((await context.verifySignature(signedBody, keyring)) ?? "");
      if (release === undefined) return { code: "bad_signature" };
    }
    return inspectSuite({ url, folder, release, index }, context);
  },
};

interface Suite {
  readonly url: string;
  /** The release's path, relative to the URL. */
  readonly folder: string;
  readonly release: Release;
  /** The folder of the list of packages that is configured. */
  readonly index: string | undefined;
}

async function inspectSuite(suite: Suite, context: ProbeContext): Promise<Classification> {
  const { revision, date, validUntil } = suite.release;
  const content_code = validUntil !== undefined && validUntil < context.now ? "expired" : undefined;
  const content_at = contentTime(date, context.now);
  const found: Classification = { code: "ok", revision, content_at, content_code };
  const read = () => readFiles(suite, context);
  return withSamples(suite.url, found, context, read, (missing) => missingCode(suite, missing, context));
}

async function missingCode(
  { url, folder, release, index }: Suite,
  missing: string,
  { tryRequest }: ProbeContext,
): Promise<ContentCode | undefined> {
  const list = chooseIndex(release, index)?.published;
  if (list === undefined || missing !== `${folder}${pathByHash(list)}`) return "missing_file";
  // Some programs do not copy files by digest, and apt then uses the one by name.
  const found = await tryHead(fileUrl(url, `${folder}${list.path}`), tryRequest);
  if (found === undefined) return undefined;
  return isGone(found) || hasWrongSize(found.answer, list) ? "half_synced" : undefined;
}

/** Returns the list of packages by its digest, and packages of it. */
async function readFiles(
  { url, folder, release, index }: Suite,
  { tryRequest }: ProbeContext,
): Promise<readonly SampleFile[] | undefined> {
  const { published, readable } = chooseIndex(release, index) ?? {};
  if (published === undefined) return [];
  // This path is another one in each release, so that a HEAD shows whether a mirror has the list of this one.
  const byHash = `${folder}${pathByHash(published)}`;
  const { size } = published;
  const own = release.isByHash && filePathPattern.test(byHash) ? [{ path: byHash, size }] : [];
  if (readable === undefined) return own;
  const at = fileUrl(url, own[0]?.path ?? `${folder}${readable.path}`);
  const list = await readList(at, packagesFormat, tryRequest);
  if (list === undefined) return undefined;
  return [...own, ...samplePackages(list, readable, release, maxSamples - own.length)];
}
