import { gitOfUser, lineOf } from "../../base/git/git.ts";
import { InputError } from "../../base/errors.ts";
import type { CommandContext } from "../../base/terminal/context.ts";

/** Returns the URL of the remote `origin` of the repository around a folder, or undefined without one. */
export async function remoteOf(
  folder: string,
  { environment, interrupt }: Pick<CommandContext, "environment" | "interrupt">,
): Promise<string | undefined> {
  try {
    const git = gitOfUser(environment, { signal: interrupt, timeoutMs: 10_000 });
    const { code, output } = await git(["remote", "get-url", "origin"], { folder });
    return code === 0 ? lineOf(output) : undefined;
  } catch (error) {
    // Git is missing or fails. It is not needed here.
    if (error instanceof InputError) return undefined;
    throw error;
  }
}
