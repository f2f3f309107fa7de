import * as z from "zod";
import type { HttpResponse } from "../base/http/response.ts";
import { classifyStatus, lastHeader } from "./classification.ts";
import { type AdvertisedRef, PacketReader } from "./git-advertisement.ts";
import type { Classification, Classify, TryRequest } from "./kind.ts";

/** How many refs of a node are compared at most. */
export const maxRefs = 2000;

const patternSchema = z.string().regex(/^refs\/[^\0-\x20\x7f*?[\\^~:]{0,200}\*?$/, {
  error: 'must be "HEAD" alone, or start with refs/ and have a * at most at its end, such as refs/heads/*',
});

export const refsOption = z
  .union([z.literal("HEAD"), z.array(patternSchema).min(1).max(20)], {
    error: 'must be "HEAD", or a list of refs such as ["refs/heads/*", "refs/tags/v1"]',
  })
  .describe(
    'Which refs are compared with those of the reference, beside HEAD; "HEAD" for it alone (default: branches and tags).',
  )
  .meta({ examples: [["refs/heads/main", "refs/tags/*"]] })
  .exactOptional();

/** Patterns with a star only at the end, or just HEAD. */
export type RefPatterns = readonly string[] | "HEAD";

export const defaultRefs: RefPatterns = ["refs/heads/*", "refs/tags/*"];

/** A name that Git accepts has no blanks and no control characters (git-check-ref-format). */
const namePattern = /^[^\0-\x20\x7f]{1,1000}$/;

const maxBranchBytes = 100;

/** Returns whether a branch has a name that Git accepts and that is short enough for the state. */
export function isBranchName(name: string): boolean {
  return namePattern.test(name) && Buffer.byteLength(name) <= maxBranchBytes;
}

/**
 * Returns HEAD and the refs that match a pattern. The objects of peeled tags follow from the tags. Of a list that is
 * cut off, only that they are too many is known, and a name with two objects says nothing: a client may take either.
 */
export function selectRefs(
  refs: readonly AdvertisedRef[],
  patterns: RefPatterns,
  isWhole = true,
): Pick<Classification, "refs" | "refs_unread"> {
  if (patterns === "HEAD") return {};
  const selected = new Map<string, string>();
  for (const { name, id } of refs) {
    if (name.endsWith("^{}") || !namePattern.test(name)) continue;
    if (name !== "HEAD" && !patterns.some((one) => matchesPattern(name, one))) continue;
    if ((selected.get(name) ?? id) !== id) return { refs_unread: "unread" };
    selected.set(name, id);
    if (selected.size > maxRefs) return { refs_unread: "too_many" };
  }
  return isWhole ? { refs: selected } : { refs_unread: "unread" };
}

function matchesPattern(name: string, pattern: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** More than 2,000 refs with long names take. */
const maxListBytes = 1024 * 1024;

/**
 * Requests HEAD and the refs of the patterns (gitprotocol-v2, "ls-refs"). Returns undefined if they could not be read.
 */
export async function listRefs(
  url: URL,
  patterns: readonly string[],
  format: string | undefined,
  tryRequest: TryRequest,
): Promise<ListedRefs | undefined> {
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
  const found = await tryRequest(url, classifyAny, {
    method: "POST",
    headers,
    body: lines.join(""),
    maxBytes: maxListBytes,
  });
  return found && parseListedRefs(found.answer);
}

/** Accepts any answer, redirects included, and needs the body of a good one. */
const classifyAny: Classify = ({ status, complete, bounded }) =>
  status === 200 && !complete && !bounded ? undefined : { code: "ok" };

function packet(text: string): string {
  return `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, "0")}${text}`;
}

interface ListedRefs {
  readonly refs: readonly AdvertisedRef[];
  /** The branch that HEAD names. */
  readonly head: string | undefined;
  readonly isWhole: boolean;
}

function parseListedRefs(answer: HttpResponse): ListedRefs | undefined {
  if (classifyStatus(answer).code !== "ok") return undefined;
  if (lastHeader(answer, "content-type") !== "application/x-git-upload-pack-result") return undefined;
  const refs: AdvertisedRef[] = [];
  let head: string | undefined;
  const packets = new PacketReader(answer.body);
  for (let one = packets.next(); one !== "flush"; one = packets.next()) {
    if (one === "cut" && answer.bounded) return { refs, head, isWhole: false };
    const line = typeof one === "object" ? one.line : "";
    const [, id, name, attributes = ""] =
      /^([0-9a-f]{40}|[0-9a-f]{64}) ([^ \n]+)((?: [^\n]*)?)$/.exec(line) ?? [];
    if (id === undefined || name === undefined) return undefined;
    refs.push({ id, name });
    if (name === "HEAD") head = / symref-target:(\S+)/.exec(attributes)?.[1];
  }
  return { refs, head, isWhole: true };
}
