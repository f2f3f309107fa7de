import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execPath } from "node:process";
import type { PublishOptions } from "gh-pages";
import { type Environment, runChild } from "../../child.ts";
import { InputError } from "../../errors.ts";
import { type Bounds, gitOfUser, outputOf } from "../../git.ts";
import type { Remote } from "../../git-remote.ts";
import { quote } from "../../quote.ts";
import { Branch } from "./branch.ts";
import { type Plan, prepare, type Prepared } from "./prepare.ts";
import { requireSite } from "./publishable.ts";
import { noJekyll } from "./snapshot.ts";
import { committed, idOf, openWorkshop } from "./workshop.ts";

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
    const branch = new Branch(order.remote, order.branch, gitOfUser(environment, bounds, order.remote));
    await branch.check();
    const lookout = await openWorkshop(join(folder, "lookout"), "sha1", environment, bounds);
    for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
      const { head, format } = await branch.look(lookout.repository);
      const workshop = await openWorkshop(join(folder, String(attempt)), format, environment, bounds);
      const plan: Plan = {
        out: order.out,
        to: branch,
        head,
        workshop,
        isRetry: attempt > 1,
        signal: bounds.signal,
      };
      const publication = await tryOnce(order, plan);
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

/** Undefined where the branch or the site is another one by the end. */
async function tryOnce(order: Order, plan: Plan): Promise<Publication | undefined> {
  const { to, workshop } = plan;
  const preparing = prepare(plan);
  const committing = makeCommit(order, plan, preparing);
  // Neither is left to itself when the other one fails.
  await Promise.allSettled([preparing, committing]);
  const [prepared, commit] = [await preparing, await committing];
  if (prepared.kind === "same") return { published: false, commit: prepared.commit, changed: 0, removed: 0 };
  if (prepared.kind === "changed" || commit === undefined) return undefined;
  const { before, tree, changed, removed } = prepared;
  if ((await idOf(workshop, `${commit}^{tree}`)) !== tree)
    throw new InputError("gh-pages committed something else than the site, so nothing was published.");
  const reason = await to.push(workshop.repository, commit, before);
  if (reason !== undefined) {
    // Asked, since an answer may be lost on its way, and since whoever was faster is told of in no two same words.
    const { head: now } = await to.look(workshop.repository);
    if (now !== commit && now !== before) return undefined;
    if (now !== commit) throw new InputError(`${to.failure("refused the site")}: ${reason}.`);
  }
  return { published: true, commit, changed, removed };
}

/**
 * gh-pages takes its environment and its cache folder from the process it is in, and what it starts cannot be stopped:
 * so it gets a process of its own. Only its callback hears of failures. It would lay out the whole branch, copy and
 * read the whole site: so it starts with an empty branch and one file, and is handed the index of what it is to commit.
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
 * Lets gh-pages commit an index, and gives the id of the commit; undefined where there is nothing to commit. It takes
 * its time to be ready, so it starts while the index is being made.
 */
async function makeCommit(
  { history, message, user }: Order,
  { workshop, signal }: Plan,
  preparing: Promise<Prepared>,
): Promise<string | undefined> {
  const { folder, blank, branch, environment } = workshop;
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
  const ended = await runChild({
    program: execPath,
    homepage: "https://nodejs.org",
    parameters: ["--eval", ghPagesProcess, "--", JSON.stringify({ module, folder: stage, options })],
    environment,
    input: handed(),
    signal,
  });
  if ((await preparing).kind !== "new") return undefined;
  outputOf(ended, "git cannot make the commit");
  return committed(workshop);
}
