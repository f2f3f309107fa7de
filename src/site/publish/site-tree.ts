import { readFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode, InputError } from "../../errors.ts";
import { isCarriedOut, plainFile } from "./difference.ts";
import { blobId } from "./publishable.ts";
import type { Snapshot } from "./snapshot.ts";
import { changesOf, idOf, type Workshop } from "./workshop.ts";

/** A file of the site is not what it was when it was read. */
class Changed extends Error {}

const failure = "git cannot read the site";

/**
 * Makes the git tree of a site out of that of a commit (undefined: of none) and what changed, all in one pack and
 * without laying a file out, makes sure that it holds the site and nothing else, and gives its id; undefined where the
 * site has changed meanwhile. Throws InputError where git cannot.
 */
export async function makeTree(
  workshop: Workshop,
  out: string,
  snapshot: Snapshot,
  before: string | undefined,
): Promise<string | undefined> {
  const { site, besides } = snapshot;
  const from = snapshot.isAnew ? undefined : before;
  const { changed, gone } = from === undefined ? { changed: [...site.keys()], gone: [] } : snapshot;
  function* commands(): Generator<string | Uint8Array> {
    // git-fast-import(1) makes no tree but that of a commit, which is left behind.
    yield `commit ${draft}\ncommitter <> 0 +0000\ndata 0\n`;
    if (from !== undefined) yield `from ${from}\n`;
    for (const path of gone) yield `D ${inQuotes(path)}\n`;
    for (const path of changed) {
      const content = besides.get(path) ?? readAgain(join(out, path));
      if (blobId(content, workshop.format) !== site.get(path)) throw new Changed();
      yield `M ${plainFile} inline ${inQuotes(path)}\ndata ${content.length}\n`;
      yield content;
      yield "\n";
    }
    yield "done\n";
  }
  try {
    await workshop.git(failure, ["fast-import", "--quiet", "--done"], inBlocks(commands()));
  } catch (error) {
    if (!(error instanceof Changed)) throw error;
    return undefined;
  }
  const tree = await idOf(workshop, `${draft}^{tree}`);
  if (isCarriedOut(await changesOf(workshop, from, tree), { changed, gone }, site)) return tree;
  throw new InputError("git made another tree than that of the site, so nothing was published.");
}

const draft = "refs/draft";

/**
 * Makes an index of a tree with these paths, for a folder in which none of them is laid out, and gives its place: git
 * is told to take each for unchanged. Throws InputError where git cannot.
 */
export async function makeIndex(
  { git, folder, repository }: Workshop,
  tree: string,
  paths: Iterable<string>,
): Promise<string> {
  await git(failure, ["read-tree", tree]);
  const take = [`--work-tree=${folder}`, "update-index", "-z", "--assume-unchanged", "--stdin"];
  await git(failure, take, [[...paths, ""].join("\0")]);
  return join(repository, "index");
}

function readAgain(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw new Changed(undefined, { cause: error });
  }
}

/** A path as git-fast-import(1) reads any. */
function inQuotes(path: string): string {
  return `"${path.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}

const blockSize = 64 * 1024;

/** The same bytes in fewer pieces, since each is a write to a pipe. */
function* inBlocks(pieces: Iterable<string | Uint8Array>): Generator<Uint8Array> {
  let block: Uint8Array[] = [];
  let size = 0;
  for (const piece of pieces) {
    const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
    block.push(bytes);
    size += bytes.length;
    if (size < blockSize) continue;
    yield Buffer.concat(block);
    [block, size] = [[], 0];
  }
  yield Buffer.concat(block);
}
