import * as z from "../base/zod.ts";
import type { HttpResponse } from "../base/http/response.ts";
import { jsonPointerPattern, tryParseJson, valueAt } from "../base/text/json.ts";
import { parseTimestamp, timestampFormats } from "../base/text/timestamp.ts";
import { described, type ProbeContext } from "./kind.ts";
import { classifyWhole, filePathPattern, fileUrl, header, isGone, tryHead } from "./mirror-files.ts";
import { contentTime } from "./mirror-content.ts";

export const path = z
  .string()
  .regex(filePathPattern, {
    error: "must be a path relative to the URL, such as project/trace, with %20 for a space",
  })
  .meta({ title: "path" });

export const timestamp = z
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

export type Timestamp = z.infer<typeof timestamp>;

const maxBytesBefore = 64 * 1024;

/** Returns undefined if the request for the time's file fails, and no time if none is where the settings say. */
export async function readTime(
  url: string,
  answer: HttpResponse,
  { path: file, ...place }: Timestamp,
  { tryRequest, now }: Pick<ProbeContext, "tryRequest" | "now">,
): Promise<{ readonly content_at: string | undefined } | undefined> {
  if (file === undefined) return { content_at: contentTime(timeIn(answer, place), now) };
  const at = fileUrl(url, file);
  const bounds = place.after === undefined ? {} : { maxBytes: maxBytesBefore };
  const found = await (place.header === undefined
    ? tryRequest(at, classifyWhole, bounds)
    : tryHead(at, tryRequest));
  if (found && isGone(found)) return { content_at: undefined };
  if (found?.code !== "ok") return undefined;
  return { content_at: contentTime(timeIn(found.answer, place), now) };
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
