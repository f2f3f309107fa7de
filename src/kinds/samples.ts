import { decodeContent } from "../http/content-encoding.ts";
import { ProbeFailure } from "../http/failure.ts";
import { classifyStatus } from "./classification.ts";
import type { Classify, ContentIndex, ProbeContext } from "./kind.ts";
import { filePathPattern, fileUrl, lacksFile } from "./mirror-file.ts";

/** How much of a list of packages is read, as it is sent and decompressed. The samples come from what is read. */
export const maxListBytes = 16 * 1024 * 1024;
const maxTextBytes = 64 * 1024 * 1024;

/** How many files are kept of a revision. */
export const maxSamples = 16;

/** How often a list is requested again that could not be read, in runs. */
const retryTurns = 16;

/**
 * Returns what is known of the content of a revision. Only a primary reads its list of packages, once for each revision:
 * `read` returns paths of samples, or undefined if the list could not be read.
 */
export async function sampledIndex(
  revision: string,
  { isPrimary, reference, turn }: ProbeContext,
  read: () => Promise<readonly string[] | undefined>,
): Promise<ContentIndex | undefined> {
  const known = reference?.revision === revision ? (reference.index ?? {}) : undefined;
  if (!isPrimary) return known;
  if (known !== undefined && (known.files !== undefined || turn % retryTurns !== 0)) return known;
  const files = await read();
  return files === undefined ? {} : { files };
}

/**
 * Returns a file that a mirror says it lacks, or undefined. Asks for one of them, in turn. Of a mirror that lacked one in the
 * last run it asks for all, until one is missing: so it stays incomplete until it has them again.
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
    if (await lacksFile(fileUrl(url, file.replaceAll("+", "%2B")), tryRequest)) return file;
  }
  return undefined;
}

/** Requests a list of packages. Returns undefined if it does not come whole. */
export async function readList(
  url: URL,
  tryRequest: ProbeContext["tryRequest"],
): Promise<Buffer | undefined> {
  const found = await tryRequest(url, classifyWhole, { maxBytes: maxListBytes });
  return found?.classification.code === "ok" && found.answer.complete ? found.answer.body : undefined;
}

const classifyWhole: Classify = (answer) => {
  const byStatus = classifyStatus(answer);
  return byStatus.code === "ok" && !answer.complete && !answer.bounded ? undefined : byStatus;
};

/** Returns the text of a list that is compressed with gzip, as far as it is read; undefined if it is malformed. */
export async function unzipList(body: Buffer): Promise<string | undefined> {
  try {
    const { body: text } = await decodeContent(["gzip"], { body, complete: true }, maxTextBytes);
    return text.toString("latin1");
  } catch (error) {
    if (error instanceof ProbeFailure) return undefined;
    throw error;
  }
}

/**
 * Returns at most `max` of these paths, spread evenly over them, and other ones for another digest. Paths that need an encoding
 * in a URL, or lead above the mirror, are left out.
 */
export function spreadSamples(paths: readonly string[], digest: string, max = maxSamples): readonly string[] {
  const plain = paths.filter((path) => filePathPattern.test(path) && !/%|(?:^|\/)\.\.?(?:\/|$)/.test(path));
  const count = Math.min(max, plain.length);
  const start = Number.parseInt(digest.slice(0, 8), 16) / 2 ** 32;
  return Array.from({ length: count }, (_, place) => {
    return plain[Math.floor(((place + start) * plain.length) / count)] ?? [];
  }).flat();
}
