import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "../../core/base/zod.ts";
import { InputError } from "../../core/base/errors.ts";
import { makeTemporaryFolder } from "../../core/base/files/folders.ts";
import { type Bounds, gitOfUser } from "../../core/base/git/run-git.ts";
import type { Remote } from "../../core/base/git/remote.ts";
import type { CommandContext } from "../../core/base/terminal/context.ts";
import { tryParseJson } from "../../core/base/text/json.ts";
import { quote } from "../../core/base/text/quote.ts";
import { documentPath, reportRoot } from "../../core/contract/contract.ts";
import {
  type Branch,
  type CommittedFiles,
  fetchTip,
  openBranch,
  openScratch,
  push,
  readHead,
  type Scratch,
  type ScratchGit,
  textOf,
  type Tip,
} from "./publish-branch.ts";
import { type Commit, commitFolder, type CommitRequest } from "./commit.ts";
import { requireSite, writeMark } from "../../core/site/site-paths.ts";

export interface PublishRequest extends CommitRequest {
  readonly remote: Remote;
  readonly branch: string;
  /** Replaces the branch even if it does not contain a published feed, and deletes its commits. */
  readonly replace: boolean;
}

export interface PublishContext extends Pick<CommandContext, "environment" | "interrupt" | "log"> {
  readonly totalMs?: number | undefined;
  readonly silenceMs?: number | undefined;
  /** The most that may be fetched from the branch. Defaults to 1 GiB, which is GitHub Pages' limit for a site. */
  readonly maxBytes?: number | undefined;
}

/** If the branch already held the site, nothing was published, and `commit` is the branch's existing commit. */
export interface Publication {
  readonly published: boolean;
  readonly commit: string;
  readonly changed: number;
  readonly removed: number;
}

const maxAttempts = 6;

/**
 * Publishes the folder `out` to a branch, completely or not at all. An atomic compare-and-swap on the remote ensures
 * that a commit pushed by someone else in the meantime is not overwritten. Never replaces a newer site. Without
 * `history` or `replace`, refuses to replace a branch that has earlier commits or is not a published feed. If the site
 * or the branch changes in the meantime, tries again a few times. Throws InputError if the site cannot be published,
 * and the interrupt's reason if it is interrupted.
 */
export async function publishSite(request: PublishRequest, context: PublishContext): Promise<Publication> {
  requireSite(request.out);
  const { interrupt, environment, log, totalMs = 300_000, silenceMs = 60_000 } = context;
  const deadline = AbortSignal.timeout(totalMs);
  const bounds: Bounds = { signal: AbortSignal.any([interrupt, deadline]), silenceMs };
  const folder = makeTemporaryFolder("publish");
  try {
    const git = gitOfUser(environment, bounds, request.remote);
    const branch = await openBranch(request.remote, request.branch, git);
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const publication = await tryOnce(request, branch, join(folder, String(attempt)), context, bounds);
      if (publication !== undefined) return publication;
      log(`The site or the branch ${request.branch} changed in the meantime; trying again.`);
    }
    throw new InputError(
      `The site or the branch ${request.branch} changed during each of ${maxAttempts} attempts; publish again later.`,
    );
  } catch (error) {
    if (!deadline.aborted || error !== deadline.reason) throw error;
    const remote = quote(request.remote.address);
    const sentence = `Publishing to ${remote} took more than ${totalMs / 1000} seconds and was stopped.`;
    throw new InputError(sentence, { cause: error });
  } finally {
    // An interrupted process ends soon, so this removal must not be asynchronous.
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Returns undefined if the branch or the site has changed in the meantime. */
async function tryOnce(
  request: PublishRequest,
  branch: Branch,
  folder: string,
  { environment, maxBytes = 2 ** 30 }: PublishContext,
  bounds: Bounds,
): Promise<Publication | undefined> {
  mkdirSync(folder);
  const head = await readHead(branch, folder);
  const scratch = await openScratch(folder, environment, bounds);
  const tip = head === undefined ? undefined : await fetchTip(branch, scratch, maxBytes);
  const commit = await commitSite(request, tip, scratch, bounds.signal);
  if (commit === undefined) return undefined;
  const before: CommittedFiles = tip?.files ?? new Map();
  const changed = [...commit.files].filter(([path, { mode, id }]) => {
    const old = before.get(path);
    return old?.mode !== mode || old.id !== id;
  }).length;
  const removed = [...before.keys()].filter((path) => !commit.files.has(path)).length;
  if (tip !== undefined) {
    if (changed + removed === 0) return { published: false, commit: tip.id, changed, removed };
    const mayReplace = request.history || request.replace;
    await refuse(branch.label, tip, commit.files, mayReplace, scratch.git);
  }
  const isPushed = await push(branch, scratch, commit.id, tip?.id);
  return isPushed ? { published: true, commit: commit.id, changed, removed } : undefined;
}

/** Commits the whole site. Returns undefined if mirrorfeed wrote to the site in the meantime. */
async function commitSite(
  request: PublishRequest,
  tip: Tip | undefined,
  scratch: Scratch,
  signal: AbortSignal,
): Promise<Commit | undefined> {
  const { out } = request;
  const mark = writeMark(out);
  requireSite(out);
  try {
    const commit = await commitFolder(request, tip, scratch, signal);
    return writeMark(out) === mark ? commit : undefined;
  } catch (error) {
    if (error instanceof InputError && writeMark(out) !== mark) return undefined;
    throw error;
  }
}

/** The heartbeat of a feed with 10,000 mirrors takes about 2 MB. */
const maxHeartbeatBytes = 32 * 1024 * 1024;

/** The fields that mark a heartbeat, in every version of mirrorfeed. */
const heartbeatSchema = z.looseObject({
  run: z.string(),
  generated_at: z.iso.datetime(),
  nodes: z.array(z.looseObject({ id: z.int() })),
});

/**
 * Throws InputError if the branch has a newer site. Unless `mayReplace`, also throws if publishing could delete work,
 * such as source code or earlier commits: unless the branch has a single commit that is empty or contains a published
 * feed. `label` names the branch.
 */
async function refuse(
  label: string,
  { files, hasParents }: Tip,
  next: CommittedFiles,
  mayReplace: boolean,
  git: ScratchGit,
): Promise<void> {
  const [publishedAt, nextAt] = await Promise.all([files, next].map((one) => generatedAt(one, git)));
  const isFeed = files.size === 0 || publishedAt !== undefined;
  if (!mayReplace && (hasParents || !isFeed))
    throw new InputError(
      `${label} ${isFeed ? "has earlier commits" : "is not a published feed"}, so nothing was published; use a different branch with --branch, keep this one's commits with --history, or delete them with --replace.`,
    );
  if (publishedAt !== undefined && nextAt !== undefined && publishedAt > nextAt)
    throw new InputError(
      `${label} has a newer site, so nothing was published; run mirrorfeed run and publish again.`,
    );
}

async function generatedAt(files: CommittedFiles, git: ScratchGit): Promise<number | undefined> {
  const text = await textOf(git, files, documentPath(reportRoot), maxHeartbeatBytes);
  const { data } = heartbeatSchema.safeParse(tryParseJson(text ?? ""));
  return data && Date.parse(data.generated_at);
}
