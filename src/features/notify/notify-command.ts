import type { Command } from "@commander-js/extra-typings";
import { renderText } from "./channels/message-text.ts";
import { InputError } from "../../core/base/errors.ts";
import type { NotifyOptions, OpenNotified, Sent, Waiting } from "./notify-run.ts";
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
    .option("--test <channel>", "send a test to a channel, and nothing else")
    .option("--dry-run", "print the notifications without sending them")
    .option(...sharedOptions.json)
    .action(act);
}

export interface NotifyCommandOptions extends NotifyOptions {
  readonly test?: string | undefined;
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
  const { lineOf, totalLines, waitingLines } = await import("./results.ts");
  const config = withSiteUrl(await loadConfig(options.config), options.siteUrl);
  const { channel, test, json = false } = options;
  if (Object.keys(config.channels).length === 0)
    throw new InputError(`${options.config} has no channels, so nothing can be sent; add them to channels.`);
  for (const name of [channel, test])
    if (name !== undefined && !Object.hasOwn(config.channels, name)) {
      const names = Object.keys(config.channels).join(", ");
      throw new InputError(`${quote(name)} is not a channel in ${options.config}; choose one of ${names}.`);
    }
  const sent: Sent[] = [];
  const onSent = (one: Sent): void => {
    sent.push(one);
    if (!json) context.output(lineOf(one, context.now()));
  };
  let waiting: readonly Waiting[] = [];
  try {
    if (test !== undefined) await run.sendTest(config, test, context, onSent);
    else if (options.dryRun === true) {
      waiting = await run.preview(config, open(config, options, context), options, context);
      const previews = waiting.filter(({ next }) => next === undefined).map(previewOf);
      const lines = [...previews, ...waitingLines(waiting, context.now())];
      if (!json) context.output(lines.join("\n") || nothing);
    } else {
      const results = await run.notify(config, open(config, options, context), options, context, onSent);
      waiting = results.waiting;
      if (!json) context.output(totalLines(results, context.now()).join("\n") || nothing);
    }
    return sent.some(({ delivery }) => delivery.outcome === "failed") ? 1 : 0;
  } finally {
    // Even after an error, some notifications may have been sent.
    if (json) context.output(jsonOf(sent, waiting));
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
function jsonOf(sent: readonly Sent[], waiting: readonly Waiting[]): string {
  const keyOf = ({ channel, message }: Waiting): string => `${channel} ${message.title}`;
  const tried = new Set(sent.map(keyOf));
  const all = [...sent, ...waiting.filter((one) => !tried.has(keyOf(one)))];
  return JSON.stringify(
    all.map((one: Sent | Waiting) => ({
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
