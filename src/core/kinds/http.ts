import { hash } from "node:crypto";
import * as z from "../base/zod.ts";
import type { HttpResponse } from "../base/http/response.ts";
import {
  changedAt,
  classifyStatus,
  classifyWhole,
  findFileProblem,
  hasWrongSize,
  isPage,
  sizeByHead,
  tryHead,
} from "./mirror-files.ts";
import { path, readTime, type Timestamp, timestamp } from "./http-time.ts";
import { type Classification, described, type Kind, type ProbeContext } from "./kind.ts";
import { metalink4 } from "./metalinks.ts";
import { maxSamples, type SampleFile, type TargetWarning } from "./mirror-content.ts";

const contentSchema = z
  .strictObject({
    text: described(
      z.string().min(1).max(1000),
      "Text that the first `maxBytes` of the answer must contain.",
      "Index of /",
    ).exactOptional(),
    sha256: described(
      z.string().regex(/^(?:reference|[0-9a-f]{64})$/, {
        error: 'must be "reference", or a SHA-256 digest of 64 lower-case hexadecimal digits',
      }),
      "The digest that the answer must have, or `reference` to compare it with the reference's. With `size`, mirrorfeed only publishes the digest in the metalink and does not verify it.",
      "reference",
      "digest",
    ).exactOptional(),
    size: described(
      z.int().min(1),
      "The size, in bytes, of a file that is too large to download. It is compared with the `Content-Length` that mirrors send for HEAD.",
      4_294_967_296,
    ).exactOptional(),
    timestamp: described(timestamp, "Where to find the time of the content.", {
      path: "lastupdate",
      format: "epoch",
    }).exactOptional(),
    files: described(
      z.array(path).min(1).max(50),
      "Files that must exist. They are checked in turn, one per interval (site.interval).",
      ["isos/SHA256SUMS"],
    ).exactOptional(),
  })
  .refine((given) => Object.keys(given).length > 0, {
    error: "is empty; set one or more of text, sha256, size, timestamp, files",
  })
  .refine(
    ({ size, sha256, text, timestamp: time }) =>
      size === undefined || (sha256 !== "reference" && !isBodyNeeded(text, time)),
    {
      error:
        'has a size, so the body is not read; remove size, or remove text, timestamp and "reference", which may need the body',
    },
  );

export type Content = z.infer<typeof contentSchema>;

const status = z.int().min(100).max(599);

const options = z.object({
  expectStatus: described(
    z.union([status, z.array(status).min(1).max(50)], {
      error: "must be an HTTP status such as 200, or a list of them",
    }),
    "The statuses that count as reachable (default: 200 to 299).",
    [200, 403],
  )
    .transform((expected) => [expected].flat())
    .exactOptional(),
  content: described(contentSchema, "How to check that the content is right.", {
    sha256: "reference",
  }).exactOptional(),
});

export const http: Kind<"wrong_content"> = {
  label: "Other files over HTTP",
  description: "a GET, or a HEAD if `content.size` is set, must get the expected answer.",
  codes: { wrong_content: "Its answer does not have the expected content." },
  options,
  revision: {
    meaning: "the first digits of the content's SHA-256, or the time of the content",
    example: "9f86d081884c7d659a2feaa0c55ad015",
  },
  isProof: false,
  urlProblem: () => undefined,
  lists: [metalink4],
  probe: async (url, given, request, context) => {
    const { expectStatus, content = {} } = options.parse(given);
    const { text, sha256, size, timestamp: time } = content;
    const classify = sha256 !== undefined || isBodyNeeded(text, time) ? classifyWhole : classifyStatus;
    const { answer, code } = await (size === undefined
      ? request(new URL(url), (sent) => classify(sent, expectStatus))
      : tryHead(new URL(url), request, expectStatus));
    if (code !== "ok") return { code };
    const judged = judgeBody(answer, content);
    return judged.code === "ok" ? inspectContent(url, answer, content, judged, context) : judged;
  },
};

type Judged = Classification<"wrong_content">;

/** If the answer is longer than what was read, the rest may still make it right. */
function judgeBody(answer: HttpResponse, { text, sha256, size }: Content): Judged {
  if (text !== undefined && !answer.body.includes(text))
    return { code: answer.bounded ? "too_large" : "wrong_content" };
  if (sha256 === undefined || size !== undefined) return { code: "ok" };
  if (answer.bounded) return sha256 === "reference" ? { code: "ok", partial: true } : { code: "too_large" };
  const digest = hash("sha256", answer.body);
  if (sha256 !== "reference" && sha256 !== digest) return { code: "wrong_content" };
  const index = { size: answer.body.length, sha256: digest };
  return { code: "ok", revision: digest.slice(0, 32), index };
}

function isBodyNeeded(text: string | undefined, time: Timestamp | undefined): boolean {
  return text !== undefined || (time !== undefined && (time.path ?? time.header) === undefined);
}

async function inspectContent(
  url: string,
  answer: HttpResponse,
  { size, timestamp: time, files = [] }: Content,
  found: Judged,
  context: ProbeContext,
): Promise<Judged> {
  const { reference, isPrimary, hasPrimary, now } = context;
  const read = time && (await readTime(url, answer, time, context));
  const content_at = read?.content_at;
  const revision = found.revision ?? content_at;
  const known = new Map<string, SampleFile | undefined>(
    reference?.index?.files?.map((file) => [file.path, file]),
  );
  const asked = files.map((file) => (isPrimary ? { path: file } : (known.get(file) ?? { path: file })));
  const isOther = !isPrimary && revision !== undefined && (reference?.revision ?? revision) !== revision;
  const isWrong = size !== undefined && hasWrongSize(answer, { size });
  const problem = await findFileProblem(url, isOther || isWrong ? [] : asked, context, (file, head) => {
    if ([200, 206].includes(head.status)) known.set(file, seenFile(file, head, now));
  });
  const sized = files.flatMap((file) => known.get(file) ?? []).slice(0, maxSamples);
  const isUnsized = files.length > 0 && (!hasPrimary || (known.size > 0 && sized.length === 0));
  const unchecked: TargetWarning[] = [];
  if (read !== undefined && content_at === undefined) unchecked.push("no_time");
  if (found.partial === true) unchecked.push("too_long");
  if (size !== undefined && !isPage(answer) && sizeByHead(answer) === undefined) unchecked.push("no_size");
  if (isUnsized) unchecked.push("no_file_sizes");
  return {
    ...found,
    revision,
    content_at,
    content_code: isWrong ? "wrong_size" : problem?.code,
    unchecked: unchecked.length > 0 ? unchecked : undefined,
    index: isPrimary && files.length > 0 ? { ...found.index, files: sized } : found.index,
  };
}

/** Returns the size and time of the primary's file, for comparison with the mirrors' files in later runs. */
function seenFile(path: string, head: HttpResponse, now: number): SampleFile | undefined {
  // Many servers answer HEAD with a length of 0. If that size were stored, good copies would count as wrong.
  const size = isPage(head) ? undefined : sizeByHead(head) || undefined;
  const changed = changedAt(head);
  if (size === undefined || changed === undefined || changed < 0) return undefined;
  return { path, size, seen: { changed: Math.floor(changed / 1000), last: Math.floor(now / 1000) } };
}
