import { existsSync } from "node:fs";
import { join } from "node:path";
import { InputError } from "../../core/base/errors.ts";
import { gitOfUser } from "../../core/base/git/run-git.ts";
import type { CommandContext } from "../../core/base/terminal/context.ts";
import { workflowPath } from "./files.ts";

type Needed = Pick<CommandContext, "environment" | "interrupt">;

/** Files that a site on GitHub Pages has if a branch or its `docs/` is published. */
const siteFiles = ["CNAME", "docs/CNAME", "docs/index.html", "docs/index.md", "docs/_config.yml"];

/** A path, and the pattern of a file such as .gitignore because of which Git does not add it. */
export interface Ignored {
  readonly path: string;
  readonly pattern: string;
}

/** What the Git repository that contains a folder says. Without Git or a repository, it says nothing. */
export class Repository {
  readonly #folder: string;
  readonly #needed: Needed;

  constructor(folder: string, needed: Needed) {
    this.#folder = folder;
    this.#needed = needed;
  }

  /** Returns the URL of the remote `origin`, or undefined. */
  async remote(): Promise<string | undefined> {
    return (await this.#lines(["remote", "get-url", "origin"]))[0];
  }

  /** Returns the remote's default branch if the clone knows it, otherwise the current branch, or undefined. */
  async defaultBranch(): Promise<string | undefined> {
    const [remote] = await this.#lines(["symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"]);
    const [current] = await this.#lines(["symbolic-ref", "--quiet", "--short", "HEAD"]);
    return remote?.replace(/^origin\//, "") ?? current;
  }

  /** Returns those of these paths below the folder that Git would not add. */
  async ignored(paths: readonly string[]): Promise<Ignored[]> {
    const lines = await this.#lines(["check-ignore", "--verbose", "--", ...paths]);
    return lines.flatMap((line) => {
      const [, pattern = "", path = ""] = /^.*?:\d+:(.*)\t(.*)$/.exec(line) ?? [];
      return path === "" || pattern.startsWith("!") ? [] : [{ path, pattern }];
    });
  }

  /** Returns what seems to publish another site of the repository with GitHub Pages. */
  async otherSites(workflows: ReadonlyMap<string, string>): Promise<string[]> {
    const branches = await this.#lines([
      "for-each-ref",
      "--format=%(refname:lstrip=-1)",
      "refs/heads",
      "refs/remotes",
    ]);
    return [
      ...deployingWorkflows(workflows),
      ...siteFiles.filter((path) => existsSync(join(this.#folder, path))),
      ...(branches.includes("gh-pages") ? ["the branch gh-pages"] : []),
    ];
  }

  /** Returns the lines that Git prints, or an empty array if it fails or is missing. */
  async #lines(parameters: readonly string[]): Promise<string[]> {
    try {
      const git = gitOfUser(this.#needed.environment, { signal: this.#needed.interrupt, timeoutMs: 10_000 });
      const { code, output } = await git(parameters, { folder: this.#folder });
      return code === 0 ? output.toString().split("\n").filter(Boolean) : [];
    } catch (error) {
      // Git is optional here.
      if (error instanceof InputError) return [];
      throw error;
    }
  }
}

/** Returns the paths of the workflows that deploy GitHub Pages, except the one that refreshes the feed. */
export function deployingWorkflows(workflows: ReadonlyMap<string, string>): string[] {
  return [...workflows].flatMap(([path, text]) =>
    path !== workflowPath && /^[^#\n]*\buses: *["']?actions\/deploy-pages@/m.test(text) ? [path] : [],
  );
}
