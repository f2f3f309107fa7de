import { InputError } from "../base/errors.ts";
import { type Git, lineOf, outputOf, reasonOf, withPackLimit } from "../base/git/git.ts";
import type { Remote } from "../base/git/remote.ts";
import { quote } from "../base/text/quote.ts";
import { type CommittedFiles, filesOf, type ObjectFormat, type Scratch } from "./scratch.ts";
import { isSitePath } from "../base/files/site-file.ts";

/** A branch of a remote when it was last read. `head` is undefined if there is no such branch. */
export interface Head {
  readonly head: string | undefined;
  readonly format: ObjectFormat;
}

/** A branch of a remote, and the Git that may reach it. */
export class Branch {
  readonly remote: Remote;
  readonly name: string;
  readonly #git: Git;

  constructor(remote: Remote, name: string, git: Git) {
    this.remote = remote;
    this.name = name;
    this.#git = git;
  }

  /** Throws InputError if Git does not accept the name of the branch. */
  async checkName(): Promise<void> {
    const { code } = await this.#git(["check-ref-format", this.#ref]);
    if (code === 0 && !this.name.startsWith("-")) return;
    throw new InputError(`${quote(this.name)} is not a name of a branch; give another with --branch.`);
  }

  /** Reads the branch's commit from the remote. Throws InputError with the reason if the remote does not answer. */
  async readHead(folder: string): Promise<Head> {
    const listed = await this.#git(["ls-remote", "--", this.remote.address, "HEAD", this.#ref], { folder });
    const lines = lineOf(outputOf(listed, this.failure("cannot be read"))).split("\n");
    const refs = lines.map((line) => line.split("\t"));
    const head = refs.find(([, name]) => name === this.#ref)?.[0];
    // A remote without commits does not name its format. SHA-1 is the usual one.
    return { head, format: refs[0]?.[0]?.length === 64 ? "sha256" : "sha1" };
  }

  /**
   * Fetches the newest commit of the branch to a ref of a local repository. Throws InputError if that fails or the
   * commit takes more than `maxBytes`.
   */
  async fetch(repository: string, ref: string, maxBytes: number): Promise<void> {
    const options = ["--progress", "--no-tags", "--depth=1", "--no-write-fetch-head"];
    const fetched = await withPackLimit(repository, maxBytes, this.excess(maxBytes), (signal) =>
      this.#git(["fetch", ...options, "--", this.remote.address, `+${this.#ref}:${ref}`], {
        repository,
        signal,
      }),
    );
    outputOf(fetched, this.failure("cannot be fetched from"));
  }

  /**
   * Replaces the branch's commit `before` (undefined: no branch) by another one. Returns the reason if that fails. The
   * remote compares and swaps in one step.
   */
  async push(repository: string, commit: string, before: string | undefined): Promise<string | undefined> {
    const options = ["--porcelain", "--progress", `--force-with-lease=${this.#ref}:${before ?? ""}`];
    const pushed = await this.#git(
      ["push", ...options, "--", this.remote.address, `${commit}:${this.#ref}`],
      { repository },
    );
    return pushed.code === 0 ? undefined : reasonOf(pushed);
  }

  /**
   * Returns the beginning of a sentence: what failed and what to check, since a remote explains little to strangers.
   */
  failure(what: string): string {
    const look = this.remote.origin === undefined ? "the right to push" : "the token in MIRRORFEED_TOKEN";
    return `${quote(this.remote.address)} ${what}, check the address and ${look}`;
  }

  /** Returns the error for a branch that takes more than `maxBytes`. */
  excess(maxBytes: number): InputError {
    return new InputError(
      `${this.label} holds more than ${maxBytes / 1024 / 1024} MiB, so nothing was published; name another branch with --branch.`,
    );
  }

  /** Names the branch at the start of a sentence. */
  get label(): string {
    return `The branch ${quote(this.name)} of ${quote(this.remote.address)}`;
  }

  get #ref(): string {
    return `refs/heads/${this.name}`;
  }
}

/** The newest commit of the branch, in the scratch repository. */
export interface Tip {
  readonly id: string;
  /** Whether it has parents, which are not fetched. */
  readonly hasParents: boolean;
  readonly files: CommittedFiles;
}

const ref = "refs/tip";
const failure = "git cannot read the branch";

/**
 * Fetches the tip of a branch. Throws InputError if that fails, if the tip takes more than `maxBytes`, packed or checked
 * out, or if it holds what could lead out of a checkout.
 */
export async function fetchTip(branch: Branch, scratch: Scratch, maxBytes: number): Promise<Tip> {
  await branch.fetch(scratch.repository, ref, maxBytes);
  const id = lineOf(await scratch.git(failure, ["rev-parse", `${ref}^{commit}`]));
  const [headers = ""] = (await scratch.git(failure, ["cat-file", "commit", id])).toString().split("\n\n", 1);
  const files = await filesOf(scratch, id);
  const size = [...files.values()].reduce((sum, file) => sum + file.size, 0);
  if (size > maxBytes) throw branch.excess(maxBytes);
  for (const [path, file] of files) {
    const problem = isSitePath(path) ? dangers[file.mode] : "a name that no site can have";
    if (problem === undefined) continue;
    throw new InputError(
      `${branch.label} holds ${quote(path)}, ${problem}, so nothing was published; delete the branch, or name another with --branch.`,
    );
  }
  return { id, hasParents: /^parent /m.test(headers), files };
}

/** By Git's modes. */
const dangers: Readonly<Record<string, string | undefined>> = { 120000: "a link", 160000: "a submodule" };
