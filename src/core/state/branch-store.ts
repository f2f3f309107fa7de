import { hash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../base/errors.ts";
import { pause } from "../base/files/lock.ts";
import { makeTemporaryFolder } from "../base/files/folders.ts";
import type { Input } from "../base/git/child-process.ts";
import {
  type Git,
  gitWithoutUser,
  lineOf,
  originOf,
  outputOf,
  reasonOf,
  withPackLimit,
} from "../base/git/run-git.ts";
import { parseRemote, type Remote, tokenFor } from "../base/git/remote.ts";
import { quote } from "../base/text/quote.ts";
import {
  dayCommit,
  dayMessage,
  daysAfter,
  parseCommit,
  stamp,
  type TipCommit,
  tipMessage,
} from "./branch-days.ts";
import { fileStore } from "./file-store.ts";
import {
  decode,
  maxBytes as maxStateBytes,
  mebibyte,
  requireSize,
  type StateStore,
  type StoreOptions,
  type Update,
} from "./store.ts";

/** Opens the store at a location: `FILE` or `branch:NAME`. Throws InputError if the branch name is invalid. */
export function openStore(location: string, options: StoreOptions): StateStore {
  if (!location.startsWith(branchPrefix)) return fileStore(location, options);
  const name = location.slice(branchPrefix.length);
  if (isBranchName(name)) return branchStore(name, options);
  throw new InputError(
    `${quote(name)} is not a valid name for the state branch; use --state branch:mirrorfeed-state.`,
  );
}

const branchPrefix = "branch:";

/** Stricter than git-check-ref-format(1): safe in every shell, URL and file system. */
function isBranchName(name: string): boolean {
  return (
    name.length <= 200 &&
    /^[A-Za-z0-9_](?:[\w./-]*[\w-])?$/.test(name) &&
    !/\.\.|\/[./]|\.lock(?:\/|$)|\.\/|\/-/.test(name) &&
    name !== "HEAD"
  );
}

/** A remote branch, and a temporary repository to work in. */
interface Branch {
  readonly head: string;
  readonly title: string;
  readonly remote: Remote;
  readonly repository: string;
  /** Talks to the remote, using the token. */
  readonly distant: Git;
  /** Works in the temporary repository only, without the token. */
  readonly local: Git;
  readonly options: StoreOptions;
}

interface Tip extends TipCommit {
  readonly commit: string;
  /** The commit in Git's format. */
  readonly raw: Buffer;
  readonly text: string;
}

/**
 * Stores the state on a remote branch, as a commit with a single file, `state.json`. Its parents are the last states of
 * earlier days. Each save replaces the commit by compare-and-swap, so parallel runs lose nothing.
 */
function branchStore(name: string, options: StoreOptions): StateStore {
  // The tip that was read last. If the branch still ends there, as it usually does, a save need not fetch it again.
  let known: Tip | undefined;
  const read = async (branch: Branch): Promise<Tip | undefined> => (known = await readTip(branch, known));
  return {
    load: () => withBranch(name, options, async (branch) => (await read(branch))?.text),
    save: (update) => withBranch(name, options, (branch) => save(branch, read, update)),
    earlier: () => known && earlierOf(known, name),
    isRestored: () => known?.isRestored === true,
  };
}

/** Says how to bring back the last state of an earlier day. */
function earlierOf({ parents: [commit] }: TipCommit, name: string): string | undefined {
  return commit && `restore the commit ${commit.slice(0, 12)} of the branch ${quote(name)}`;
}

async function withBranch<Result>(
  name: string,
  options: StoreOptions,
  action: (branch: Branch) => Promise<Result>,
): Promise<Result> {
  const { environment, interrupt: signal, timeoutMs = 120_000 } = options;
  const bounds = { signal, timeoutMs };
  const local = gitWithoutUser(environment, bounds);
  const remote =
    options.remote === undefined
      ? await originOf(local, options.folder, "--state-remote")
      : parseRemote(options.remote);
  const distant = gitWithoutUser(environment, bounds, remote);
  const title = `The branch ${quote(name)} of ${quote(remote.address)}`;
  const repository = makeTemporaryFolder("state");
  try {
    const made = await local(["init", "--bare", "--quiet", "--template="], { repository });
    outputOf(made, `Cannot create a Git repository in ${repository}`);
    return await action({ head: `refs/heads/${name}`, title, remote, repository, distant, local, options });
  } finally {
    // Retried, because a child process of Git may still be writing.
    await rm(repository, { recursive: true, force: true, maxRetries: 5 });
  }
}

const maxTries = 10;
/**
 * A save fails if the remote refuses it this many times in a row although the branch has not changed. One or two
 * refusals may only mean that the server is locking the branch.
 */
const maxRefusals = 3;
const maxPauseMs = 3000;

async function save(
  branch: Branch,
  read: (branch: Branch) => Promise<Tip | undefined>,
  update: Update,
): Promise<void> {
  const { title, options } = branch;
  let tip = await read(branch);
  let refusals = 0;
  for (let tries = 1; tries <= maxTries; tries += 1) {
    const text = update(tip?.text);
    if (text === tip?.text) return;
    requireSize(Buffer.byteLength(text), "The state");
    const { commit, refusal } = await pushText(branch, text, tip);
    if (refusal === undefined) return;
    await pause(options.random() * Math.min(100 * 2 ** tries, maxPauseMs), options.interrupt);
    const now = await read(branch);
    // The push succeeded, but its response was lost.
    if (now?.commit === commit) return;
    refusals = now?.commit === tip?.commit ? refusals + 1 : 0;
    if (refusals === maxRefusals) {
      const remedy = remedyFor(branch, "force-push to this branch");
      throw new InputError(`${title} cannot be replaced: ${refusal}; ${remedy}.`);
    }
    tip = now;
  }
  throw new InputError(
    `${title} was changed by other runs ${maxTries} times in a row; run again when fewer runs are active.`,
  );
}

const file = "state.json";
const fetched = "refs/heads/tip";
const draft = "refs/heads/draft";
const day = "refs/heads/day";

/**
 * Returns the tip of the branch, or undefined if the remote has no such branch. Fetches nothing if the tip is still
 * `known`. Throws InputError if the remote is unreachable, or if the branch holds anything but a state. Aborts the
 * fetch if the branch is larger than any state can be.
 */
async function readTip(branch: Branch, known?: Tip): Promise<Tip | undefined> {
  const { head, title, remote, repository, options } = branch;
  const listed = await ask(branch, ["ls-remote", remote.address, head]);
  const line = lineOf(listed)
    .split("\n")
    .find((text) => text.endsWith(`\t${head}`));
  if (line === undefined) return undefined;
  if (known !== undefined && line === `${known.commit}\t${head}`) return known;
  const { maxBytes = maxStateBytes + mebibyte } = options;
  const excess = new InputError(
    `${title} holds more than ${maxBytes / mebibyte} MiB, so it was left unchanged; give the state its own branch with --state.`,
  );
  const refs = `+${head}:${fetched}`;
  await withPackLimit(repository, maxBytes, excess, (signal) =>
    ask(branch, ["fetch", "--depth=1", "--no-tags", remote.address, refs], signal),
  );
  return readFetched(branch);
}

async function readFetched(branch: Branch): Promise<Tip> {
  const tree = await work(branch, ["ls-tree", "-l", "-z", fetched]);
  const [, size] = /^100\d{3} blob [\da-f]+ +(\d+)\tstate\.json\0$/.exec(tree.toString()) ?? [];
  if (size === undefined) {
    throw new InputError(
      `${branch.title} does not contain exactly one file, ${file}, so it was left unchanged; give the state its own branch with --state.`,
    );
  }
  const name = branch.head.slice("refs/heads/".length);
  const source = `${file} on the branch ${quote(name)}`;
  requireSize(Number(size), source);
  const printed = await work(branch, ["cat-file", "--batch"], `${fetched}\n${fetched}:${file}\n`);
  const begin = printed.indexOf("\n") + 1;
  const [commit = "", , length] = printed.toString("latin1", 0, begin).trimEnd().split(" ");
  const raw = printed.subarray(begin, begin + Number(length));
  const parsed = parseCommit(raw.toString());
  const end = printed.length - "\n".length;
  const bytes = printed.subarray(end - Number(size), end);
  return { ...parsed, commit, raw, text: decode(bytes, source, earlierOf(parsed, name)) };
}

/**
 * Replaces the branch's newest commit with one that contains `text`. The remote accepts it only if the branch still
 * ends at `tip`; if there is no `tip`, the branch must still not exist. Returns the commit and, if the remote refused
 * it, the reason.
 */
async function pushText(
  branch: Branch,
  text: string,
  tip: Tip | undefined,
): Promise<{ readonly commit: string; readonly refusal?: string }> {
  const { head, distant, remote, options } = branch;
  // The repository that fetched the tip cuts its history off.
  const repository = join(branch.repository, "push");
  const apart = { ...branch, repository };
  await work(apart, ["init", "--bare", "--quiet", "--template=", repository]);
  const at = Math.floor(options.now() / 1000);
  const known = tip && (await writeDays(apart, tip));
  const days = known === undefined ? [] : daysAfter(known, at);
  const isNewDay = tip !== undefined && days.some(({ tree }) => tree === tip.tree);
  const parents = days.map((day) => objectId(dayCommit(day)));
  const commands = [
    ...(isNewDay ? [...commitOf(day, tip.at, dayMessage, [], tip.text), "checkpoint\n"] : []),
    ...commitOf(draft, at, tipMessage(days), parents, text),
    "get-mark :1\ndone\n",
  ];
  const parameters = ["fast-import", "--quiet", "--force", "--done", "--date-format=raw"];
  const commit = lineOf(await work(apart, parameters, commands));
  const lease = `--force-with-lease=${head}:${tip?.commit ?? ""}`;
  const push = await distant(["push", lease, remote.address, `${commit}:${head}`], { repository });
  return push.code === 0 ? { commit } : { commit, refusal: reasonOf(push) };
}

/**
 * Writes the tip and the days' commits, without their states, so that Git sees that the remote has them. Returns the
 * tip, without its days if another program made it.
 */
async function writeDays(branch: Branch, tip: Tip): Promise<TipCommit> {
  const commits = tip.days.map(dayCommit);
  if (commits.map(objectId).join() !== tip.parents.join()) return { ...tip, days: [] };
  for (const commit of [...commits, tip.raw])
    await work(branch, ["hash-object", "-t", "commit", "-w", "--stdin"], [commit]);
  return tip;
}

function objectId(commit: string): string {
  return hash("sha1", `commit ${Buffer.byteLength(commit)}\0${commit}`);
}

/** Returns commands for fast-import that make a commit with only `text`. */
function commitOf(
  ref: string,
  at: number,
  message: string,
  parents: readonly string[],
  text: string,
): readonly string[] {
  return [
    `commit ${ref}\nmark :1\ncommitter ${stamp(at)}\ndata ${Buffer.byteLength(message)}\n${message}`,
    ...parents.map((parent) => `merge ${parent}\n`),
    `M 100644 inline ${file}\ndata ${Buffer.byteLength(text)}\n`,
    text,
    "\n",
  ];
}

/** Runs Git against the remote. Throws InputError if Git fails. */
async function ask(branch: Branch, parameters: readonly string[], signal?: AbortSignal): Promise<Buffer> {
  const { title, distant, repository } = branch;
  const ended = await distant(parameters, { repository, signal });
  return outputOf(ended, `${title} cannot be read`, remedyFor(branch, "read"));
}

function remedyFor({ remote, options }: Branch, right: string): string {
  if (remote.origin === undefined)
    return `check the address, the network and your permission to ${right} there`;
  return tokenFor(remote, options.environment) === undefined
    ? "check the address and the network, and set the environment variable MIRRORFEED_TOKEN to a token"
    : `check the address and the network, and that the token is valid and can ${right}`;
}

/** Runs Git in the temporary repository. Throws InputError if Git fails. */
async function work(branch: Branch, parameters: readonly string[], input?: Input): Promise<Buffer> {
  const { local, repository } = branch;
  const ended = await local(parameters, { repository, input });
  return outputOf(ended, `git ${parameters[0] ?? ""} failed`, "check the temporary folder");
}
