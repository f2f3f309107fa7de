import { existsSync } from "node:fs";
import { join } from "node:path";
import { InputError } from "../../core/base/errors.ts";
import { gitOfUser } from "../../core/base/git/run-git.ts";
import type { CommandContext } from "../../core/base/terminal/context.ts";

/** Returns the lines that Git prints, or an empty array if it fails or is missing. */
export type AskGit = ReturnType<typeof askGitIn>;

/** Git is optional here. Without it, or outside a repository, all functions below find nothing. */
export function askGitIn(folder: string, { environment, interrupt }: CommandContext) {
  const git = gitOfUser(environment, { signal: interrupt, timeoutMs: 10_000 });
  return async (...parameters: readonly string[]): Promise<string[]> => {
    try {
      const { code, output } = await git(parameters, { folder });
      return code === 0 ? output.toString().split("\n").filter(Boolean) : [];
    } catch (error) {
      if (error instanceof InputError) return [];
      throw error;
    }
  };
}

/** Returns the remote's default branch if the clone knows it, otherwise the current branch, or undefined. */
export async function defaultBranchOf(ask: AskGit): Promise<string | undefined> {
  const [ofRemote] = await ask("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD");
  return ofRemote?.replace(/^origin\//, "") ?? (await ask("symbolic-ref", "--quiet", "--short", "HEAD"))[0];
}

/** Returns those of these paths that Git would not add, each with the pattern because of which it would not. */
export async function ignoredOf(paths: readonly string[], ask: AskGit): Promise<[string, string][]> {
  const lines = await ask("check-ignore", "--verbose", "--", ...paths);
  return lines.flatMap((line): [string, string][] => {
    const [, pattern = "!", path = ""] = /^.*?:\d+:(.*)\t(.*)$/.exec(line) ?? [];
    return pattern.startsWith("!") ? [] : [[path, pattern]];
  });
}

/** A site on GitHub Pages that is published from a branch or its `docs/` has one of these files. */
const siteFiles = ["CNAME", "docs/CNAME", "docs/index.html", "docs/index.md", "docs/_config.yml"];

/** Returns what seems to publish another site of the repository with GitHub Pages. */
export async function otherSites(
  folder: string,
  workflows: ReadonlyMap<string, string>,
  ask: AskGit,
): Promise<string[]> {
  const branches = await ask("for-each-ref", "--format=%(refname:lstrip=-1)", "refs/heads", "refs/remotes");
  return [
    ...deployingWorkflows(workflows),
    ...siteFiles.filter((path) => existsSync(join(folder, path))),
    ...(branches.includes("gh-pages") ? ["the branch gh-pages"] : []),
  ];
}

/** Returns the paths of the workflows that deploy something other than the feed to GitHub Pages. */
export function deployingWorkflows(workflows: ReadonlyMap<string, string>): string[] {
  const deploys = /^[^#\n]*\buses: *["']?actions\/deploy-pages@/m;
  return [...workflows].flatMap(([path, text]) =>
    deploys.test(text) && !text.includes("$MIRRORFEED") ? [path] : [],
  );
}
