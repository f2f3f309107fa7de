import type { CommandContext } from "../../core/base/terminal/context.ts";
import { formatCount } from "../../core/base/text/count.ts";
import type { Config } from "../../core/config/config-schema.ts";
import { type NotifiedStore, notify, type NotifyOptions, type Sent } from "./notify-run.ts";
import { attemptTime, type Waiting, waitingLines } from "./waiting.ts";

/** Logs the totals, and each message that not all receivers accepted. */
export async function notifyAfterRun(
  config: Config,
  store: NotifiedStore,
  options: NotifyOptions,
  context: CommandContext,
): Promise<void> {
  const sent: Sent[] = [];
  const waiting = await notify(config, store, options, context, (one) => {
    sent.push(one);
    if (one.delivery.outcome === "failed" || one.delivery.note !== undefined)
      context.log(lineOf(one, context.now()));
  });
  for (const line of totalLines(sent, waiting, context.now())) context.log(line);
}

export function lineOf({ channel, message, delivery, next }: Sent, now: number): string {
  const line = `${delivery.outcome}  ${channel}  ${message.title}`;
  if (delivery.outcome === "sent")
    return delivery.note === undefined ? line : `${line}. Note: ${delivery.note}`;
  const again = next === undefined ? "" : `It will be tried again ${attemptTime(next, now)}: `;
  return `${line}. ${again}${delivery.reason}`;
}

export function totalLines(sent: readonly Sent[], waiting: readonly Waiting[], now: number): string[] {
  const failed = sent.filter(({ delivery }) => delivery.outcome === "failed").length;
  const total = `${formatCount(sent.length - failed, "notification")} sent${failed === 0 ? "" : `, ${failed} failed`}.`;
  return [...(sent.length === 0 ? [] : [total]), ...waitingLines(waiting, now)];
}
