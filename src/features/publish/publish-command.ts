import { dirname } from "node:path";
import { type Command, Option } from "@commander-js/extra-typings";
import { findRemote, gitOfUser } from "../../core/base/git/run-git.ts";
import { product } from "../../core/base/files/package.ts";
import { formatCount } from "../../core/base/text/count.ts";
import { quote } from "../../core/base/text/quote.ts";
import { publishSite } from "./publish.ts";
import { isVoid } from "../../core/site/manifest.ts";
import type { ExitCode, CommandContext } from "../../core/base/terminal/context.ts";
import { type Execute, type Notes, type OptionsOf, sharedOptions } from "../../core/command/command.ts";

export const notes: Notes = {
  examples: [
    "mirrorfeed publish --remote https://github.com/owner/repository --branch site",
    "mirrorfeed publish --history --message 'Publish the feed'",
  ],
  exitCodes: { 3: "the last run was void, so nothing was published" },
};

export function declare(command: Command, execute: Execute): void {
  addOptions(command).action((options) => execute((context) => publish(options, context)));
}

function addOptions(command: Command) {
  return command
    .option(...sharedOptions.out)
    .option(...sharedOptions.config)
    .option("--remote <url>", "the remote to push to (default: origin of the repository with mirrors.json)")
    .option("--branch <name>", "the branch to push to", "gh-pages")
    .option("--history", "add a commit to the branch instead of replacing its only commit")
    .addOption(
      new Option("--replace", "replace a branch that isn't a published feed, deleting its commits").conflicts(
        "history",
      ),
    )
    .option("--message <text>", "the commit message")
    .option(...sharedOptions.json);
}

export type PublishOptions = OptionsOf<typeof addOptions>;

export async function publish(options: PublishOptions, context: CommandContext): Promise<ExitCode> {
  const { out, branch, history = false, replace = false } = options;
  const { message = `Publish by mirrorfeed ${product.version}` } = options;
  if (isVoid(out)) {
    context.log(`The last run was void because this machine was offline, so ${out} was not published.`);
    return 3;
  }
  const git = gitOfUser(context.environment, { signal: context.interrupt, silenceMs: 60_000 });
  const remote = await findRemote(options.remote, git, dirname(options.config), "--remote");
  const order = { out, remote, branch, history, replace, message };
  const progress = context.progress(`Publishing ${out} to ${branch}`);
  const publication = await publishSite(order, context).finally(progress.stop);
  const destination = `${branch} of ${quote(remote.address)}`;
  const { published, commit, changed, removed } = publication;
  const sentence = published
    ? `Published ${out} to ${destination}: ${formatCount(changed, "file")} changed, ${removed} removed, commit ${commit}.`
    : `${destination} already matches ${out}, so nothing was published.`;
  context.output(
    options.json === true ? JSON.stringify({ ...publication, remote: remote.address, branch }) : sentence,
  );
  return 0;
}
