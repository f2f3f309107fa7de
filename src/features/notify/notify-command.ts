import type { Command } from "@commander-js/extra-typings";
import { renderText } from "./channels/message-text.ts";
import { InputError } from "../../core/base/errors.ts";
import type { Sent, Waiting } from "./send.ts";
import type { NotifyOptions, OpenNotified } from "./notify-run.ts";
import type { CommandContext, ExitCode } from "../../core/base/terminal/context.ts";
import { quote } from "../../core/base/text/quote.ts";
import { timestampIfAny } from "../../core/base/text/timestamp.ts";
import { type CommandFile, type Notes, sharedOptions } from "../../core/command/command.ts";

const notes: Notes = {
  examples: [
    "mirrorfeed notify --dry-run --channel ops",
    "mirrorfeed notify --state branch:mirrorfeed-state --json",
  ],
  exitCodes: { 0: "every due notification was sent", 1: "a notification could not be sent" },
};

/** `open` opens the store of a feed, which this command does not know. */
export function notifyWith(open: OpenNotified): CommandFile {
  return {
    notes,
    declare: (command, execute) => {
      declareOptions(command, (options) => execute((context) => notify(options, open, context)));
    },
  };
}

function declareOptions(command: Command, act: (options: NotifyCommandOptions) => Promise<void>): void {
  command
    .option(...sharedOptions.config)
    .option(...sharedOptions.state)
    .option(...sharedOptions.stateRemote)
    .option(...sharedOptions.siteUrl)
    .option("--channel <name>", "send only this channel's notifications")
    .option("--retry", "retry failed notifications now, even if their next attempt is not due yet")
    .option("--dry-run", "print the notifications without sending them")
    .option(...sharedOptions.json)
    .action(act);
}

export interface NotifyCommandOptions extends NotifyOptions {
  readonly dryRun?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/**
 * Sends or prints the notifications that are due. Returns 1 if one could not be sent, else 0. Throws InputError if the
 * state or the configuration cannot be read, or if an environment variable that a channel needs is not set.
 */
export async function notify(
  options: NotifyCommandOptions,
  open: OpenNotified,
  context: CommandContext,
): Promise<ExitCode> {
  const { withSiteUrl } = await import("../../core/config/config-schema.ts");
  const { loadConfig } = await import("../../core/config/load.ts");
  const run = await import("./notify-run.ts");
  const config = withSiteUrl(await loadConfig(options.config), options.siteUrl);
  const { channel, json = false } = options;
  if (Object.keys(config.channels).length === 0)
    throw new InputError(`${options.config} has no channels, so nothing can be sent; add them to channels.`);
  if (channel !== undefined && !Object.hasOwn(config.channels, channel)) {
    const names = Object.keys(config.channels).join(", ");
    throw new InputError(`${quote(channel)} is not a channel in ${options.config}; choose one of ${names}.`);
  }
  const store = open(config, options, context);
  if (options.dryRun === true) {
    const { listWaiting } = await import("./send.ts");
    const feed = await run.loadFeed(store, options, context);
    const all = listWaiting(feed, context.now(), options);
    const previews = all.filter(({ next }) => next === undefined).map(previewOf);
    const lines = [...previews, ...run.waitingLines(all, context.now())];
    context.output(json ? jsonOf(all) : lines.join("\n") || nothing);
    return 0;
  }
  const results: Sent[] = [];
  let waiting: readonly Waiting[] = [];
  try {
    const outcome = await run.notify(config, store, options, context, (one) => {
      results.push(one);
      if (!json) context.output(run.lineOf(one));
    });
    waiting = outcome.waiting;
    if (!json) context.output(run.totalLines(outcome, context.now()).join("\n") || nothing);
    return outcome.failed + outcome.refused === 0 ? 0 : 1;
  } finally {
    // Even after an error, some notifications may have been sent.
    if (json) {
      const tried = new Set(results.map(({ id }) => id));
      const nextOf = new Map(waiting.map(({ id, next }) => [id, next]));
      context.output(
        jsonOf([
          ...results.map((one) => ({ ...one, next: nextOf.get(one.id) })),
          ...waiting.filter(({ id }) => !tried.has(id)),
        ]),
      );
    }
  }
}

const nothing = "Nothing to send.";

function previewOf({ channel, entry, message }: Waiting): string {
  const text = renderText(message)
    .trimEnd()
    .split("\n")
    .map((line) => `  ${line}`.trimEnd())
    .join("\n");
  return `To ${channel} (${entry.type}): ${message.title}\n\n${text}\n`;
}

/** A notification that was not tried has no outcome if it is due, and the outcome `waiting` if it is due later. */
function jsonOf(messages: readonly (Waiting | Sent)[]): string {
  return JSON.stringify(
    messages.map((one) => ({
      channel: one.channel,
      type: one.entry.type,
      ...("delivery" in one ? one.delivery : one.next !== undefined && { outcome: "waiting" }),
      next_attempt_at: timestampIfAny(one.next),
      message: one.message,
    })),
    null,
    2,
  );
}
