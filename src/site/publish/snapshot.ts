import { type BranchFile, compare, type Difference, plainFile } from "./difference.ts";
import { blobId, type BlobIds, blobIds, requireSite, writeMark } from "./publishable.ts";
import { contentOf, type ObjectFormat, type Workshop } from "./workshop.ts";

/** A site as it stood at one moment, beside the branch it is for. */
export interface Snapshot extends Difference {
  /** What the branch must hold in the end. */
  readonly site: BlobIds;
  /** The files of it that do not stand in the folder. */
  readonly besides: ReadonlyMap<string, Uint8Array>;
}

/** GitHub Pages leaves out files and changes others where this is not there. */
export const noJekyll = ".nojekyll";

/** The domain of a Pages site, which its settings page writes to the branch. */
const domain = "CNAME";

/**
 * The files of a site as they stood at one moment; undefined where mirrorfeed wrote to it meanwhile. Throws InputError
 * where the site cannot be published, and the signal's reason.
 */
export async function readSite(
  out: string,
  format: ObjectFormat,
  signal: AbortSignal,
): Promise<BlobIds | undefined> {
  const mark = writeMark(out);
  requireSite(out);
  try {
    const ids = await blobIds(out, format, signal);
    return writeMark(out) === mark ? ids : undefined;
  } catch (error) {
    if (writeMark(out) === mark) throw error;
    return undefined;
  }
}

/** Compares the files of a site, and what a published one has besides, with a branch whose files the workshop has. */
export async function takeSnapshot(
  files: BlobIds,
  branch: ReadonlyMap<string, BranchFile>,
  workshop: Workshop,
): Promise<Snapshot> {
  const besides = new Map<string, Uint8Array>();
  if (!files.has(noJekyll)) besides.set(noJekyll, Buffer.alloc(0));
  const kept = branch.get(domain);
  if (kept?.mode === plainFile && !files.has(domain)) besides.set(domain, await contentOf(workshop, kept.id));
  const site = new Map(files);
  for (const [path, content] of besides) site.set(path, blobId(content, workshop.format));
  return { ...compare(branch, site), site, besides };
}
