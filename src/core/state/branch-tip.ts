import { hash } from "node:crypto";
import { join } from "node:path";
import { InputError } from "../base/errors.ts";
import type { Input } from "../base/git/child-process.ts";
import { type Remote, tokenFor } from "../base/git/remote.ts";
import { type Git, lineOf, outputOf, reasonOf, withPackLimit } from "../base/git/run-git.ts";
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
import { decode, maxBytes as maxStateBytes, mebibyte, requireSize, type StoreOptions } from "./store.ts";

/** A remote branch, and a temporary repository to work in. */
export interface Branch {
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

export interface Tip extends TipCommit {
  readonly commit: string;
  /** The commit in Git's format. */
  readonly raw: Buffer;
  readonly text: string;
}

/** Says how to bring back the last state of an earlier day. */
export function earlierOf({ parents: [commit] }: TipCommit, name: string): string | undefined {
  return commit && `restore the commit ${commit.slice(0, 12)} of the branch ${quote(name)}`;
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
export async function readTip(branch: Branch, known?: Tip): Promise<Tip | undefined> {
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
export async function pushText(
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

export function remedyFor({ remote, options }: Branch, right: string): string {
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
