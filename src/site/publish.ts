import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execPath } from "node:process";
import type { PublishOptions } from "gh-pages";
import { InputError } from "../errors.ts";
import { quote } from "../quote.ts";
import { heartbeatPath, isNewer } from "./age.ts";
import { Branch, type Head } from "./branch.ts";
import { type BranchFile, isEqual } from "./difference.ts";
import { type Bounds, textOf, userGit } from "./git.ts";
import { runProgram } from "./program.ts";
import { requireSite } from "./publishable.ts";
import type { Environment, Remote } from "../git-remote.ts";
import { type Snapshot, takeSnapshot } from "./snapshot.ts";
import { adopt, commitOf, contentOf, filesOf, openWorkshop, type Workshop } from "./workshop.ts";

/** What to publish, where to, and as whom. */
export interface Order {
  readonly out: string;
  readonly remote: Remote;
  readonly branch: string;
  /** Lays the commit on top of the branch's last one, instead of letting it take the place of all of them. */
  readonly history: boolean;
  readonly message: string;
  readonly user: { readonly name: string; readonly email: string };
}

/** What a publication needs of the world, and what it may cost. */
export interface Means {
  readonly environment: Environment;
  readonly interrupt: AbortSignal;
  readonly tell: (text: string) => void;
  readonly totalMs?: number | undefined;
  readonly silenceMs?: number | undefined;
}

/** What came of it: `commit` is the branch's, which is not a new one where it held the site already. */
export interface Publication {
  readonly published: boolean;
  readonly commit: string;
  readonly changed: number;
  readonly removed: number;
}

const mostAttempts = 6;

/** Where the workshop has the commit that the branch was at. */
const base = "refs/base";

/**
 * Makes the content of a branch what stands in the folder `out`: all files but those in mirrorfeed's own folder, with
 * `.nojekyll`, and with the CNAME that the branch has if the site has none. Guaranteed: the branch holds all of the
 * site or is left as it was; no commit is replaced that was not looked at first, since the remote itself compares; who
 * is overtaken by another publisher starts again from the other's commit, a few times, and gives up where that holds
 * a newer site. Throws InputError with one sentence for whatever goes wrong, and the interrupt's reason.
 */
export async function publishSite(order: Order, means: Means): Promise<Publication> {
  requireSite(order.out);
  const { totalMs = 300_000, silenceMs = 60_000, interrupt, environment, tell } = means;
  const deadline = AbortSignal.timeout(totalMs);
  const bounds: Bounds = { signal: AbortSignal.any([interrupt, deadline]), silenceMs };
  const folder = mkdtempSync(join(tmpdir(), "mirrorfeed-publish-"));
  try {
    const branch = new Branch(order.remote, order.branch, userGit(environment, bounds, order.remote));
    await branch.check();
    const lookout = await openWorkshop(join(folder, "lookout"), "sha1", environment, bounds);
    for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
      const { head, format } = await branch.look(lookout.repository);
      const workshop = await openWorkshop(join(folder, String(attempt)), format, environment, bounds);
      const isRetry = attempt > 1;
      const publication = await tryOnce({ ...order, workshop, head, format, isRetry, to: branch, bounds });
      if (publication !== undefined) return publication;
      tell(`The site or the branch ${order.branch} changed meanwhile; looking again.`);
    }
    throw new InputError(
      `The site or the branch ${order.branch} changed at each of ${mostAttempts} attempts; publish again later.`,
    );
  } catch (error) {
    if (!deadline.aborted || error !== deadline.reason) throw error;
    const place = quote(order.remote.address);
    throw new InputError(`Publishing to ${place} took more than ${totalMs / 1000} seconds and was ended.`, {
      cause: error,
    });
  } finally {
    // Not asynchronous: who is interrupted has little time.
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Attempt extends Omit<Order, "branch">, Head {
  readonly to: Branch;
  readonly workshop: Workshop;
  readonly isRetry: boolean;
  readonly bounds: Bounds;
}

/** Undefined where the branch or the site is another one by the end. */
async function tryOnce(attempt: Attempt): Promise<Publication | undefined> {
  const { to, workshop, head, isRetry, format, bounds, out } = attempt;
  const { repository } = workshop;
  if (head !== undefined) {
    const reason = await to.fetch(repository, base);
    if (reason !== undefined) {
      if ((await to.look(repository)).head !== head) return undefined;
      throw new InputError(`${to.failure("cannot be fetched from")}: ${reason}.`);
    }
  }
  const before = head && (await commitOf(workshop, base));
  const branch = before === undefined ? new Map<string, BranchFile>() : await filesOf(workshop, before);
  const read = (id: string): Promise<Buffer> => contentOf(workshop, id);
  const stage = join(workshop.folder, "stage");
  const snapshot = await takeSnapshot({ out, branch, format, stage, read, signal: bounds.signal });
  if (snapshot === undefined) return undefined;
  const { changed, gone } = snapshot;
  const isSame = changed.length + gone.length === 0;
  if (before !== undefined && isSame) return { published: false, commit: before, changed: 0, removed: 0 };
  if (isRetry) await refuseOlder(attempt, branch);
  const commit = await makeCommit(attempt, snapshot, before);
  const reason = await to.push(repository, commit, before);
  if (reason !== undefined) {
    // Asked, since an answer may be lost on its way, and since whoever was faster is told of in no two same words.
    const { head: now } = await to.look(repository);
    if (now !== commit && now !== before) return undefined;
    if (now !== commit) throw new InputError(`${to.failure("refused the site")}: ${reason}.`);
  }
  return { published: true, commit, changed: changed.length, removed: gone.length };
}

async function refuseOlder(
  { out, workshop, to }: Attempt,
  branch: ReadonlyMap<string, BranchFile>,
): Promise<void> {
  const theirs = branch.get(heartbeatPath);
  const ours = join(out, heartbeatPath);
  if (theirs === undefined || !existsSync(ours)) return;
  const text = (await contentOf(workshop, theirs.id)).toString();
  if (!isNewer(text, readFileSync(ours, "utf8"))) return;
  throw new InputError(`Meanwhile a newer site was published to ${to.name}; ${out} is older and was not.`);
}

/** What gh-pages is asked for; its types know of one pattern only. */
type GhPagesOptions = Omit<PublishOptions, "remove" | "beforeAdd"> & { readonly remove: readonly string[] };

/**
 * gh-pages takes its environment and its cache folder from the process it is in, and what it starts cannot be stopped:
 * so it gets a process of its own. Only its callback hears of failures. It would leave out what a .gitignore names.
 */
const ghPagesProcess = `
  const { module, folder, options } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
  const beforeAdd = (git) => git.add(["--all", "--force", "."]);
  require(module).publish(folder, { ...options, beforeAdd }, (error) => {
    if (!error) return;
    console.error(error.message);
    process.exitCode = 1;
  });
`;

/** Makes the commit in the workshop's repository, and makes sure that it holds the site and nothing else. */
async function makeCommit(
  { history, message, user, workshop, bounds }: Attempt,
  { site, stage, gone, isAnew }: Snapshot,
  before: string | undefined,
): Promise<string> {
  const { repository, branch, environment, git } = workshop;
  const failure = "git cannot make the commit";
  if (before !== undefined && !isAnew) await git(failure, "update-ref", `refs/heads/${branch}`, before);
  const fixed = { src: "**/*", dotfiles: true, add: false, history: false, push: false };
  const remove = isAnew ? [] : gone;
  const options: GhPagesOptions = { ...fixed, repo: repository, branch, remove, message, user };
  const module = createRequire(import.meta.url).resolve("gh-pages");
  const ended = await runProgram({
    program: execPath,
    parameters: ["--eval", ghPagesProcess],
    environment,
    input: JSON.stringify({ module, folder: stage, options }),
    signal: bounds.signal,
  });
  textOf(ended, failure);
  const commit = await adopt(workshop);
  if (!isEqual(await filesOf(workshop, commit), site))
    throw new InputError("git made another tree than that of the site, so nothing was published.");
  if (!history || before === undefined) return commit;
  const person = ["-c", `user.name=${user.name}`, "-c", `user.email=${user.email}`];
  const grown = await git(failure, ...person, "commit-tree", `${commit}^{tree}`, "-p", before, "-m", message);
  return grown.toString().trim();
}
