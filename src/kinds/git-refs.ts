import * as z from "zod";
import type { HttpResponse } from "../base/http/response.ts";
import { classifyStatus, lastHeader } from "./classification.ts";
import type { AdvertisedRef } from "./git-advertisement.ts";
import { PacketReader } from "./git-packets.ts";
import type { Classification } from "./kind.ts";

/** How many refs of a node are compared at most. */
export const maxRefs = 2000;

const pattern = z.string().regex(/^refs\/[^\0-\x20\x7f*?[\\^~:]{0,200}\*?$/, {
  error: 'must be "HEAD" alone, or start with refs/ and have a * at most at its end, such as refs/heads/*',
});

/** The option of the kind: which refs are compared. */
export const refsOption = z
  .union([z.literal("HEAD"), z.array(pattern).min(1).max(20)], {
    error: 'must be "HEAD", or a list of refs such as ["refs/heads/*", "refs/tags/v1"]',
  })
  .describe(
    'Which refs are compared with those of the reference, beside HEAD; "HEAD" for it alone (default: branches and tags).',
  )
  .meta({ examples: [["refs/heads/main", "refs/tags/*"]] })
  .exactOptional();

/** What the option may be: patterns with a star at most at their end, or HEAD alone. */
export type RefPatterns = readonly string[] | "HEAD";

export const defaultRefs: RefPatterns = ["refs/heads/*", "refs/tags/*"];

/** What a classification says about the refs. */
type SeenRefs = Pick<Classification, "refs" | "refs_unread">;

/** A name that Git accepts has no blanks and no control characters (git-check-ref-format). */
const namePattern = /^[^\0-\x20\x7f]{1,1000}$/;

/**
 * Returns the refs that are compared: HEAD and those that match a pattern, without the objects of peeled tags, which
 * follow from the tags. None if they are too many.
 */
export function selectRefs(refs: readonly AdvertisedRef[], patterns: RefPatterns): SeenRefs {
  if (patterns === "HEAD") return {};
  const selected = new Map<string, string>();
  for (const { name, id } of refs) {
    if (name.endsWith("^{}") || !namePattern.test(name)) continue;
    if (name !== "HEAD" && !patterns.some((one) => matches(name, one))) continue;
    selected.set(name, id);
    if (selected.size > maxRefs) return { refs_unread: "too_many" };
  }
  return { refs: selected };
}

function matches(name: string, one: string): boolean {
  return one.endsWith("*") ? name.startsWith(one.slice(0, -1)) : name === one;
}

/** How much of the answer to `ls-refs` is read: more than 2,000 refs with long names take. */
const maxListBytes = 1024 * 1024;

/** Returns how HEAD and the refs of the patterns are requested (gitprotocol-v2, "ls-refs"). */
export function listRequest(patterns: readonly string[], format: string | undefined) {
  const lines = [
    packet("command=ls-refs\n"),
    ...(format === undefined ? [] : [packet(`object-format=${format}`)]),
    "0001",
    packet("symrefs\n"),
    packet("ref-prefix HEAD\n"),
    ...patterns.map((one) => packet(`ref-prefix ${one.replace(/\*$/, "")}\n`)),
    "0000",
  ];
  const headers = [
    ...["content-type", "application/x-git-upload-pack-request"],
    ...["git-protocol", "version=2"],
  ];
  return { method: "POST", headers, body: lines.join(""), maxBytes: maxListBytes } as const;
}

function packet(text: string): string {
  return `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, "0")}${text}`;
}

/** The answer to `ls-refs`: the refs, and the branch that HEAD names. */
export interface ListedRefs {
  readonly refs: readonly AdvertisedRef[];
  readonly head: string | undefined;
}

/** Returns the refs of an answer to `ls-refs`; "long" if there are more than are read, undefined if it is another answer. */
export function parseListedRefs(answer: HttpResponse): ListedRefs | "long" | undefined {
  if (classifyStatus(answer).code !== "ok") return undefined;
  if (lastHeader(answer, "content-type") !== "application/x-git-upload-pack-result") return undefined;
  if (answer.bounded) return "long";
  const refs: AdvertisedRef[] = [];
  let head: string | undefined;
  const packets = new PacketReader(answer.body);
  for (let one = packets.next(); one !== "flush"; one = packets.next()) {
    const line = typeof one === "object" ? one.line : "";
    const [, id, name, attributes = ""] =
      /^([0-9a-f]{40}|[0-9a-f]{64}) ([^ \n]+)((?: [^\n]*)?)$/.exec(line) ?? [];
    if (id === undefined || name === undefined) return undefined;
    refs.push({ id, name });
    if (name === "HEAD") head = / symref-target:(\S+)/.exec(attributes)?.[1];
  }
  return { refs, head };
}
