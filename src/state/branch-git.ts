import type { Environment } from "../child.ts";
import { InputError } from "../errors.ts";
import { type Git, lineOf, outputOf, reasonOf } from "../git.ts";
import { type Remote, tokenFor } from "../git-remote.ts";
import { quote } from "../quote.ts";
import { decode, requireSize } from "./text.ts";

/** A branch of a remote, and the temporary repository it is worked on from. */
export interface Branch {
  readonly name: string;
  readonly remote: Remote;
  readonly repository: string;
  /** Talks to the remote, with the token. */
  readonly distant: Git;
  /** Works in the temporary repository alone, without the token. */
  readonly local: Git;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

/** The commit that a branch is at, and the text of its state. */
export interface Tip {
  readonly commit: string;
  readonly text: string;
}

/** A push: what it pushed, and what was said where it failed. */
export interface Push {
  readonly commit: string;
  readonly refusal: string | undefined;
}

const file = "state.json";
const message = "State of mirrorfeed\n\n[skip ci]\n";
const local = "refs/heads/tip";

/** How the branch is named in messages. */
export function titleOf({ name, remote }: Branch): string {
  return `The branch ${quote(name)} of ${quote(remote.address)}`;
}

/** What to do where the remote refuses. */
export function remedyFor({ remote, environment }: Branch, right: string): string {
  if (remote.origin === undefined) return `check the address, the network and your right to ${right} there`;
  return tokenFor(remote, environment) === undefined
    ? "check the address and the network, and give a token in the environment variable MIRRORFEED_TOKEN"
    : `check the address and the network, and that the token is valid and may ${right}`;
}

/**
 * Where the branch is, undefined where the remote has none; `known` is what it was before. Throws InputError where the
 * remote cannot be reached, and where the branch holds anything but a state.
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
  await ask(branch, ["fetch", "--depth=1", "--no-tags", remote.address, `+${head}:${local}`]);
  const commit = lineOf(await work(branch, ["rev-parse", local]));
  return { commit, text: await readText(branch, commit) };
}

async function readText(branch: Branch, commit: string): Promise<string> {
  const tree = await work(branch, ["ls-tree", "-l", "-z", commit]);
  const [, blob, size] = /^100\d{3} blob ([\da-f]+) +(\d+)\tstate\.json\0$/.exec(tree.toString()) ?? [];
  if (blob === undefined) {
    throw new InputError(
      `${titleOf(branch)} does not hold the one file ${file}, and was left as it is; name a branch of its own with --state.`,
    );
  }
  const place = `${file} on the branch ${quote(branch.name)}`;
  requireSize(Number(size), place);
  const content = await work(branch, ["cat-file", "blob", blob]);
  return decode(content, place);
}

/**
 * Makes a text the one file of the one commit of the branch, if that is still at `tip`, or still missing: the remote
 * compares and swaps. Throws InputError where git fails before it asks the remote.
 */
export async function pushText(branch: Branch, text: string, tip: Tip | undefined): Promise<Push> {
  const write = async (parameters: readonly string[], input: string): Promise<string> =>
    lineOf(await work(branch, parameters, input));
  const blob = await write(["hash-object", "-w", "--stdin"], text);
  const tree = await write(["mktree"], `100644 blob ${blob}\t${file}\n`);
  const commit = await write(["commit-tree", tree], message);
  const head = `refs/heads/${branch.name}`;
  const lease = `--force-with-lease=${head}:${tip?.commit ?? ""}`;
  const { distant, remote, repository } = branch;
  const push = await distant(["push", lease, remote.address, `${commit}:${head}`], { repository });
  return { commit, refusal: push.code === 0 ? undefined : reasonOf(push) };
}

/** Asks the remote. Throws InputError where that fails. */
async function ask(branch: Branch, parameters: readonly string[]): Promise<Buffer> {
  const { distant, repository } = branch;
  const ended = await distant(parameters, { repository });
  return outputOf(ended, `${titleOf(branch)} cannot be read`, remedyFor(branch, "read"));
}

/** Works in the temporary repository. Throws InputError where that fails. */
async function work(branch: Branch, parameters: readonly string[], input?: string): Promise<Buffer> {
  const { local, repository } = branch;
  const ended = await local(parameters, { repository, input });
  return outputOf(ended, `git ${parameters[0] ?? ""} failed`, "check the folder for temporary files");
}
