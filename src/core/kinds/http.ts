import { hash } from "node:crypto";
import * as z from "zod";
import type { HttpResponse } from "../base/http/response.ts";
import { jsonPointerPattern, tryParseJson, valueAt } from "../base/text/json.ts";
import { parseTimestamp, timestampFormats } from "../base/text/timestamp.ts";
import {
  changedAt,
  classifyStatus,
  classifyWhole,
  filePathPattern,
  fileUrl,
  findFileProblem,
  firstByte,
  hasWrongSize,
  header,
  isPage,
  isRefused,
  sizeByHead,
  tryHead,
} from "./mirror-files.ts";
import type { Classification, Kind, ProbeContext, TryRequest } from "./kind.ts";
import { metalink4 } from "./metalinks.ts";
import { contentTime, maxSamples, type SampleFile } from "./mirror-content.ts";
import { described } from "./schema.ts";

type OwnCode = "wrong_content";

const path = z
  .string()
  .regex(filePathPattern, {
    error: "must be a path relative to the URL, such as project/trace, with %20 for a space",
  })
  .meta({ title: "path" });

const timestamp = z
  .strictObject({
    path: described(
      path,
      "The file with the timestamp, relative to the URL (default: the answer itself).",
      "project/trace",
    ).exactOptional(),
    header: described(
      z.string().regex(/^[\w-]{1,100}$/, { error: "must be the name of a header, such as Last-Modified" }),
      "The header with the timestamp. It can't be combined with pointer or after.",
      "Last-Modified",
      "header name",
    ).exactOptional(),
    pointer: described(
      z
        .string()
        .max(300)
        .regex(jsonPointerPattern, { error: "must be a JSON pointer, such as /mirror/updated" }),
      "The JSON pointer (RFC 6901) to the timestamp, if the file or the answer is JSON.",
      "/mirror/updated",
      "JSON pointer",
    ).exactOptional(),
    after: described(
      z.string().min(1).max(100),
      "The text that the timestamp follows, on the same line in the first 64 KiB of the file or the answer.",
      "date=",
    ).exactOptional(),
    format: described(
      z.enum(timestampFormats),
      "The format of the timestamp: epoch (seconds), iso or http-date (default: http-date for a header, otherwise iso).",
      "epoch",
    ).exactOptional(),
  })
  .refine((given) => Object.keys(given).length > 0, {
    error: "is empty; set path, header, pointer, after or format",
  })
  .refine(({ header: name, pointer, after }) => [name, pointer, after].filter(Boolean).length <= 1, {
    error: "has more than one of header, pointer and after; keep one of them",
  });

const maxBytesBefore = 64 * 1024;

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
type Timestamp = z.infer<typeof timestamp>;

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

export const http: Kind<OwnCode> = {
  label: "Other files over HTTP",
  description: "a GET, or a HEAD if `content.size` is set, must get the expected answer.",
  codes: { wrong_content: "Its answer does not have the expected content." },
  options,
  content: {
    revision: {
      meaning: "the first digits of the content's SHA-256, or the time of the content",
      example: "9f86d081884c7d659a2feaa0c55ad015",
    },
  },
  isProof: false,
  lists: [metalink4],
  probe: async (url, given, request, context) => {
    const { expectStatus, content } = options.parse(given);
    const classify = (answer: HttpResponse): Classification<OwnCode> | undefined => {
      const byStatus = classifyStatus(answer, expectStatus);
      return byStatus.code === "ok" && content ? classifyContent(answer, content) : byStatus;
    };
    const method = content?.size === undefined ? "GET" : "HEAD";
    let found = await request(new URL(url), classify, { method });
    if (method === "HEAD" && isRefused(found))
      found = await request(new URL(url), classify, expectStatus === undefined ? firstByte : {});
    const { answer, classification } = found;
    if (content === undefined || classification.code !== "ok") return classification;
    return inspectContent(url, answer, content, classification, context);
  },
};

/** Returns undefined while more of the answer is needed. Text can also be in the part that is not read. */
function classifyContent(
  answer: HttpResponse,
  { text, sha256, size, timestamp }: Content,
): Classification<OwnCode> | undefined {
  if (size !== undefined || (sha256 === undefined && !isBodyNeeded(text, timestamp))) return { code: "ok" };
  if (!answer.complete && !answer.bounded) return undefined;
  if (text !== undefined && !answer.body.includes(text))
    return { code: answer.bounded ? "too_large" : "wrong_content" };
  if (sha256 === undefined) return { code: "ok" };
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
  { size, timestamp, files = [] }: Content,
  found: Classification<OwnCode>,
  context: ProbeContext,
): Promise<Classification<OwnCode>> {
  const { tryRequest, reference, isPrimary, now } = context;
  const content_at = timestamp && contentTime(await timeOf(url, answer, timestamp, tryRequest), now);
  const revision = found.revision ?? content_at;
  const described = { ...found, revision, content_at };
  if (size !== undefined && hasWrongSize(answer, { size }))
    return { ...described, content_code: "wrong_size" };
  const isOther =
    !isPrimary && reference !== undefined && revision !== undefined && revision !== reference.revision;
  const known = new Map<string, SampleFile | undefined>(
    reference?.index?.files?.map((file) => [file.path, file]),
  );
  const asked = files.map((path) => (isPrimary ? { path } : (known.get(path) ?? { path })));
  const problem = await findFileProblem(url, isOther ? [] : asked, context, (path, head) => {
    if ([200, 206].includes(head.status)) known.set(path, seenFile(path, head, now));
  });
  const content_code = problem?.code;
  if (!isPrimary || files.length === 0) return { ...described, content_code };
  const sized = files.flatMap((path) => known.get(path) ?? []).slice(0, maxSamples);
  return { ...described, content_code, index: { ...found.index, files: sized } };
}

/** Returns the size and time of the primary's file, for comparison with the mirrors' files in later runs. */
function seenFile(path: string, head: HttpResponse, now: number): SampleFile | undefined {
  // Many servers answer HEAD with a length of 0. If that size were stored, good copies would count as wrong.
  const size = isPage(head) ? undefined : sizeByHead(head) || undefined;
  const changed = changedAt(head);
  if (size === undefined || changed === undefined || changed < 0) return undefined;
  return { path, size, seen: { changed: Math.floor(changed / 1000), last: Math.floor(now / 1000) } };
}

async function timeOf(
  url: string,
  answer: HttpResponse,
  { path, ...place }: Timestamp,
  tryRequest: TryRequest,
): Promise<number | undefined> {
  if (path === undefined) return timeIn(answer, place);
  const file = fileUrl(url, path);
  const bounds = place.after === undefined ? {} : { maxBytes: maxBytesBefore };
  const found = await (place.header === undefined
    ? tryRequest(file, classifyWhole, bounds)
    : tryHead(file, tryRequest));
  return found?.classification.code === "ok" ? timeIn(found.answer, place) : undefined;
}

function timeIn(
  answer: HttpResponse,
  { header: name, pointer, after, format = name === undefined ? "iso" : "http-date" }: Timestamp,
): number | undefined {
  if (name !== undefined) return parseTimestamp(header(answer, name.toLowerCase()) ?? "", format);
  if (after !== undefined) {
    const [, text = ""] = answer.body.subarray(0, maxBytesBefore).toString().split(after, 2);
    return parseTimestamp(text.split(/\r?\n/, 1)[0] ?? "", format);
  }
  const text = answer.body.toString();
  if (pointer === undefined) return parseTimestamp(text, format);
  const value = valueAt(tryParseJson(text), pointer);
  const isScalar = typeof value === "string" || typeof value === "number";
  return isScalar ? parseTimestamp(String(value), format) : undefined;
}
