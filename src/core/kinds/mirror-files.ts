import type { HttpCode } from "../base/http/codes.ts";
import type { HttpResponse } from "../base/http/response.ts";
import { parseTimestamp } from "../base/text/timestamp.ts";
import type { Classified, Classify, ProbeContext, RequestUrl } from "./kind.ts";
import type { ContentCode, SampleFile } from "./mirror-content.ts";

/** A percent-encoded path without a leading slash or a query. */
export const filePathPattern = /^(?!\/)[!$-;=@-[\]_a-z~]{1,300}$/;

export function fileUrl(mirror: string, path: string): URL {
  const url = new URL(mirror);
  url.search = "";
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/${path}`;
  return url;
}

/** Sends HEAD or, if the server refuses that, a GET. */
export async function tryHead<Missing extends undefined>(
  url: URL,
  tryRequest: RequestUrl<Missing>,
  expected?: readonly number[],
) {
  const classify: Classify = (answer) => classifyStatus(answer, expected);
  const found = await tryRequest(url, classify, { method: "HEAD" });
  // Some servers refuse only HEAD, say that nothing is there, or redirect it to a URL that is signed for GET.
  if (found === undefined || ![403, 404, 405, 501].includes(found.answer.status)) return found;
  // A range changes the status. A server that ignores ranges sends the whole file, which is not read.
  return tryRequest(url, classify, expected === undefined ? { headers: ["range", "bytes=0-0"] } : {});
}

/** Whether a file may be missing: object stores that don't allow listing answer 403 instead of 404. */
export function isAbsent({ answer: { status } }: Classified): boolean {
  return [403, 404, 410].includes(status);
}

/** No other status proves that a file is missing. */
export function isGone({ answer: { status } }: Classified): boolean {
  return status === 404 || status === 410;
}

/** From `Last-Modified`, in epoch milliseconds. */
export function changedAt(answer: HttpResponse): number | undefined {
  return parseTimestamp(header(answer, "last-modified") ?? "", "http-date");
}

/** Returns the file's size, unless the file is compressed or sent in chunks. */
export function sizeByHead(answer: HttpResponse): number | undefined {
  const [, total] = /^bytes 0-0\/(\d{1,15})$/.exec(header(answer, "content-range") ?? "") ?? [];
  if (answer.status === 206) return total === undefined || isEncoded(answer) ? undefined : Number(total);
  const length = header(answer, "content-length") ?? "";
  const isPlain = !isEncoded(answer) && header(answer, "transfer-encoding") === undefined;
  return answer.status === 200 && isPlain && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

export function isPage(answer: HttpResponse): boolean {
  return [200, 206].includes(answer.status) && !isEncoded(answer) && isHtml(answer);
}

function isHtml(answer: HttpResponse): boolean {
  return /^text\/html\b/i.test(header(answer, "content-type") ?? "");
}

const challengePage =
  /anubis_challenge|\/\.within\.website\/x\/cmd\/anubis\/|_cf_chl_opt|<title>Just a moment/;

/** Returns whether a bot check of Cloudflare, AWS or Anubis answered in place of the server. */
export function isChallenge(answer: HttpResponse): boolean {
  if (["cf-mitigated", "x-amzn-waf-action"].some((name) => header(answer, name) !== undefined)) return true;
  const cookies = [answer.headers["set-cookie"] ?? []].flat().join();
  return isHtml(answer) && (/anubis/i.test(cookies) || challengePage.test(answer.body.toString("latin1")));
}

function isEncoded(answer: HttpResponse): boolean {
  return header(answer, "content-encoding") !== undefined;
}

/** Whether a file is a page or has the wrong size. If it was changed outside of `seen`, it is another version. */
export function hasWrongSize(answer: HttpResponse, { size, seen }: Omit<SampleFile, "path">): boolean {
  const found = sizeByHead(answer);
  if (size === undefined || found === size) return false;
  if (isPage(answer)) return true;
  if (found === undefined || seen === undefined) return found !== undefined;
  const changed = Math.floor((changedAt(answer) ?? NaN) / 1000);
  return changed >= seen.changed && changed <= seen.last;
}

export function problemOf(found: Classified, file: Omit<SampleFile, "path">): ContentCode | undefined {
  if (isGone(found)) return "missing_file";
  return hasWrongSize(found.answer, file) ? "wrong_size" : undefined;
}

/** Checks one file a run, but all of them after a problem, so that a mirror is incomplete until it has them all. */
export async function findFileProblem(
  url: string,
  files: readonly SampleFile[],
  { tryRequest, turn, wasIncomplete, lastProblem }: ProbeContext,
  onAnswer?: (path: string, answer: HttpResponse) => void,
) {
  const first = turn % Math.max(1, files.length);
  const inTurn = [...files.slice(first), ...files.slice(0, first)];
  const checked = wasIncomplete === true ? [lastProblem ?? [], inTurn].flat() : inTurn.slice(0, 1);
  for (const file of checked) {
    const { path } = file;
    // Object stores read a plus as a space.
    const found = await tryHead(fileUrl(url, path.replaceAll("+", "%2B")), tryRequest);
    if (found === undefined) continue;
    onAnswer?.(path, found.answer);
    const code = problemOf(found, file);
    if (code !== undefined) return { file, code };
  }
  return undefined;
}

/** Skips a turn after every 16 intervals, so that runs at every second one don't always check the same files. */
export function turnAt(now: number, intervalMs: number): number {
  const intervals = Math.floor(now / intervalMs);
  return intervals + Math.floor(intervals / 16);
}

export function header({ headers }: HttpResponse, name: string): string | undefined {
  return [headers[name]].flat()[0];
}

/** curl, and so Git, uses the last of several Content-Type headers. */
export function lastHeader({ headers }: HttpResponse, name: string): string | undefined {
  return [headers[name]].flat().at(-1);
}

/** 429, 503 with Retry-After and 511 aren't the mirror's fault (RFC 9110, 15; RFC 6585). */
export function classifyStatus(answer: HttpResponse, expected?: readonly number[]): HttpCode {
  const { status } = answer;
  if (expected?.includes(status) ?? (status >= 200 && status < 300)) return "ok";
  if (status === 401 || status === 407) return "auth";
  if (status === 511) return "captive_portal";
  const isLimited = status === 429 || (status === 503 && header(answer, "retry-after") !== undefined);
  return isLimited ? "rate_limited" : "http_status";
}

/** Like `classifyStatus`, but waits until the body of a good answer is complete or reaches `maxBytes`. */
export function classifyWhole(answer: HttpResponse, expected?: readonly number[]): HttpCode | undefined {
  const code = classifyStatus(answer, expected);
  return code !== "ok" || answer.complete || answer.bounded ? code : undefined;
}
