import type { Environment, Input } from "../base/git/child-process.ts";
import { InputError } from "../base/errors.ts";
import { type Git, lineOf, outputOf, reasonOf, withPackLimit } from "../base/git/git.ts";
import { type Remote, tokenFor } from "../base/git/remote.ts";
import { quote } from "../base/text/quote.ts";
import { decode, maxBytes, requireSize } from "./bounded-text.ts";

/** A branch of a remote, and a temporary repository to work on it. */
export interface Branch {
  readonly name: string;
  readonly remote: Remote;
  readonly repository: string;
  /** Talks to the remote, with the token. */
  readonly distant: Git;
  /** Works in the temporary repository only, without the token. */
  readonly local: Git;
  readonly environment: Environment;
  readonly signal: AbortSignal;
  /** The size limit of one fetch, in bytes. */
  readonly maxBytes: number;
}

const mebibyte = 1024 * 1024;
/** The largest state, and what Git adds to it. */
export const maxFetchBytes = maxBytes + mebibyte;

/** The commit of a branch, and the text of its state. */
export interface Tip {
  readonly commit: string;
  readonly text: string;
}

/** The pushed commit, and the refusal of the remote if it failed. */
export interface Push {
  readonly commit: string;
  readonly refusal: string | undefined;
}

const file = "state.json";
const message = "State of mirrorfeed\n\n[skip ci]\n";
// Hosts link commits to accounts by the address, so it belongs to no person (RFC 2606).
const committer = "mirrorfeed <mirrorfeed@mirrorfeed.invalid>";
const fetched = "refs/heads/tip";
const draft = "refs/heads/draft";

/** Returns the name of the branch for messages. */
export function titleOf({ name, remote }: Branch): string {
  return `The branch ${quote(name)} of ${quote(remote.address)}`;
}

/** Returns what to do if the remote refuses. */
export function remedyFor({ remote, environment }: Branch, right: string): string {
  if (remote.origin === undefined) return `check the address, the network and your right to ${right} there`;
  return tokenFor(remote, environment) === undefined
    ? "check the address and the network, and give a token in the environment variable MIRRORFEED_TOKEN"
    : `check the address and the network, and that the token is valid and may ${right}`;
}

/**
 * Returns the tip of the branch, or undefined if the remote has no such branch. `known` is its last tip. Throws
 * InputError if the remote cannot be reached, or if the branch holds anything but a state. Aborts the fetch of a branch
 * that is larger than any state.
 */
export async function readTip(branch: Branch, known?: Tip): Promise<Tip | undefined> {
  const { name, remote } = branch;
  const head = `refs/heads/${name}`;
  const listed = await ask(branch, ["ls-remote", remote.address, head]);
  const line = lineOf(listed)
    .split("\n")
    .find((text) => text.endsWith(`\t${head}`));
  if (line === undefined) return undefined;
  if (known !== undefined && line === `${known.commit}\t${head}`) return known;
  await fetch(branch, [remote.address, `+${head}:${fetched}`]);
  return readFetched(branch);
}

/** Returns the commit that was fetched. Looks at the size of the text before it reads it. */
async function readFetched(branch: Branch): Promise<Tip> {
  const tree = await work(branch, ["ls-tree", "-l", "-z", fetched]);
  const [, size] = /^100\d{3} blob [\da-f]+ +(\d+)\tstate\.json\0$/.exec(tree.toString()) ?? [];
  if (size === undefined) {
    throw new InputError(
      `${titleOf(branch)} does not hold the one file ${file}, and was left as it is; name a branch of its own with --state.`,
    );
  }
  const source = `${file} on the branch ${quote(branch.name)}`;
  requireSize(Number(size), source);
  const printed = await work(branch, ["cat-file", "--batch"], `${fetched}\n${fetched}:${file}\n`);
  const [commit = ""] = printed.toString("latin1", 0, 64).split(" ", 1);
  const end = printed.length - "\n".length;
  return { commit, text: decode(printed.subarray(end - Number(size), end), source) };
}

/**
 * Makes a text the only file of the only commit of the branch, if its tip is still `tip` or still missing. The remote
 * compares and swaps. Throws InputError if Git fails before it reaches the remote.
 */
export async function pushText(branch: Branch, text: string, tip: Tip | undefined): Promise<Push> {
  const commands = [
    `commit ${draft}\nmark :1\ncommitter ${committer} now\n`,
    `data ${Buffer.byteLength(message)}\n${message}\n`,
    `M 100644 inline ${file}\ndata ${Buffer.byteLength(text)}\n`,
    text,
    "\nget-mark :1\ndone\n",
  ];
  const parameters = ["fast-import", "--quiet", "--force", "--done", "--date-format=now"];
  const commit = lineOf(await work(branch, parameters, commands));
  const head = `refs/heads/${branch.name}`;
  const lease = `--force-with-lease=${head}:${tip?.commit ?? ""}`;
  const { distant, remote, repository } = branch;
  const push = await distant(["push", lease, remote.address, `${commit}:${head}`], { repository });
  return { commit, refusal: push.code === 0 ? undefined : reasonOf(push) };
}

/** Fetches a ref. Throws InputError if that fails or exceeds the size limit. */
async function fetch(branch: Branch, parameters: readonly string[]): Promise<void> {
  const { repository, maxBytes } = branch;
  const excess = new InputError(
    `${titleOf(branch)} holds more than ${maxBytes / mebibyte} MiB, and was left as it is; name a branch of its own with --state.`,
  );
  await withPackLimit(repository, maxBytes, excess, (signal) =>
    ask(branch, ["fetch", "--depth=1", "--no-tags", ...parameters], signal),
  );
}

/** Runs Git against the remote. Throws InputError if that fails. */
async function ask(branch: Branch, parameters: readonly string[], signal?: AbortSignal): Promise<Buffer> {
  const { distant, repository } = branch;
  const ended = await distant(parameters, { repository, signal });
  return outputOf(ended, `${titleOf(branch)} cannot be read`, remedyFor(branch, "read"));
}

/** Runs Git in the temporary repository. Throws InputError if that fails. */
async function work(branch: Branch, parameters: readonly string[], input?: Input): Promise<Buffer> {
  const { local, repository } = branch;
  const ended = await local(parameters, { repository, input });
  return outputOf(ended, `git ${parameters[0] ?? ""} failed`, "check the folder for temporary files");
}
