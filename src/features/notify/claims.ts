import { dayMs, hourMs, minuteMs } from "../../core/base/text/duration.ts";
import type { Delivery } from "./channels/channel.ts";
import type { Difference } from "./comparison.ts";
import { claimMs, idOf, type Line, type Told } from "./told.ts";

/** How many messages a channel gets in an hour. */
export const messagesPerHour = 6;
/** How many lines a channel can have. */
const linesKept = 5000;
const firstWaitMs = 5 * minuteMs;

export interface Claimant {
  /** A random id. */
  readonly by: string;
  readonly now: number;
  /** Whether each line is a message of its own. */
  readonly isSingle: boolean;
}

/** Claims as much of a channel's difference as may be said now. */
export function claim(
  told: Told,
  channel: string,
  { lines, says }: Difference,
  { by, now, isSingle }: Claimant,
): Told {
  const known = told.channels[channel];
  const sent = recent(known?.sent, now);
  const room = Math.max(0, messagesPerHour - sent.length);
  const left = Math.max(0, linesKept - Object.keys(lines).length);
  const fitting = says.filter(({ id }, index) => id !== undefined || index < left);
  const said = fitting.slice(0, isSingle || room === 0 ? room : undefined);
  const claimed = said.map(({ phase, id, line }): [string, Line] => {
    const again = line.claim === undefined ? undefined : (true as const);
    const { event, subject, until } = line;
    return [
      id ?? idOf([by, event, subject, until]),
      { ...line, claim: { phase, until: now + claimMs, by, again } },
    ];
  });
  const messages = isSingle ? said.length : Math.min(1, said.length);
  const channels = { ...told.channels };
  if (messages > 0) channels[channel] = { ...known, sent: [...sent, ...Array<number>(messages).fill(now)] };
  return { channels, lines: { ...linesOfOthers(told, channel), ...lines, ...Object.fromEntries(claimed) } };
}

function linesOfOthers({ lines }: Told, channel: string): Told["lines"] {
  return Object.fromEntries(Object.entries(lines).filter(([, line]) => line.channel !== channel));
}

/** What became of the lines of a message. `delivery` is undefined if it was not sent after all. */
export interface Outcome {
  readonly ids: readonly string[];
  readonly delivery: Delivery | undefined;
}

/** Records what became of the lines that `by` has claimed at `claimedAt`. Other lines stay as they are. */
export function confirm(
  told: Told,
  channel: string,
  outcomes: readonly Outcome[],
  { by, claimedAt, now }: { readonly by: string; readonly claimedAt: number; readonly now: number },
): Told {
  const outcomeOf = new Map(outcomes.flatMap(({ ids, delivery }) => ids.map((id) => [id, delivery])));
  const lines = Object.entries(told.lines).flatMap(([id, line]) => {
    const after = line.claim?.by === by && outcomeOf.has(id) ? lineAfter(line, outcomeOf.get(id), now) : line;
    return after === undefined ? [] : [[id, after] as const];
  });
  const { failures = 0, sent = [], ...rest } = told.channels[channel] ?? {};
  const tried = outcomes.flatMap(({ delivery }) => delivery ?? []);
  const failed = tried.filter((delivery) => delivery.outcome === "failed");
  let unsent = outcomes.length - tried.length + failed.filter((one) => !one.mayHaveArrived).length;
  const kept = sent.filter((time) => time !== claimedAt || (unsent -= 1) < 0);
  const counted = failed.length < tried.length ? 1 : Math.min(100, failures + 1);
  const waitMs = Math.max(firstWaitMs * 2 ** (counted - 1), ...failed.map((one) => one.retryAfterMs ?? 0));
  const state =
    failed.length > 0
      ? { failures: counted, next: now + Math.min(dayMs, waitMs) }
      : tried.length > 0
        ? {}
        : { ...rest, ...(failures > 0 && { failures }) };
  const channels = { ...told.channels, [channel]: { sent: kept, ...state } };
  return { lines: Object.fromEntries(lines), channels };
}

function lineAfter(line: Line, delivery: Delivery | undefined, now: number): Line | undefined {
  const { claim: known, ...told } = line;
  if (known === undefined) return line;
  if (delivery?.outcome === "sent")
    return known.phase === "end" ? undefined : { ...told, number: delivery.number ?? told.number };
  const mayHaveArrived = delivery?.mayHaveArrived === true || known.again === true;
  if (mayHaveArrived) return { ...told, claim: { ...known, until: now } };
  return known.phase === "end" ? told : undefined;
}

/** Returns when a channel may get the next message. Undefined if it may get one now. */
export function nextAttempt(
  known: Told["channels"][string] | undefined,
  now: number,
  isRetry = false,
): number | undefined {
  const sent = recent(known?.sent, now);
  const [oldest = now] = sent.slice(-messagesPerHour);
  const { next = now } = known ?? {};
  // A time further ahead than the longest wait was set while the clock was wrong.
  const afterFailure = isRetry || next > now + dayMs ? now : next;
  const earliest = Math.max(afterFailure, sent.length >= messagesPerHour ? oldest + hourMs : now);
  return earliest > now ? earliest : undefined;
}

function recent(sent: readonly number[] = [], now: number): number[] {
  return sent.filter((time) => time <= now + claimMs && now - time < hourMs);
}
