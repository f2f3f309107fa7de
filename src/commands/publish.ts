import { dirname } from "node:path";
import { InputError } from "../errors.ts";
import { gitOfUser, originOf } from "../git.ts";
import { readRemote } from "../git-remote.ts";
import { product } from "../product.ts";
import { quote } from "../quote.ts";
import { userOf } from "../site/publish/committer.ts";
import { publishSite } from "../site/publish/publish.ts";
import { isVoid } from "../site/publish/publishable.ts";
import type { ExitCode, Setting } from "./setting.ts";

export interface PublishOptions {
  /** Its folder is in the repository whose `origin` and `user` are taken. */
  readonly config: string;
  readonly out: string;
  readonly remote?: string | undefined;
  readonly branch: string;
  readonly history?: boolean | undefined;
  readonly message?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Makes the site the content of a branch of a git remote. */
export async function publish(options: PublishOptions, setting: Setting): Promise<ExitCode> {
  const { out, branch, history = false, message = `Publish by mirrorfeed ${product.version}` } = options;
  const { environment, interrupt, tell } = setting;
  if (isVoid(out)) {
    tell(`The last run of ${out} was void, since this machine was offline: nothing was published.`);
    return 3;
  }
  if (message.trim() === "") throw new InputError("A commit needs a message; give one with --message.");
  const git = gitOfUser(environment, { signal: interrupt, silenceMs: 60_000 });
  const folder = dirname(options.config);
  const remote =
    options.remote === undefined ? await originOf(git, folder, "--remote") : readRemote(options.remote);
  const user = await userOf(git, folder);
  const order = { out, remote, branch, history, message, user };
  const publication = await publishSite(order, { environment, interrupt, tell });
  const place = `${branch} of ${quote(remote.address)}`;
  const { published, commit, changed, removed } = publication;
  const sentence = published
    ? `Published ${out} to ${place}: ${changed} files changed, ${removed} removed, commit ${commit}.`
    : `${place} holds ${out} already, so nothing was published.`;
  setting.print(
    options.json === true ? JSON.stringify({ ...publication, remote: remote.address, branch }) : sentence,
  );
  return 0;
}
