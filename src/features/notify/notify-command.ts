import type { Command } from "@commander-js/extra-typings";
import { renderText } from "./channels/message.ts";
import { InputError } from "../../core/base/errors.ts";
import type { OpenNotified } from "./notify-run.ts";
import type { Waiting } from "./claims.ts";
import type { Outgoing } from "./send.ts";
import type { CommandContext, ExitCode } from "../../core/base/terminal/context.ts";
import { quote } from "../../core/base/text/quote.ts";
import { timestampIfAny } from "../../core/base/text/timestamp.ts";
import { type CommandFile, type Notes, type OptionsOf, sharedOptions } from "../../core/command/command.ts";

const notes: Notes = {
  examples: ["mirrorfeed notify --dry-run", "mirrorfeed notify --state branch:mirrorfeed-state --json"],
  exitCodes: { 0: "every due notification was sent", 1: "a notification could not be sent" },
};

/** `open` opens the store of a feed, which this command does not know. */
export function notifyWith(open: OpenNotified): CommandFile {
  return {
    notes,
    declare: (command, execute) => {
      addOptions(command).action((options) => execute((context) => notify(options, open, context)));
    },
  };
}

function addOptions(command: Command) {
  return command
    .option(...sharedOptions.config)
    .option(...sharedOptions.state)
    .option(...sharedOptions.stateRemote)
    .option(...sharedOptions.siteUrl)
    .option("--retry", "retry failed notifications now, even if their next attempt is not due yet")
    .option("--test <channel>", "send a test to a channel, and nothing else")
    .option("--dry-run", "print the notifications without sending them")
    .option(...sharedOptions.json);
}

/**
 * Sends or prints the notifications that are due. Returns 1 if one could not be sent, else 0. Throws InputError if the
 * state or the configuration cannot be read, or if an environment variable that a channel needs is not set.
 */
export async function notify(
  options: OptionsOf<typeof addOptions>,
  open: OpenNotified,
  context: CommandContext,
): Promise<ExitCode> {
  const { withSiteUrl } = await import("../../core/config/config-schema.ts");
  const { loadConfig } = await import("../../core/config/load.ts");
  const run = await import("./notify-run.ts");
  const config = withSiteUrl(await loadConfig(options.config), options.siteUrl);
  const { test, json = false } = options;
  const tested = Object.entries(config.channels).find(([name]) => name === test);
  const names = Object.keys(config.channels);
  if (names.length === 0)
    throw new InputError(`${options.config} has no channels, so nothing can be sent; add them to channels.`);
  if (test !== undefined && tested === undefined)
    throw new InputError(
      `${quote(test)} is not a channel in ${options.config}; choose one of ${names.join(", ")}.`,
    );
  const sent: Outgoing[] = [];
  const onSent = (one: Outgoing): void => {
    sent.push(one);
    const preview = `To ${one.channel} (${one.entry.type}):\n\n${renderText(one.message)}`;
    if (!json) context.output(one.delivery === undefined ? preview : run.sentLine(one));
  };
  let waiting: readonly Waiting[] = [];
  try {
    if (tested !== undefined) await run.sendTest(config, tested, context, onSent);
    else {
      waiting = await run.notify(config, open(config, options, context), options, context, onSent);
      if (!json) for (const one of waiting) context.output(run.waitingLine(one));
      if (!json && sent.length + waiting.length === 0) context.output("Nothing to send.");
    }
    return sent.some(({ delivery }) => delivery?.outcome === "failed") ? 1 : 0;
  } finally {
    // Even after an error, some notifications may have been sent.
    if (json) context.output(jsonOf(sent, waiting));
  }
}

/** Lists the messages, and then the channels that are told later. */
function jsonOf(sent: readonly Outgoing[], waiting: readonly Waiting[]): string {
  const messages = sent.map(({ channel, entry, message, delivery }) => {
    return { channel, type: entry.type, ...delivery, message };
  });
  const later = waiting.map(({ channel, lines, next }) => {
    return { channel, outcome: "waiting", waiting: lines, next_attempt_at: timestampIfAny(next) };
  });
  return JSON.stringify([...messages, ...later], null, 2);
}
