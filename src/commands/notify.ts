import type { Command } from "@commander-js/extra-typings";
import { renderText } from "../channels/text.ts";
import { InputError } from "../base/errors.ts";
import type { Sent, Waiting } from "../notify/send.ts";
import type { NotifyOptions } from "../run/notify.ts";
import type { CommandContext, ExitCode } from "../base/terminal/context.ts";
import { quote } from "../base/text/quote.ts";
import { type Execute, type Notes, sharedOptions } from "./command.ts";

export const notes: Notes = {
  examples: [
    "mirrorfeed notify --dry-run --channel ops",
    "mirrorfeed notify --state branch:mirrorfeed-state --json",
  ],
  exitCodes: { 0: "nothing that can be sent waits", 1: "a message was not accepted" },
};

export function declare(command: Command, execute: Execute): void {
  command
    .option(...sharedOptions.config)
    .option(...sharedOptions.state)
    .option(...sharedOptions.stateRemote)
    .option(...sharedOptions.siteUrl)
    .option("--channel <name>", "send only what goes to this channel")
    .option("--dry-run", "print the messages, and send nothing")
    .option(...sharedOptions.json)
    .action((options) => execute((context) => notify(options, context)));
}

export interface NotifyCommandOptions extends NotifyOptions {
  readonly dryRun?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/**
 * Sends the messages that wait in the state, or prints them. Returns 0 if nothing is left to send, 1 if a message was not
 * accepted. Throws InputError if the state or the configuration cannot be read, or a variable of a channel is not set.
 */
export async function notify(options: NotifyCommandOptions, context: CommandContext): Promise<ExitCode> {
  const { loadConfig } = await import("../config/load.ts");
  const { lineOf, loadFeed, notify: send, totalOf } = await import("../run/notify.ts");
  const config = await loadConfig(options.config);
  const { channel, json = false } = options;
  if (channel !== undefined && !Object.hasOwn(config.channels, channel))
    throw new InputError(
      `${quote(channel)} is not a channel of ${options.config}; write one of ${Object.keys(config.channels).join(", ") || "those you add to channels"}.`,
    );
  if (options.dryRun === true) {
    const { listDue } = await import("../notify/send.ts");
    const feed = await loadFeed(config, options, context);
    const waiting = feed === undefined ? [] : listDue(feed, context.now(), channel);
    context.output(json ? jsonOf(waiting) : previewOf(waiting));
    return 0;
  }
  const results: Sent[] = [];
  try {
    const outcome = await send(config, options, context, (one) => {
      results.push(one);
      if (!json) context.output(lineOf(one));
    });
    if (!json) context.output(totalOf(outcome));
    return outcome.failed + outcome.refused === 0 ? 0 : 1;
  } finally {
    // Also of what was sent before an error.
    if (json) context.output(jsonOf(results));
  }
}

function previewOf(waiting: readonly Waiting[]): string {
  if (waiting.length === 0) return "No message is due.";
  return waiting
    .map(({ channel, entry, message }) => {
      const text = renderText(message)
        .trimEnd()
        .split("\n")
        .map((line) => `  ${line}`.trimEnd())
        .join("\n");
      return `To ${channel} (${entry.type}): ${message.title}\n\n${text}\n`;
    })
    .join("\n");
}

function jsonOf(messages: readonly (Waiting | Sent)[]): string {
  return JSON.stringify(
    messages.map((one) => ({
      channel: one.channel,
      type: one.entry.type,
      ...("delivery" in one ? one.delivery : {}),
      message: one.message,
    })),
    null,
    2,
  );
}
