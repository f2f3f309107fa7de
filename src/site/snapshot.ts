import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type BranchFile, compare, type Difference, plainFile } from "./difference.ts";
import type { ObjectFormat } from "./git.ts";
import { blobId, blobIds, requireSite, writeMark } from "./publishable.ts";

/** A site as it stood at one moment, beside the branch it is for; `stage` holds what is to be added to the branch. */
export interface Snapshot extends Difference {
  /** What the branch must hold in the end. */
  readonly site: ReadonlyMap<string, string>;
  readonly stage: string;
}

/** What a snapshot is taken of, and for. */
export interface Subject {
  readonly out: string;
  readonly branch: ReadonlyMap<string, BranchFile>;
  readonly format: ObjectFormat;
  readonly stage: string;
  /** The content of a file of the branch. */
  readonly read: (id: string) => Promise<Uint8Array>;
  readonly signal: AbortSignal;
}

/** GitHub Pages leaves out files and changes others where this is not there. */
const noJekyll = ".nojekyll";

/** The domain of a Pages site, which its settings page writes to the branch. */
const domain = "CNAME";

/**
 * Compares the site with the branch and lays what is to be added into `stage`; undefined where mirrorfeed wrote to the
 * site meanwhile. Throws InputError where the site cannot be published.
 */
export async function takeSnapshot(subject: Subject): Promise<Snapshot | undefined> {
  const mark = writeMark(subject.out);
  requireSite(subject.out);
  try {
    const snapshot = await read(subject);
    return writeMark(subject.out) === mark ? snapshot : undefined;
  } catch (error) {
    if (writeMark(subject.out) === mark) throw error;
    return undefined;
  }
}

async function read(subject: Subject): Promise<Snapshot> {
  const { out, branch, format, stage } = subject;
  const site = await blobIds(out, format, subject.signal);
  const added = await besides(site, subject);
  for (const [path, content] of added) site.set(path, blobId(content, format));
  const difference = compare(branch, site);
  // gh-pages wants a file to add even where all it has to do is to remove.
  const staged = difference.isAnew || branch.size === 0 ? site.keys() : [noJekyll, ...difference.changed];
  for (const path of new Set(staged)) {
    const place = join(stage, path);
    mkdirSync(dirname(place), { recursive: true });
    const content = added.get(path);
    if (content === undefined) copyFileSync(join(out, path), place);
    else writeFileSync(place, content);
  }
  return { ...difference, site, stage };
}

/** The files that a published site has beside those in its folder. */
async function besides(
  site: ReadonlyMap<string, string>,
  { branch, read: content }: Subject,
): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  if (!site.has(noJekyll)) files.set(noJekyll, Buffer.alloc(0));
  const kept = branch.get(domain);
  if (kept?.mode === plainFile && !site.has(domain)) files.set(domain, await content(kept.id));
  return files;
}
