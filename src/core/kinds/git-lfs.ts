import * as z from "../base/zod.ts";
import { tryParseJson } from "../base/text/json.ts";
import type { TryRequest } from "./kind.ts";
import { classifyWhole } from "./mirror-files.ts";
import { described } from "./schema.ts";

const example = { oid: "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393", size: 12_345 };

const lfsObject = z.strictObject({
  oid: described(
    z.string().regex(/^[0-9a-f]{64}$/, {
      error: "must be the oid in a Git LFS pointer: 64 lower-case hexadecimal digits, without sha256:",
    }),
    "The object's id, as in its pointer.",
    example.oid,
  ),
  size: described(z.int().min(0), "The object's size in bytes, as in its pointer.", example.size),
});

export const lfsOption = described(
  lfsObject,
  "A Git LFS object that every mirror must have. It is asked for in each run, and not downloaded.",
  example,
).exactOptional();

/** The answer to a batch request. Only the object's error matters. */
const batchAnswer = z.object({
  objects: z.array(z.object({ oid: z.string(), error: z.object({ code: z.int() }).optional() })),
});

const mediaType = "application/vnd.git-lfs+json";
const headers = ["accept", mediaType, "content-type", mediaType];
const maxAnswerBytes = 64 * 1024;

/** Asks the Git LFS server that belongs to a repository's URL (git-lfs, docs/api/batch.md and server-discovery.md). */
export async function findMissingObject(
  repository: string,
  { oid, size }: z.infer<typeof lfsObject>,
  tryRequest: TryRequest,
): Promise<"missing_file" | undefined> {
  const url = new URL(`${repository.replace(/(?:\.git)?\/*$/, "")}.git/info/lfs/objects/batch`);
  const body = JSON.stringify({ operation: "download", transfers: ["basic"], objects: [{ oid, size }] });
  const options = { method: "POST", headers, body, maxBytes: maxAnswerBytes, isGit: true } as const;
  const found = await tryRequest(url, classifyWhole, options);
  if (found?.code !== "ok") return undefined;
  const { data } = batchAnswer.safeParse(tryParseJson(found.answer.body.toString()));
  const error = data?.objects.find((one) => one.oid === oid)?.error;
  return error?.code === 404 || error?.code === 410 ? "missing_file" : undefined;
}
