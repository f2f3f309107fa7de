import { chooseIndex, maxIndexBytes, pathByHash, samplePackages } from "./apt-packages.ts";
import type { Release } from "./apt-release.ts";
import { classifyStatus, header } from "./classification.ts";
import type { ContentCode } from "./content-codes.ts";
import { contentTime } from "./content-time.ts";
import type { Classification, Classify, ContentIndex, ProbeContext } from "./kind.ts";
import { fileUrl, lacksFile, tryHead } from "./mirror-file.ts";

/** A suite of a mirror that has a release. */
interface Suite {
  /** That of the mirror. */
  readonly url: string;
  /** Where the release stands below that. */
  readonly folder: string;
  readonly release: Release;
  /** The folder of the list of packages that is configured. */
  readonly aptIndex: string | undefined;
}

/** How many files of a release are kept, to ask mirrors for one of them in turn. */
const maxSamples = 16;

/** How often an index that could not be read is requested again, in runs. */
const retryTurns = 16;

/** Returns what the release of a mirror, and one of its files, say of its content. */
export async function inspectSuite(
  suite: Suite,
  context: ProbeContext,
): Promise<Omit<Classification, "code">> {
  const { isPrimary, reference, now, turn, tryRequest } = context;
  const { revision, date, validUntil } = suite.release;
  const known = reference?.revision === revision ? (reference.index ?? {}) : undefined;
  const index = isPrimary ? await indexOf(suite, known, context) : known;
  const at = contentTime(date, now);
  const isExpired = validUntil !== undefined && validUntil < now;
  const sample = index?.files?.[turn % (index.files.length || 1)];
  const missing =
    isExpired || sample === undefined ? undefined : await missingCode(suite, sample, tryRequest);
  const code = isExpired ? "expired" : missing;
  return {
    revision,
    ...(at !== undefined && { content_at: at }),
    ...(code !== undefined && { content_code: code }),
    ...(isPrimary && index !== undefined && { index }),
  };
}

/** Returns what is wrong if a mirror lacks a file of its release. */
async function missingCode(
  { url, folder, release, aptIndex }: Suite,
  sample: string,
  tryRequest: ProbeContext["tryRequest"],
): Promise<ContentCode | undefined> {
  if (!(await lacksFile(fileUrl(url, sample.replaceAll("+", "%2B")), tryRequest))) return undefined;
  const index = chooseIndex(release, aptIndex)?.published;
  if (index === undefined || sample !== `${folder}${pathByHash(index)}`) return "missing_file";
  // Some programs copy no files by digest, and apt then takes the one by name.
  const found = await tryHead(fileUrl(url, `${folder}${index.path}`), tryRequest);
  if (found === undefined) return undefined;
  const isGone = found.answer.status === 404 || found.answer.status === 410;
  const length = found.classification.code === "ok" ? header(found.answer, "content-length") : undefined;
  return isGone || (length !== undefined && length !== String(index.size)) ? "half_synced" : undefined;
}

/** Returns files of a release: the known ones, or from its index, which is read once for each release. */
async function indexOf(
  { url, folder, release, aptIndex }: Suite,
  known: ContentIndex | undefined,
  { tryRequest, turn }: ProbeContext,
): Promise<ContentIndex> {
  if (known !== undefined && (known.files !== undefined || turn % retryTurns !== 0)) return known;
  const { published, readable } = chooseIndex(release, aptIndex) ?? {};
  if (published === undefined) return { files: [] };
  // This path is another one in each release, so that a HEAD shows whether a mirror has the list of this one.
  const own = release.isByHash ? [`${folder}${pathByHash(published)}`] : [];
  if (readable === undefined) return { files: own };
  const found = await tryRequest(fileUrl(url, own[0] ?? `${folder}${readable.path}`), classifyWhole, {
    maxBytes: maxIndexBytes,
  });
  if (found?.classification.code !== "ok" || !found.answer.complete) return {};
  const packages = await samplePackages(found.answer.body, readable, release, maxSamples - own.length);
  return { files: [...own, ...(packages ?? [])] };
}

const classifyWhole: Classify = (answer) => {
  const byStatus = classifyStatus(answer);
  return byStatus.code === "ok" && !answer.complete && !answer.bounded ? undefined : byStatus;
};
