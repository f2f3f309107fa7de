import { InputError } from "../../core/base/errors.ts";
import { type Git, lineOf, outputOf, reasonOf, withPackLimit } from "../../core/base/git/run-git.ts";
import type { Remote } from "../../core/base/git/remote.ts";
import { quote } from "../../core/base/text/quote.ts";
import { type CommittedFiles, filesOf, type Scratch } from "./scratch.ts";

/** The branch's newest commit, in the scratch repository. */
export interface Tip {
  readonly id: string;
  /** Whether the commit has parents. The parents themselves are not fetched. */
  readonly hasParents: boolean;
  readonly files: CommittedFiles;
}

const tipRef = "refs/tip";

/** A branch of a remote repository. `git` has the remote's credentials. */
export class Branch {
  readonly remote: Remote;
  readonly name: string;
  readonly #git: Git;
  readonly #ref: string;
  /** Text that names the branch and its remote, for the start of a sentence. */
  readonly label: string;

  constructor(remote: Remote, name: string, git: Git) {
    this.remote = remote;
    this.name = name;
    this.#git = git;
    this.#ref = `refs/heads/${name}`;
    this.label = `The branch ${quote(name)} of ${quote(remote.address)}`;
  }

  async checkName(): Promise<void> {
    const { code } = await this.#git(["check-ref-format", this.#ref]);
    if (code === 0 && !/^(?:-|refs\/|HEAD$)/.test(this.name)) return;
    throw new InputError(
      `${quote(this.name)} is not a valid branch name; use a different one with --branch.`,
    );
  }

  /** Returns undefined if the branch does not exist. Throws InputError if the remote cannot be read. */
  async readHead(folder: string): Promise<string | undefined> {
    const parameters = ["ls-remote", "--", this.remote.address, this.#ref];
    // Keeps Git from searching parent folders: in /tmp, anyone can make a repository that runs programs.
    const listed = await this.#git(parameters, { repository: folder });
    const lines = lineOf(outputOf(listed, this.#failure("cannot be read"))).split("\n");
    return lines.map((line) => line.split("\t")).find(([, name]) => name === this.#ref)?.[0];
  }

  /**
   * Fetches the branch's newest commit, which is never checked out. Throws InputError if that fails, or if the commit
   * takes more than `maxBytes`.
   */
  async fetchTip({ repository, git }: Scratch, maxBytes: number): Promise<Tip> {
    const excess = new InputError(
      `${this.label} holds more than ${maxBytes / 1024 / 1024} MiB, so nothing was published; use a different branch with --branch.`,
    );
    const options = ["--progress", "--no-tags", "--depth=1", "--no-write-fetch-head"];
    const parameters = ["fetch", ...options, "--", this.remote.address, `+${this.#ref}:${tipRef}`];
    const fetched = await withPackLimit(repository, maxBytes, excess, (signal) =>
      this.#git(parameters, { repository, signal }),
    );
    outputOf(fetched, this.#failure("cannot be fetched from"));
    const failure = "git cannot read the branch";
    const id = lineOf(await git(failure, ["rev-parse", `${tipRef}^{commit}`]));
    const [headers = ""] = (await git(failure, ["cat-file", "commit", id])).toString().split("\n\n", 1);
    const files = await filesOf(git, id);
    return { id, hasParents: /^parent /m.test(headers), files };
  }

  /**
   * Replaces the branch's commit `before` (undefined if there is no branch) with `commit`, as an atomic
   * compare-and-swap on the remote. Returns false if the branch has changed in the meantime. Throws InputError if the
   * remote refuses.
   */
  async push({ folder, repository }: Scratch, commit: string, before?: string): Promise<boolean> {
    const options = ["--porcelain", "--progress", `--force-with-lease=${this.#ref}:${before ?? ""}`];
    const parameters = ["push", ...options, "--", this.remote.address, `${commit}:${this.#ref}`];
    const pushed = await this.#git(parameters, { repository });
    if (pushed.code === 0) return true;
    // Read the branch again, because the answer to a push can get lost, and each remote words its rejections
    // differently.
    const head = await this.readHead(folder);
    if (head !== before) return head === commit;
    throw new InputError(`${this.#failure("refused the site")}: ${reasonOf(pushed)}.`);
  }

  /**
   * Returns the start of an error message. It says what to check, because a remote explains little to someone without
   * access.
   */
  #failure(what: string): string {
    const look =
      this.remote.origin === undefined ? "your permission to push" : "the token in MIRRORFEED_TOKEN";
    return `${quote(this.remote.address)} ${what} (check the address and ${look})`;
  }
}
