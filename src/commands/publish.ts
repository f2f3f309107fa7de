import { dirname } from "node:path";
import { InputError } from "../base/errors.ts";
import { gitOfUser, originOf } from "../base/git/git.ts";
import { parseRemote } from "../base/git/remote.ts";
import { product } from "../base/files/package.ts";
import { formatCount } from "../base/text/count.ts";
import { quote } from "../base/text/quote.ts";
import { userOf } from "../publish/commit.ts";
import { publishSite } from "../publish/publish.ts";
import { isVoid } from "../publish/site.ts";
import type { ExitCode, CommandContext } from "../base/terminal/context.ts";

export interface PublishOptions {
  /** The repository of its folder supplies `origin` and the committer. */
  readonly config: string;
  readonly out: string;
  readonly remote?: string | undefined;
  readonly branch: string;
  readonly history?: boolean | undefined;
  readonly replace?: boolean | undefined;
  readonly message?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Publishes the site to a branch of a Git remote. */
export async function publish(options: PublishOptions, context: CommandContext): Promise<ExitCode> {
  const { out, branch, history = false, replace = false } = options;
  const { message = `Publish by mirrorfeed ${product.version}` } = options;
  const { environment, interrupt, log } = context;
  if (isVoid(out)) {
    log(`The last run of ${out} was void, since this machine was offline: nothing was published.`);
    return 3;
  }
  if (message.trim() === "") throw new InputError("A commit needs a message; give one with --message.");
  const git = gitOfUser(environment, { signal: interrupt, silenceMs: 60_000 });
  const folder = dirname(options.config);
  const remote =
    options.remote === undefined ? await originOf(git, folder, "--remote") : parseRemote(options.remote);
  const user = await userOf(git, folder);
  const order = { out, remote, branch, history, replace, message, user };
  const progress = context.progress(`Publishing ${out} to ${branch}`);
  const publication = await publishSite(order, { environment, interrupt, log }).finally(progress.stop);
  const destination = `${branch} of ${quote(remote.address)}`;
  const { published, commit, changed, removed } = publication;
  const sentence = published
    ? `Published ${out} to ${destination}: ${formatCount(changed, "file")} changed, ${removed} removed, commit ${commit}.`
    : `${destination} holds ${out} already, so nothing was published.`;
  context.output(
    options.json === true ? JSON.stringify({ ...publication, remote: remote.address, branch }) : sentence,
  );
  return 0;
}
