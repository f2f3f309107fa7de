import { classifyStatus } from "./classification.ts";
import type { Classification, Classified, Classify, ProbeContext, TryRequest } from "./kind.ts";
import type { ContentCode } from "./mirror-content.ts";

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
  const isRefused = found?.answer.status === 405 || found?.answer.status === 501;
  return isRefused ? tryRequest(url, byStatus) : found;
}

/** Any other answer than these proves nothing. */
export function isGone({ answer: { status } }: Classified): boolean {
  return status === 404 || status === 410;
}

/**
 * Returns a file that a mirror lacks. Asks for one, in turn. A mirror that lacked one in the last run is asked for all,
 * so that it stays incomplete until it has them again.
 */
export async function missingFile(
  url: string,
  files: readonly string[],
  { tryRequest, turn, wasIncomplete }: ProbeContext,
): Promise<string | undefined> {
  const first = turn % Math.max(1, files.length);
  const inTurn = [...files.slice(first), ...files.slice(0, first)];
  for (const file of wasIncomplete === true ? inTurn : inTurn.slice(0, 1)) {
    // Buckets take a plus for a blank.
    const found = await tryHead(fileUrl(url, file.replaceAll("+", "%2B")), tryRequest);
    if (found !== undefined && isGone(found)) return file;
  }
  return undefined;
}

/** How many runs after one that failed a list is requested again. */
const retryTurns = 16;

/**
 * Adds the samples of a revision, and a file of them that the mirror lacks. Only a primary reads its list of packages,
 * once for each revision.
 */
export async function withSamples<OwnCode extends string>(
  url: string,
  found: Classification<OwnCode>,
  context: ProbeContext,
  read: () => Promise<readonly string[] | undefined>,
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
  const missing = found.content_code ? undefined : await missingFile(url, index?.files ?? [], context);
  const content_code = missing === undefined ? found.content_code : await codeOf(missing);
  return { ...found, content_code, index: isPrimary ? index : undefined };
}
