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
    const { delivery } = one;
    if (delivery?.outcome === "failed" || delivery?.note !== undefined) context.log(lineOf(one));
  });
  for (const line of totalLines(sent, waiting)) context.log(line);
}

export function lineOf({ channel, message, delivery, next }: Sent): string {
  const line = `${delivery?.outcome}  ${channel}  ${message.title}`;
  if (delivery?.outcome !== "failed")
    return delivery?.note === undefined ? line : `${line}. Note: ${delivery.note}`;
  const again = next === undefined ? "" : `It will be tried again at ${minuteOf(next)}: `;
  return `${line}. ${again}${delivery.reason}`;
}

/** Returns what was sent and what waits, such as `2 notifications are waiting; the next attempt is at …`. */
export function totalLines(sent: readonly Sent[], later: readonly Waiting[]): string[] {
  const count = (outcome: string): number => sent.filter((one) => one.delivery?.outcome === outcome).length;
  const [arrived, failed] = [count("sent"), count("failed")];
  const waiting = linesOf(later);
  const first = Math.min(...later.flatMap(({ next = [] }) => next));
  const are = `${formatCount(waiting, "notification")} ${waiting === 1 ? "is" : "are"} waiting`;
  return [
    ...(arrived + failed > 0
      ? [`${formatCount(arrived, "notification")} sent${failed === 0 ? "" : `, ${failed} failed`}.`]
      : []),
    ...(waiting === 0 ? [] : [`${are}; the next attempt is at ${minuteOf(first)}.`]),
  ];
}

function minuteOf(at: number): string {
  return formatMinute(isoTimestamp(at));
}
