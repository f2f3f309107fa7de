import type { CommandContext } from "../../core/base/terminal/context.ts";
import { formatCount } from "../../core/base/text/count.ts";
import { formatMinute, isoTimestamp } from "../../core/base/text/timestamp.ts";
import type { Config } from "../../core/config/config-schema.ts";
import { type NotifiedStore, notify, type NotifyOptions, type Sent } from "./notify-run.ts";
import { linesOf, type Waiting } from "./waiting.ts";

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
    if (one.delivery.outcome === "failed" || one.delivery.note !== undefined) context.log(lineOf(one));
  });
  for (const line of totalLines(sent, waiting)) context.log(line);
}

export function lineOf({ channel, message, delivery, next }: Sent): string {
  const line = `${delivery.outcome}  ${channel}  ${message.title}`;
  if (delivery.outcome === "sent")
    return delivery.note === undefined ? line : `${line}. Note: ${delivery.note}`;
  const again = next === undefined ? "" : `It will be tried again at ${minuteOf(next)}: `;
  return `${line}. ${again}${delivery.reason}`;
}

/** Returns sentences about what was sent and what waits, such as `2 notifications are waiting; the next attempt is …`. */
export function totalLines(sent: readonly Sent[], waiting: readonly Waiting[]): string[] {
  const failed = sent.filter(({ delivery }) => delivery.outcome === "failed").length;
  const total = `${formatCount(sent.length - failed, "notification")} sent${failed === 0 ? "" : `, ${failed} failed`}.`;
  const later = waiting.filter(({ next }) => next !== undefined);
  const count = linesOf(later);
  const first = Math.min(...later.flatMap(({ next = [] }) => next));
  const are = `${formatCount(count, "notification")} ${count === 1 ? "is" : "are"} waiting`;
  return [
    ...(sent.length === 0 ? [] : [total]),
    ...(count === 0 ? [] : [`${are}; the next attempt is at ${minuteOf(first)}.`]),
  ];
}

function minuteOf(at: number): string {
  return formatMinute(isoTimestamp(at));
}
