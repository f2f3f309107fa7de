import { classifyStatus } from "./classification.ts";
import type { Classified, Classify, ProbeContext } from "./kind.ts";

/** The pattern of a path relative to the URL of a mirror: no slash at its start, no query, nothing left to encode. */
export const filePathPattern = /^(?!\/)[!$-;=@-[\]_a-z~]{1,300}$/;

/** Returns the URL of a file of a mirror, whose own URL is taken as a folder. */
export function fileUrl(mirror: string, path: string): URL {
  const url = new URL(mirror);
  url.search = "";
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/${path}`;
  return url;
}

const byStatus: Classify = (answer) => classifyStatus(answer);

/** Requests the head of an answer: by HEAD, or by a GET that reads no more if the server refuses HEAD. */
export async function tryHead(
  url: URL,
  tryRequest: ProbeContext["tryRequest"],
): Promise<Classified | undefined> {
  const found = await tryRequest(url, byStatus, { method: "HEAD" });
  const isRefused = found?.answer.status === 405 || found?.answer.status === 501;
  return isRefused ? tryRequest(url, byStatus) : found;
}

/** Returns whether a mirror says that it lacks a file, by 404 or 410. Any other answer proves nothing. */
export async function lacksFile(url: URL, tryRequest: ProbeContext["tryRequest"]): Promise<boolean> {
  const status = (await tryHead(url, tryRequest))?.answer.status;
  return status === 404 || status === 410;
}
