import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { execPath } from "node:process";
import type { PublishOptions } from "gh-pages";
import { type Environment, runChildProcess } from "../git/child-process.ts";
import { InputError } from "../errors.ts";
import { type Bounds, gitOfUser, outputOf } from "../git/git.ts";
import type { Remote } from "../git/remote.ts";
import { quote } from "../text/quote.ts";
import { makeTemporaryFolder } from "../files/temporary-folder.ts";
import { Branch } from "./branch.ts";
import { type PublishPlan, prepare, type Prepared } from "./prepare.ts";
import { requireSite } from "./publishable.ts";
import { noJekyll } from "./snapshot.ts";
import {
  isSameObject,
  lastCommit,
  type ObjectFormat,
  openScratchRepository,
  type ScratchRepository,
} from "./scratch-repository.ts";

/** What to publish, where, and as which user. */
export interface PublishRequest {
  readonly out: string;
  readonly remote: Remote;
  readonly branch: string;
  /** Adds a commit to the branch, instead of replacing all its commits. */
  readonly history: boolean;
  /** Publishes over a branch that is not a published feed too, and deletes its commits. */
  readonly replace: boolean;
  readonly message: string;
  readonly user: { readonly name: string; readonly email: string };
}

/** What a publication needs from its caller, and its limits. */
export interface PublishContext {
  readonly environment: Environment;
  readonly interrupt: AbortSignal;
  readonly log: (text: string) => void;
  readonly totalMs?: number | undefined;
  readonly silenceMs?: number | undefined;
  /** How much of the branch may be fetched. By default the limit of a GitHub Pages site. */
  readonly maxBytes?: number | undefined;
}

/** The result. `commit` is the branch's, which is an old one if the branch held the site already. */
export interface Publication {
  readonly published: boolean;
  readonly commit: string;
  readonly changed: number;
  readonly removed: number;
}

const maxAttempts = 6;

/**
 * Publishes the folder `out` to a branch: all files but those in mirrorfeed's own folder, plus `.nojekyll`, plus the
 * branch's CNAME if the site has none.
 * The branch then holds all of the site, or is unchanged. The remote compares and swaps, so no commit is replaced
 * unseen. Without `history` or `replace` only a published feed is replaced. If another publisher is faster, it starts
 * again a few times, unless the branch holds a newer site.
 * Throws InputError with one sentence for every failure, and the interrupt's reason.
 */
export async function publishSite(request: PublishRequest, means: PublishContext): Promise<Publication> {
  requireSite(request.out);
  const { totalMs = 300_000, silenceMs = 60_000, maxBytes = 2 ** 30 } = means;
  const { interrupt, environment, log } = means;
  const deadline = AbortSignal.timeout(totalMs);
  const bounds: Bounds = { signal: AbortSignal.any([interrupt, deadline]), silenceMs };
  const folder = makeTemporaryFolder("publish");
  try {
    const branch = new Branch(request.remote, request.branch, gitOfUser(environment, bounds, request.remote));
    await branch.checkName();
    const open = (name: string, format: ObjectFormat): Promise<ScratchRepository> =>
      openScratchRepository(join(folder, name), format, environment, bounds);
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const usual = await open(String(attempt), "sha1");
      const { head, format } = await branch.readHead(usual.repository);
      const scratch = format === usual.format ? usual : await open(`${attempt}-${format}`, format);
      const plan: PublishPlan = {
        out: request.out,
        to: branch,
        head,
        scratch,
        mayReplace: request.history || request.replace,
        isRetry: attempt > 1,
        signal: bounds.signal,
        maxBytes,
      };
      const publication = await tryOnce(request, plan);
      if (publication !== undefined) return publication;
      log(`The site or the branch ${request.branch} changed meanwhile; looking again.`);
    }
    throw new InputError(
      `The site or the branch ${request.branch} changed at each of ${maxAttempts} attempts; publish again later.`,
    );
  } catch (error) {
    if (!deadline.aborted || error !== deadline.reason) throw error;
    const remote = quote(request.remote.address);
    throw new InputError(`Publishing to ${remote} took more than ${totalMs / 1000} seconds and was ended.`, {
      cause: error,
    });
  } finally {
    // Synchronous: an interrupted process has little time.
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Returns undefined if the branch or the site has changed meanwhile. */
async function tryOnce(request: PublishRequest, plan: PublishPlan): Promise<Publication | undefined> {
  const { to, scratch } = plan;
  const preparing = prepare(plan);
  const committing = makeCommit(request, plan, preparing);
  // Both have ended before an error of either is thrown.
  await Promise.allSettled([preparing, committing]);
  const [prepared, commit] = [await preparing, await committing];
  if (prepared.kind === "same") return { published: false, commit: prepared.commit, changed: 0, removed: 0 };
  if (prepared.kind === "changed" || commit === undefined) return undefined;
  const { before, tree, changed, removed } = prepared;
  if (!(await isSameObject(scratch, `${commit}^{tree}`, tree)))
    throw new InputError("gh-pages committed something else than the site, so nothing was published.");
  const reason = await to.push(scratch.repository, commit, before);
  if (reason !== undefined) {
    // Reads the branch again: the answer of a push may be lost, and remotes word a rejection differently.
    const { head: now } = await to.readHead(scratch.repository);
    if (now !== commit && now !== before) return undefined;
    if (now !== commit) throw new InputError(`${to.failure("refused the site")}: ${reason}.`);
  }
  return { published: true, commit, changed, removed };
}

/**
 * gh-pages takes its environment and its cache folder from its process, and what it starts cannot be stopped. So it
 * gets a process of its own. Only its callback reports failures. It would check out the whole branch, and copy and read
 * the whole site. So it starts with an empty branch and one file, and gets the index to commit.
 */
const ghPagesProcess = `
  const { copyFileSync } = require("node:fs");
  const { join } = require("node:path");
  const { text } = require("node:stream/consumers");
  const { module, folder, options } = JSON.parse(process.argv[1]);
  const beforeAdd = async (git) => {
    const handed = await text(process.stdin);
    if (handed === "") process.exit();
    const { index, parent } = JSON.parse(handed);
    copyFileSync(index, join(git.cwd, ".git", "index"));
    if (parent) await git.exec("update-ref", "HEAD", parent);
  };
  require(module).publish(folder, { ...options, beforeAdd }, (error) => {
    if (!error) return;
    console.error(error.message);
    process.exitCode = 1;
  });
`;

/**
 * Lets gh-pages commit an index. Returns the id of the commit, or undefined if there is nothing to commit. It starts
 * slowly, so it starts while the index is being made.
 */
async function makeCommit(
  { history, message, user }: PublishRequest,
  { scratch, signal }: PublishPlan,
  preparing: Promise<Prepared>,
): Promise<string | undefined> {
  const { folder, blank, branch, environment } = scratch;
  const fixed = { src: noJekyll, dotfiles: true, add: true, history: false, push: false };
  const options: PublishOptions = { ...fixed, repo: blank, branch, message, user };
  const module = createRequire(import.meta.url).resolve("#gh-pages");
  const stage = join(folder, "stage");
  mkdirSync(stage);
  writeFileSync(join(stage, noJekyll), "");
  async function* handed(): AsyncGenerator<string> {
    const prepared = await preparing;
    if (prepared.kind !== "new") return;
    yield JSON.stringify({ index: prepared.index, parent: history ? prepared.before : undefined });
  }
  const ended = await runChildProcess({
    program: execPath,
    homepage: "https://nodejs.org",
    parameters: ["--eval", ghPagesProcess, "--", JSON.stringify({ module, folder: stage, options })],
    environment,
    input: handed(),
    signal,
  });
  if ((await preparing).kind !== "new") return undefined;
  outputOf(ended, "git cannot make the commit");
  return lastCommit(scratch);
}
