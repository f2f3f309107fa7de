import { join } from "node:path";
import { InputError } from "../base/errors.ts";
import type { Input } from "../base/git/child-process.ts";
import { type Remote, tokenFor } from "../base/git/remote.ts";
import { type Git, lineOf, outputOf, reasonOf, withPackLimit } from "../base/git/run-git.ts";
import { dayMs } from "../base/text/time.ts";
import { isoTimestamp } from "../base/text/timestamp.ts";
import { group } from "../base/text/group.ts";
import { quote } from "../base/text/quote.ts";
import { maxBytes as maxStateBytes, mebibyte, requireSize, type StoreOptions } from "./store.ts";

/** A remote branch, and a temporary repository to work in. */
export interface Branch {
  readonly name: string;
  readonly title: string;
  readonly remote: Remote;
  readonly repository: string;
  /** Talks to the remote, using the token. */
  readonly distant: Git;
  /** Works in the temporary repository only, without the token. */
  readonly local: Git;
  readonly options: StoreOptions;
}

/** The last state of an earlier day, which is on the branch as a commit without parents. */
interface Day {
  /** In seconds since 1970. */
  readonly at: number;
  /** The object id of the commit's tree. */
  readonly tree: string;
}

/** The branch's newest commit: the state, whose parents are the earlier days. */
export interface Tip extends Readonly<ReturnType<typeof parseCommit>> {
  readonly commit: string;
  /** The commit in Git's format. */
  readonly raw: string;
  readonly content: Buffer;
}

const file = "state.json";
const fetched = "refs/heads/tip";
/** How many days have their last state on the branch, with today. */
const daysKept = 10;
const dayMessage = "mirrorfeed state, the last of its day\n\n[skip ci]\n";

/**
 * Returns undefined if the remote has no such branch, and `known` if that is still its tip. Throws InputError if the
 * remote cannot be reached, or if the branch holds anything but a state.
 */
export async function readTip(branch: Branch, known?: Tip): Promise<Tip | undefined> {
  const { name, title, remote, repository, options } = branch;
  const head = `refs/heads/${name}`;
  const listed = lineOf(await ask(branch, ["ls-remote", remote.address, head])).split("\n");
  const line = listed.find((text) => text.endsWith(`\t${head}`));
  if (line === undefined) return undefined;
  if (known !== undefined && line === `${known.commit}\t${head}`) return known;
  const { maxBytes = maxStateBytes + mebibyte } = options;
  const ownBranch = "so it was left unchanged; give the state its own branch with --state";
  const excess = new InputError(`${title} holds more than ${maxBytes / mebibyte} MiB, ${ownBranch}.`);
  const refs = `+${head}:${fetched}`;
  await withPackLimit(repository, maxBytes, excess, (signal) =>
    ask(branch, ["fetch", "--depth=1", "--no-tags", remote.address, refs], signal),
  );
  const tree = await work(branch, ["ls-tree", "-l", "-z", fetched]);
  const [, size] = /^100\d{3} blob [\da-f]+ +(\d+)\tstate\.json\0$/.exec(tree.toString()) ?? [];
  if (size === undefined)
    throw new InputError(`${title} does not contain exactly one file, ${file}, ${ownBranch}.`);
  requireSize(Number(size), `${file} on the branch ${quote(name)}`);
  const raw = (await work(branch, ["cat-file", "commit", fetched])).toString("latin1");
  const commit = lineOf(await work(branch, ["rev-parse", fetched]));
  const content = await work(branch, ["cat-file", "blob", `${fetched}:${file}`]);
  return { ...parseCommit(raw), commit, raw, content };
}

/** `raw` is the text of any commit, in Git's format. */
function parseCommit(raw: string) {
  const end = raw.indexOf("\n\n");
  const [head, message] = [raw.slice(0, end), raw.slice(end + 2)];
  const [, tree = ""] = /^tree ([\da-f]+)$/m.exec(head) ?? [];
  const [, at = "0"] = /^committer .* (\d{1,10}) [+-]\d{4}$/m.exec(head) ?? [];
  return {
    tree,
    /** In seconds since 1970. */
    at: Number(at),
    days: [...message.matchAll(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)Z ([\da-f]{40,64})$/gm)]
      .slice(0, daysKept)
      .map(([, time, own = ""]) => ({ at: Date.parse(`${time}Z`) / 1000, tree: own })),
    parents: [...head.matchAll(/^parent ([\da-f]+)$/gm)].map(([, parent = ""]) => parent),
    /** The commit is one of an earlier day, so somebody restored it. */
    isRestored: message === dayMessage,
  };
}

/** Replaces the branch's newest commit if it is still `tip`. Returns the new one, and the remote's refusal, if any. */
export async function pushContent(branch: Branch, content: Buffer, tip: Tip | undefined) {
  const { name, distant, remote, options } = branch;
  // The repository that fetched the tip cuts its history off.
  const repository = join(branch.repository, "push");
  const apart = { ...branch, repository };
  await work(apart, ["init", "--bare", "--quiet", "--template=", repository]);
  const at = Math.floor(options.now() / 1000);
  const days = tip === undefined ? [] : daysAfter(tip, await knownDays(apart, tip), at);
  if (tip !== undefined && days.some(({ tree }) => tree === tip.tree)) await writeState(apart, tip.content);
  const parents = await writeDays(apart, days);
  const tree = await writeState(apart, content);
  const commit = await writeCommit(apart, { at, tree }, tipMessage(days), parents);
  const head = `refs/heads/${name}`;
  const lease = `--force-with-lease=${head}:${tip?.commit ?? ""}`;
  const push = await distant(["push", lease, remote.address, `${commit}:${head}`], { repository });
  return push.code === 0 ? { commit } : { commit, refusal: reasonOf(push) };
}

/** Writes the tip and its days, so that Git sees that the remote has them. A tip of another program has no days. */
async function knownDays(branch: Branch, { days, parents, raw }: Tip): Promise<readonly Day[]> {
  const commits = await writeDays(branch, days);
  if (commits.join() !== parents.join()) return [];
  await writeObject(branch, "commit", Buffer.from(raw, "latin1"));
  return days;
}

function writeDays(branch: Branch, days: readonly Day[]): Promise<string[]> {
  return Promise.all(days.map((day) => writeCommit(branch, day, dayMessage)));
}

/** Returns the days to keep, newest first, when a state of the time `at` (in seconds) replaces the tip. */
function daysAfter({ tree, at: tipAt }: Tip, days: readonly Day[], at: number): Day[] {
  const dayOf = (seconds: number): number => Math.floor((seconds * 1000) / dayMs);
  const byDay = group([{ at: tipAt, tree }, ...days].map((day) => [dayOf(day.at), day] as const));
  byDay.delete(dayOf(at));
  return [...byDay.values()].map(([newest]) => newest).slice(0, daysKept - 1);
}

/** Names the days, so that the next save can tell their commits without fetching the states. */
function tipMessage(days: readonly Day[]): string {
  const lines = days.map(({ at, tree }) => `${isoTimestamp(at * 1000).slice(0, 19)}Z ${tree}\n`);
  return `mirrorfeed state\n\n[skip ci]\n${lines.length > 0 ? `\nEarlier days:\n${lines.join("")}` : ""}`;
}

/** Writes a tree whose only file is a state. */
async function writeState(branch: Branch, content: Buffer): Promise<string> {
  const blob = await writeObject(branch, "blob", content);
  return lineOf(await work(branch, ["mktree"], [`100644 blob ${blob}\t${file}\n`]));
}

/** Since all of a commit is known, its id is always the same. */
function writeCommit(branch: Branch, { at, tree }: Day, message: string, parents: readonly string[] = []) {
  // Git hosts link a commit to the account with its email address, so this one belongs to nobody (RFC 2606).
  const person = `mirrorfeed <mirrorfeed@mirrorfeed.invalid> ${at} +0000`;
  const parentLines = parents.map((parent) => `parent ${parent}\n`).join("");
  const text = `tree ${tree}\n${parentLines}author ${person}\ncommitter ${person}\n\n${message}`;
  return writeObject(branch, "commit", text);
}

async function writeObject(branch: Branch, type: string, content: string | Buffer): Promise<string> {
  return lineOf(await work(branch, ["hash-object", "-t", type, "-w", "--stdin"], [content]));
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
