import * as z from "zod";
import { aptList } from "./apt-list.ts";
import { parseRelease, type Release } from "./apt-release.ts";
import { inspectSuite } from "./apt-suite.ts";
import { classifyBody } from "./classification.ts";
import type { Kind } from "./kind.ts";
import { fileUrl } from "./mirror-file.ts";

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

/** The release file of Debian has 150 KB, and that of Ubuntu 300 KB. */
export const maxReleaseBytes = 4 * 1024 * 1024;

/** An apt archive. It is reachable if it has a release file; its freshness comes from that and a sample of its packages. */
export const apt: Kind<OwnCode> = {
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
  lists: [aptList],
  urlProblem: (url) =>
    url.includes("?")
      ? "an apt archive has no query; remove it from the ? on, or probe it as http"
      : undefined,
  probe: async (url, given, request, context) => {
    const { suite = "stable", index, keyring } = options.parse(given);
    const folder = suite.endsWith("/") ? suite : `dists/${suite}/`;
    let release: Release | undefined;
    const classify = classifyBody<OwnCode>(({ bounded, body }) => {
      if (bounded) return { code: "too_large" };
      release = parseRelease(body.toString("utf8"));
      return { code: release === undefined ? "not_apt" : "ok" };
    });
    const requestRelease = (name: string) =>
      request(fileUrl(url, `${folder}${name}`), classify, { maxBytes: maxReleaseBytes });
    const signed = await requestRelease("InRelease");
    // An archive without a signature, or with a detached one, has only Release. Some servers hide what is missing.
    const isMissing = [403, 404, 410].includes(signed.answer.status) && keyring === undefined;
    const { answer, classification } = isMissing ? await requestRelease("Release") : signed;
    if (release === undefined) return classification;
    if (keyring !== undefined) {
      release = parseRelease((await context.verifySignature(answer.body, keyring)) ?? "");
      if (release === undefined) return { code: "bad_signature" };
    }
    const found = { url, folder, release, index };
    return { ...classification, ...(await inspectSuite(found, context)) };
  },
};
