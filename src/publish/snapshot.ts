import { type BranchFile, compare, type Difference, plainFile } from "./difference.ts";
import { blobId, type BlobIds, blobIds, requireSite, writeMark } from "./publishable.ts";
import { contentOf, type ObjectFormat, type ScratchRepository } from "./scratch-repository.ts";

/** A site at one point in time, compared with its branch. */
export interface Snapshot extends Difference {
  /** The files that the branch must hold in the end. */
  readonly site: BlobIds;
  /** The files of it that are not in the folder. */
  readonly added: ReadonlyMap<string, Uint8Array>;
}

/** Without this file GitHub Pages drops some files and changes others. */
export const noJekyll = ".nojekyll";

/** The domain of a Pages site, which GitHub's settings page writes to the branch. */
const domain = "CNAME";

/**
 * Returns the files of a site at one point in time, or undefined if mirrorfeed wrote to it meanwhile. Throws InputError
 * if the site cannot be published, and the signal's reason.
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

/**
 * Compares the files of a site, and those that a published site has as well, with a branch in the scratch repository.
 */
export async function takeSnapshot(
  files: BlobIds,
  branch: ReadonlyMap<string, BranchFile>,
  scratch: ScratchRepository,
): Promise<Snapshot> {
  const added = new Map<string, Uint8Array>();
  if (!files.has(noJekyll)) added.set(noJekyll, Buffer.alloc(0));
  const kept = branch.get(domain);
  if (kept?.mode === plainFile && !files.has(domain)) added.set(domain, await contentOf(scratch, kept.id));
  const site = new Map(files);
  for (const [path, content] of added) site.set(path, blobId(content, scratch.format));
  return { ...compare(branch, site), site, added };
}
