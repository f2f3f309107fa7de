import * as z from "../base/zod.ts";
import type { HttpResponse } from "../base/http/response.ts";
import { classifyStatus, lastHeader } from "./mirror-files.ts";
import { type AdvertisedRef, packetReader } from "./git-advertisement.ts";
import { packet, uploadPackRequest } from "./git-questions.ts";
import { type Classification, type Classify, described, type TryRequest } from "./kind.ts";

/** At most this many refs are compared for one mirror. */
export const maxRefs = 2000;

const patternSchema = z.string().regex(/^refs\/[^\0-\x20\x7f*?[\\^~:]{0,200}\*?$/, {
  error:
    'must start with refs/ and may end with *, such as refs/heads/*; to compare only HEAD, write "HEAD" instead of a list',
});

export const refsOption = described(
  z.union([z.literal("HEAD"), z.array(patternSchema).min(1).max(20)], {
    error: 'must be "HEAD", or a list of refs such as ["refs/heads/*", "refs/tags/v1"]',
  }),
  'The refs to compare with those of the reference, in addition to HEAD, or "HEAD" to compare only HEAD (default: branches and tags).',
  ["refs/heads/main", "refs/tags/*"],
).exactOptional();

/** Only the end of a pattern may be a star. */
export type RefPatterns = readonly string[] | "HEAD";

export const defaultRefs: RefPatterns = ["refs/heads/*", "refs/tags/*"];

/** Git allows no spaces or control characters in ref names (git-check-ref-format). */
const namePattern = /^[^\0-\x20\x7f]{1,1000}$/;

const maxBranchBytes = 100;

/** Whether a name is valid in Git and short enough for the state. */
export function isBranchName(name: string): boolean {
  return namePattern.test(name) && Buffer.byteLength(name) <= maxBranchBytes;
}

/** Adds the reference's branch to the patterns if HEAD names a different one, so that its value is known. */
export function withBranch(patterns: RefPatterns, wanted?: string, branch = ""): RefPatterns {
  if (wanted === undefined || wanted === `refs/heads/${branch}`) return patterns;
  return patterns === "HEAD" ? [wanted] : [...patterns, wanted];
}

interface ListedRefs {
  readonly refs: readonly AdvertisedRef[];
  /** The ref that HEAD points to. */
  readonly head: string | undefined;
  readonly isWhole: boolean;
}

/** Leaves out a branch whose name is too long or invalid. */
export function headOf({ refs, head = "" }: ListedRefs): Pick<Classification, "revision" | "branch"> {
  const revision = refs.find(({ name }) => name === "HEAD")?.id;
  if (revision === undefined || /^0+$/.test(revision)) return {};
  const branch = /^refs\/heads\/(.+)$/s.exec(head)?.[1];
  return branch !== undefined && isBranchName(branch) ? { revision, branch } : { revision };
}

/** Returns HEAD and the refs that match. A ref listed with two objects is unreadable: a client could use either. */
export function selectRefs(
  { refs, isWhole }: Omit<ListedRefs, "head">,
  patterns: RefPatterns,
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

export function matchesPattern(name: string, pattern: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** Enough for 2,000 refs with long names. */
const maxListBytes = 1024 * 1024;

/** Requests HEAD and the refs that match a pattern (gitprotocol-v2, "ls-refs"). */
export async function listRefs(
  url: URL,
  patterns: RefPatterns,
  format: string | undefined,
  tryRequest: TryRequest,
) {
  const lines = [
    packet("command=ls-refs\n"),
    ...(format === undefined ? [] : [packet(`object-format=${format}`)]),
    "0001",
    packet("symrefs\n"),
    ...[...new Set(["HEAD", patterns].flat())].map((one) => packet(`ref-prefix ${one.replace(/\*$/, "")}\n`)),
    "0000",
  ];
  const found = await tryRequest(url, classifyAny, uploadPackRequest(2, lines.join(""), maxListBytes));
  return found && parseListedRefs(found.answer);
}

/** Accepts any answer, even a redirect, but waits for the body of a 200. */
const classifyAny: Classify = ({ status, complete, bounded }) =>
  status === 200 && !complete && !bounded ? undefined : "ok";

function parseListedRefs(answer: HttpResponse): ListedRefs | undefined {
  if (classifyStatus(answer) !== "ok") return undefined;
  if (lastHeader(answer, "content-type") !== "application/x-git-upload-pack-result") return undefined;
  const refs: AdvertisedRef[] = [];
  let head: string | undefined;
  const packets = packetReader(answer.body);
  for (let one = packets.next(); one.is !== "flush"; one = packets.next()) {
    if (one.is === "cut" && answer.bounded) return { refs, head, isWhole: false };
    const [, id, name, attributes = ""] =
      /^([0-9a-f]{40}|[0-9a-f]{64}) ([^ \n]+)((?: [^\n]*)?)$/.exec(one.line) ?? [];
    if (id === undefined || name === undefined) return undefined;
    refs.push({ id, name });
    if (name === "HEAD") head = / symref-target:(\S+)/.exec(attributes)?.[1];
  }
  return { refs, head, isWhole: true };
}
