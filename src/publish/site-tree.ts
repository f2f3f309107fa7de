import { readFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode, InputError } from "../errors.ts";
import { isApplied, plainFile } from "./difference.ts";
import { blobId } from "./publishable.ts";
import type { Snapshot } from "./snapshot.ts";
import { changesOf, filesOf, type ScratchRepository } from "./scratch-repository.ts";

/** A file of the site has changed since it was read. */
class FileChanged extends Error {}

const failure = "git cannot read the site";

/**
 * Makes the Git tree of a site from the tree of a commit (undefined: from nothing) and the changes, in one pack and
 * without a checkout. Verifies that it holds exactly the site. Returns its name in the scratch repository, or undefined if
 * the site has changed meanwhile. Throws InputError if Git fails.
 */
export async function makeTree(
  scratch: ScratchRepository,
  out: string,
  snapshot: Snapshot,
  before: string | undefined,
): Promise<string | undefined> {
  const { site, added } = snapshot;
  const from = snapshot.replacesAll ? undefined : before;
  const { changed, removed } = from === undefined ? { changed: [...site.keys()], removed: [] } : snapshot;
  function* commands(): Generator<string | Uint8Array> {
    // git-fast-import(1) makes a tree only with a commit, which stays unused.
    yield `commit ${draft}\ncommitter <> 0 +0000\ndata 0\n`;
    if (from !== undefined) yield `from ${from}\n`;
    for (const path of removed) yield `D ${quotePath(path)}\n`;
    for (const path of changed) {
      const content = added.get(path) ?? rereadFile(join(out, path));
      if (blobId(content, scratch.format) !== site.get(path)) throw new FileChanged();
      yield `M ${plainFile} inline ${quotePath(path)}\ndata ${content.length}\n`;
      yield content;
      yield "\n";
    }
    yield "done\n";
  }
  try {
    await scratch.git(failure, ["fast-import", "--quiet", "--done"], inBlocks(commands()));
  } catch (error) {
    if (!(error instanceof FileChanged)) throw error;
    return undefined;
  }
  const made = await (from === undefined ? filesOf(scratch, draft) : changesOf(scratch, from, draft));
  if (isApplied(made, { changed, removed }, site)) return `${draft}^{tree}`;
  throw new InputError("git made another tree than that of the site, so nothing was published.");
}

const draft = "refs/draft";

/**
 * Makes an index of a tree and returns its path. Git takes these paths as unchanged, so none of them needs a checkout.
 * Throws InputError if Git fails.
 */
export async function makeIndex(
  { git, folder, repository }: ScratchRepository,
  tree: string,
  paths: Iterable<string>,
): Promise<string> {
  await git(failure, ["read-tree", tree]);
  const take = [`--work-tree=${folder}`, "update-index", "-z", "--assume-unchanged", "--stdin"];
  await git(failure, take, [[...paths, ""].join("\0")]);
  return join(repository, "index");
}

function rereadFile(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw new FileChanged(undefined, { cause: error });
  }
}

/** Returns a path in the quotes of git-fast-import(1). */
function quotePath(path: string): string {
  return `"${path.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}

const blockSize = 64 * 1024;

/** Joins small pieces into blocks, since each piece is a write to a pipe. */
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
