import { chooseIndex, pathByHash, samplePackages } from "./apt-packages.ts";
import type { Release } from "./apt-release.ts";
import { header } from "./classification.ts";
import type { ContentCode } from "./content-codes.ts";
import { contentTime } from "./content-time.ts";
import type { Classification, ProbeContext } from "./kind.ts";
import { filePathPattern, fileUrl, tryHead } from "./mirror-file.ts";
import { maxSamples, missingFile, readList, sampledIndex } from "./samples.ts";

/** A suite of a mirror that has a release. */
interface Suite {
  /** That of the mirror. */
  readonly url: string;
  /** Where the release stands below that. */
  readonly folder: string;
  readonly release: Release;
  /** The folder of the list of packages that is configured. */
  /** The folder of the list of packages that `apt.index` names. */
  readonly index: string | undefined;
}

/** Returns what the release of a mirror, and one of its files, say of its content. */
export async function inspectSuite(
  suite: Suite,
  context: ProbeContext,
): Promise<Omit<Classification, "code">> {
  const { isPrimary, now } = context;
  const { revision, date, validUntil } = suite.release;
  const index = await sampledIndex(revision, context, () => readFiles(suite, context));
  const at = contentTime(date, now);
  const isExpired = validUntil !== undefined && validUntil < now;
  const code = isExpired ? "expired" : await missingCode(suite, index?.files ?? [], context);
  return {
    revision,
    ...(at !== undefined && { content_at: at }),
    ...(code !== undefined && { content_code: code }),
    ...(isPrimary && index !== undefined && { index }),
  };
}

/** Returns what is wrong if a mirror lacks a file of its release. */
async function missingCode(
  { url, folder, release, index: chosen }: Suite,
  files: readonly string[],
  context: ProbeContext,
): Promise<ContentCode | undefined> {
  const missing = await missingFile(url, files, context);
  if (missing === undefined) return undefined;
  const index = chooseIndex(release, chosen)?.published;
  if (index === undefined || missing !== `${folder}${pathByHash(index)}`) return "missing_file";
  // Some programs copy no files by digest, and apt then takes the one by name.
  const found = await tryHead(fileUrl(url, `${folder}${index.path}`), context.tryRequest);
  if (found === undefined) return undefined;
  const isGone = found.answer.status === 404 || found.answer.status === 410;
  const length = found.classification.code === "ok" ? header(found.answer, "content-length") : undefined;
  return isGone || (length !== undefined && length !== String(index.size)) ? "half_synced" : undefined;
}

/** Returns files of a release: its list of packages by digest, and packages of it. */
async function readFiles(
  { url, folder, release, index: chosen }: Suite,
  { tryRequest }: ProbeContext,
): Promise<readonly string[] | undefined> {
  const { published, readable } = chooseIndex(release, chosen) ?? {};
  if (published === undefined) return [];
  // This path is another one in each release, so that a HEAD shows whether a mirror has the list of this one.
  const byHash = `${folder}${pathByHash(published)}`;
  const own = release.isByHash && filePathPattern.test(byHash) ? [byHash] : [];
  if (readable === undefined) return own;
  const body = await readList(fileUrl(url, own[0] ?? `${folder}${readable.path}`), tryRequest);
  if (body === undefined) return undefined;
  const packages = await samplePackages(body, readable, release, maxSamples - own.length);
  return [...own, ...(packages ?? [])];
}
