import { setTimeout as sleep } from "node:timers/promises";
import { type Command, Option } from "@commander-js/extra-typings";
import { receivingChannels } from "../../core/config/nodes.ts";
import { InputError, Interrupted } from "../../core/base/errors.ts";
import type { RunOptions } from "../run.ts";
import { type ExitCode, type CommandContext, withTime } from "../../core/base/terminal/context.ts";
import { durationParser, type Execute, type Notes, sharedOptions } from "../../core/command/command.ts";

export const notes: Notes = {
  examples: [
    "mirrorfeed watch --interval 5m --out /srv/site --state /var/lib/mirrorfeed/state.json",
    "mirrorfeed watch --dns 192.0.2.53 --dns 192.0.2.54",
  ],
};

export const parseInterval = durationParser(
  1000,
  7 * 24 * 3_600_000,
  "a valid interval",
  "write it as 60s, 5m or 1h, from 1s to 7d",
);

export function declare(command: Command, execute: Execute): void {
  command
    .addOption(
      new Option("--interval <time>", "how often to run, such as 5m or 1h")
        .argParser(parseInterval)
        .default(60_000, "60s"),
    )
    .option(...sharedOptions.config)
    .option(...sharedOptions.out)
    .option(...sharedOptions.siteUrl)
    .option(...sharedOptions.state)
    .option(...sharedOptions.stateRemote)
    .option(...sharedOptions.vantage)
    .option(...sharedOptions.allowPrivate)
    .option(...sharedOptions.dns)
    .option(...sharedOptions.notify)
    .action(({ interval: everyMs, ...options }) =>
      execute((context) => watch({ ...options, everyMs }, context)),
    );
}

type WatchOptions = Omit<RunOptions, "run" | "results" | "json" | "brief"> & { readonly everyMs: number };

/**
 * Runs at a fixed interval until interrupted. If a run takes longer than the interval, the runs that should have
 * started in the meantime are skipped. Reads mirrors.json before each run. If the file is not valid, logs the error and
 * keeps using the last valid configuration. `wait` must use the context's clock, which tests may speed up.
 */
export async function watch(
  { everyMs, ...options }: WatchOptions,
  context: CommandContext,
  wait = waitFor,
): Promise<ExitCode> {
  const { loadConfig } = await import("../../core/config/load.ts");
  const { requireVariables } = await import("../../features/notify/secrets.ts");
  const { runFeed } = await import("../run.ts");
  let config = await loadConfig(options.config);
  if (options.notify === true) requireVariables(receivingChannels(config), context);
  let problem = "";
  const start = context.now();
  const timed = withTime(context);
  for (let index = 0; ;) {
    try {
      const found = await loadConfig(options.config).catch(asInputError);
      if (!(found instanceof InputError)) config = found;
      else if (found.message !== problem)
        timed.log(`${found.message}\nThe previous mirrors.json stays in use.`);
      problem = found instanceof InputError ? found.message : "";
      await runFeed(config, { ...options, brief: true }, timed);
    } catch (error) {
      if (error instanceof Interrupted) return 0;
      timed.log(asInputError(error).message);
    }
    const next = nextRunAt(start, everyMs, context.now(), index);
    if (next.skipped > 0) timed.log(`A run took longer than the interval; runs skipped: ${next.skipped}.`);
    index = next.index;
    if (!(await wait(next.inMs, context.interrupt))) return 0;
  }
}

function asInputError(error: unknown): InputError {
  if (error instanceof InputError) return error;
  throw error;
}

/** Returns the number of the next run, how soon it starts (in milliseconds), and how many runs are skipped. */
export function nextRunAt(start: number, everyMs: number, now: number, index: number) {
  const next = Math.max(index + 1, Math.ceil((now - start) / everyMs));
  // The wait is never longer than the interval, even if the clock was set back by days.
  const inMs = Math.min(everyMs, Math.max(0, start + next * everyMs - now));
  return { index: next, inMs, skipped: next - index - 1 };
}

/** Returns false if it was interrupted. */
async function waitFor(ms: number, interrupt: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal: interrupt });
    return true;
  } catch (error) {
    if (!interrupt.aborted) throw error;
    return false;
  }
}
