import { existsSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { InputError } from "../base/errors.ts";
import { gitOfUser, lineOf, outputOf } from "../base/git/git.ts";
import type { CommandContext } from "../base/terminal/context.ts";
import { quote } from "../base/text/quote.ts";
import { readConfigText } from "./load.ts";

/**
 * Returns the text of a configuration before a change: of the file `before`, or as it was at the revision `before` of
 * the Git repository around `file`. Returns undefined if the revision has no such file. Throws InputError if `before` is
 * neither.
 */
export async function loadTextBefore(
  before: string,
  file: string,
  { environment, interrupt }: Pick<CommandContext, "environment" | "interrupt">,
): Promise<string | undefined> {
  if (existsSync(before) && statSync(before).isFile()) return readConfigText(before);
  const folder = dirname(file);
  const git = gitOfUser(environment, { signal: interrupt, timeoutMs: 60_000 });
  const commit = await git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${before}^{commit}`], {
    folder,
  });
  if (commit.code !== 0)
    throw new InputError(
      `${quote(before)} is neither a file nor a revision of Git that is known here; name one such as origin/main, and fetch it first.`,
    );
  const failure = `${file} cannot be read at ${quote(before)}`;
  const revision = lineOf(commit.output);
  const listed = outputOf(await git(["ls-tree", revision, "--", basename(file)], { folder }), failure);
  if (listed.length === 0) return undefined;
  const blob = await git(["cat-file", "blob", `${revision}:./${basename(file)}`], { folder });
  return outputOf(blob, failure).toString();
}
