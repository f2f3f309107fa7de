import type { HttpResponse } from "../base/http/response.ts";
import { parseTimestamp } from "../base/text/timestamp.ts";
import { classifyStatus, header } from "./classification.ts";
import type { Classification, Classified, Classify, ProbeContext, TryRequest } from "./kind.ts";
import type { ContentCode, SampleFile } from "./mirror-content.ts";

/** No slash at its start, no query, nothing left to encode. */
export const filePathPattern = /^(?!\/)[!$-;=@-[\]_a-z~]{1,300}$/;

export function fileUrl(mirror: string, path: string): URL {
  const url = new URL(mirror);
  url.search = "";
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/${path}`;
  return url;
}

const byStatus: Classify = (answer) => classifyStatus(answer);

/** Requests the head by HEAD, or by a GET that reads no more if the server refuses HEAD. */
export async function tryHead(url: URL, tryRequest: TryRequest): Promise<Classified | undefined> {
  const found = await tryRequest(url, byStatus, { method: "HEAD" });
  return found && isRefused(found) ? tryRequest(url, byStatus) : found;
}

export function isRefused({ answer: { status } }: Classified<string>): boolean {
  return status === 405 || status === 501;
}

/** No other answer proves anything. */
export function isGone({ answer: { status } }: Classified): boolean {
  return status === 404 || status === 410;
}

/** By `Last-Modified`, in epoch milliseconds. */
export function changedAt(answer: HttpResponse): number | undefined {
  return parseTimestamp(header(answer, "last-modified") ?? "", "http-date");
}

/** Returns the size of the file that a head belongs to, unless it is compressed or sent in chunks. */
export function sizeByHead(answer: HttpResponse): number | undefined {
  const length = header(answer, "content-length") ?? "";
  const isPlain = !isEncoded(answer) && header(answer, "transfer-encoding") === undefined;
  return answer.status === 200 && isPlain && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

export function isPage(answer: HttpResponse): boolean {
  const type = header(answer, "content-type") ?? "";
  return answer.status === 200 && !isEncoded(answer) && /^text\/html\b/i.test(type);
}

function isEncoded(answer: HttpResponse): boolean {
  return header(answer, "content-encoding") !== undefined;
}

/**
 * Whether a head belongs to another file than this one: to a page, or to a file of another size. If the primary may
 * replace it, a mirror's file counts only if it is no older than that of the primary, and no newer than its last look.
 */
export function hasWrongSize(answer: HttpResponse, { size, seen }: Omit<SampleFile, "path">): boolean {
  const found = sizeByHead(answer);
  if (size === undefined || found === size) return false;
  if (isPage(answer)) return true;
  if (found === undefined || seen === undefined) return found !== undefined;
  const changed = Math.floor((changedAt(answer) ?? NaN) / 1000);
  return changed >= seen.changed && changed <= seen.last;
}

interface FileProblem {
  readonly path: string;
  readonly code: "missing_file" | "wrong_size";
}

/**
 * Returns a file that a mirror lacks, or has with another size. Asks for one, in turn. A mirror that had a problem in
 * the last run is asked for all, so that it stays incomplete until it has them again.
 */
export async function findFileProblem(
  url: string,
  files: readonly SampleFile[],
  { tryRequest, turn, wasIncomplete }: ProbeContext,
  onAnswer?: (path: string, answer: HttpResponse) => void,
): Promise<FileProblem | undefined> {
  const first = turn % Math.max(1, files.length);
  const inTurn = [...files.slice(first), ...files.slice(0, first)];
  for (const file of wasIncomplete === true ? inTurn : inTurn.slice(0, 1)) {
    const { path } = file;
    // Buckets take a plus for a blank.
    const found = await tryHead(fileUrl(url, path.replaceAll("+", "%2B")), tryRequest);
    if (found === undefined) continue;
    onAnswer?.(path, found.answer);
    if (isGone(found)) return { path, code: "missing_file" };
    if (hasWrongSize(found.answer, file)) return { path, code: "wrong_size" };
  }
  return undefined;
}

/** How many runs after one that failed a list is requested again. */
const retryTurns = 16;

/**
 * Adds the samples of a revision, and the problem with one of them. Only a primary reads its list of packages, once
 * for each revision.
 */
export async function withSamples<OwnCode extends string>(
  url: string,
  found: Classification<OwnCode>,
  context: ProbeContext,
  read: () => Promise<readonly SampleFile[] | undefined>,
  codeOf: (missing: string) => Promise<ContentCode | undefined> = () => Promise.resolve("missing_file"),
): Promise<Classification<OwnCode>> {
  const { revision } = found;
  const { isPrimary, reference, turn } = context;
  if (revision === undefined) return found;
  let index = reference?.revision === revision ? (reference.index ?? {}) : undefined;
  const isDue = index === undefined || (index.files === undefined && turn % retryTurns === 0);
  if (isPrimary && isDue) {
    const files = await read();
    index = files === undefined ? {} : { files };
  }
  const problem = found.content_code ? undefined : await findFileProblem(url, index?.files ?? [], context);
  const content_code =
    problem?.code === "missing_file" ? await codeOf(problem.path) : (problem?.code ?? found.content_code);
  return { ...found, content_code, index: isPrimary ? index : undefined };
}
