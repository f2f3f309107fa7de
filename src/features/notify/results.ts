import type { CommandContext } from "../../core/base/terminal/context.ts";
import { formatCount } from "../../core/base/text/count.ts";
import type { Config } from "../../core/config/config-schema.ts";
import {
  type NotifiedStore,
  notify,
  type NotifyOptions,
  type Results,
  type Sent,
  type Waiting,
} from "./notify-run.ts";
import { attemptTime, waitingSentence } from "./waiting.ts";

/** Logs the totals, and each message that not all receivers accepted. */
export async function notifyAfterRun(
  config: Config,
  store: NotifiedStore,
  options: NotifyOptions,
  context: CommandContext,
): Promise<void> {
  const results = await notify(config, store, options, context, (one) => {
    if (one.delivery.outcome === "failed" || one.delivery.note !== undefined)
      context.log(lineOf(one, context.now()));
  });
  for (const line of totalLines(results, context.now())) context.log(line);
}

export function lineOf({ channel, message, delivery, next }: Sent, now: number): string {
  const line = `${delivery.outcome}  ${channel}  ${message.title}`;
  if (delivery.outcome === "failed") {
    const again = next === undefined ? "" : `It will be tried again ${attemptTime(next, now)}: `;
    return `${line}. ${again}${delivery.reason}`;
  }
  return delivery.note === undefined ? line : `${line}. Note: ${delivery.note}`;
}

export function totalLines({ sent, waiting }: Results, now: number): string[] {
  const failed = sent.filter(({ delivery }) => delivery.outcome === "failed").length;
  const total = `${formatCount(sent.length - failed, "notification")} sent${failed === 0 ? "" : `, ${failed} failed`}.`;
  return [...(sent.length === 0 ? [] : [total]), ...waitingLines(waiting, now)];
}

export function waitingLines(waiting: readonly Waiting[], now: number): string[] {
  const [next] = waiting.flatMap((one) => one.next ?? []).sort((one, other) => one - other);
  return next === undefined ? [] : [waitingSentence(waiting.length, next, now)];
}
