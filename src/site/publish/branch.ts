import { InputError } from "../../errors.ts";
import { type Git, lineOf, outputOf, reasonOf } from "../../git.ts";
import type { Remote } from "../../git-remote.ts";
import { quote } from "../../quote.ts";
import type { ObjectFormat } from "./workshop.ts";

/** A branch of a remote, as it was when it was last looked at; `head` is undefined where there is none. */
export interface Head {
  readonly head: string | undefined;
  readonly format: ObjectFormat;
}

/** A branch of a remote, and the git that may reach it. */
export class Branch {
  readonly remote: Remote;
  readonly name: string;
  readonly #git: Git;

  constructor(remote: Remote, name: string, git: Git) {
    this.remote = remote;
    this.name = name;
    this.#git = git;
  }

  /** Throws InputError where git would not take the name for one of a branch. */
  async check(): Promise<void> {
    const { code } = await this.#git(["check-ref-format", this.#ref]);
    if (code === 0 && !this.name.startsWith("-")) return;
    throw new InputError(`${quote(this.name)} is no name of a branch; give another with --branch.`);
  }

  /** Asks the remote, from a local repository. Throws InputError with its reason where it does not answer. */
  async look(repository: string): Promise<Head> {
    const listed = await this.#git(["ls-remote", "--", this.remote.address, "HEAD", this.#ref], {
      repository,
    });
    const lines = lineOf(outputOf(listed, this.failure("cannot be read"))).split("\n");
    const refs = lines.map((line) => line.split("\t"));
    const head = refs.find(([, name]) => name === this.#ref)?.[0];
    // A remote without a single commit does not say; then it is what nearly all are.
    return { head, format: refs[0]?.[0]?.length === 64 ? "sha256" : "sha1" };
  }

  /** Brings the newest commit of the branch to a ref of a local repository, or says that it could not. */
  async fetch(repository: string, ref: string): Promise<string | undefined> {
    const options = ["--progress", "--no-tags", "--depth=1", "--no-write-fetch-head"];
    const fetched = await this.#git(
      ["fetch", ...options, "--", this.remote.address, `+${this.#ref}:${ref}`],
      { repository },
    );
    return fetched.code === 0 ? undefined : reasonOf(fetched);
  }

  /**
   * Replaces the branch's commit `before` (undefined: no branch) by another one, or gives the reason why it could
   * not; the remote compares and swaps in one step.
   */
  async push(repository: string, commit: string, before: string | undefined): Promise<string | undefined> {
    const options = ["--porcelain", "--progress", `--force-with-lease=${this.#ref}:${before ?? ""}`];
    const pushed = await this.#git(
      ["push", ...options, "--", this.remote.address, `${commit}:${this.#ref}`],
      { repository },
    );
    return pushed.code === 0 ? undefined : reasonOf(pushed);
  }

  /** The beginning of a sentence: what failed, and what to look at, since remotes tell strangers little. */
  failure(what: string): string {
    const look = this.remote.origin === undefined ? "the right to push" : "the token in MIRRORFEED_TOKEN";
    return `${quote(this.remote.address)} ${what}, check the address and ${look}`;
  }

  get #ref(): string {
    return `refs/heads/${this.name}`;
  }
}
