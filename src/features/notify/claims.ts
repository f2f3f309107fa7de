import { dayMs, hourMs, minuteMs } from "../../core/base/text/time.ts";
import { group } from "../../core/base/text/group.ts";
import type { Delivery } from "./channels/channel.ts";
import type { Outgoing } from "./send.ts";
import { channels } from "./channels/channel-registry.ts";
import { type Difference, differenceOf } from "./difference.ts";
import { claimMs, type Line, type NotifiedFeed, type Told } from "./told.ts";

/** How many messages a channel gets in an hour, with those that fail. */
export const messagesPerHour = 6;
const firstWaitMs = 5 * minuteMs;

/** The process that sends, with a random id. */
export interface Claimant {
  readonly by: string;
  readonly now: number;
}

/** Claims as much as may be said now to a channel. What is no longer so or wanted is dropped for all channels. */
export function claimDue(
  feed: NotifiedFeed,
  { kept, says }: Difference,
  channel: string,
  { by, now }: Claimant,
): Told {
  const isSingle = sendsEachAlone(feed, channel);
  const known = kept.channels[channel];
  const sent = recent(known?.sent, now);
  const room = Math.max(0, messagesPerHour - sent.length);
  const said = (says.get(channel) ?? []).slice(0, isSingle || room === 0 ? room : undefined);
  if (said.length === 0) return kept;
  const claimed = said.map(({ phase, id, line }): [string, Line] => {
    const again = line.claim === undefined ? undefined : (true as const);
    return [id, { ...line, claim: { phase, until: now + claimMs, by, again } }];
  });
  const times = Array<number>(isSingle ? said.length : 1).fill(now);
  return {
    channels: { ...kept.channels, [channel]: { ...known, sent: [...sent, ...times] } },
    lines: { ...kept.lines, ...Object.fromEntries(claimed) },
  };
}

function sendsEachAlone({ channels: configured }: NotifiedFeed, channel: string): boolean {
  const entry = configured[channel];
  return entry !== undefined && channels[entry.type].isSingle;
}

/** Returns the lines of a channel that `by` has claimed, those of each message together. */
export function claimedLines(feed: NotifiedFeed, channel: string, by: string): [id: string, line: Line][][] {
  const isSingle = sendsEachAlone(feed, channel);
  const claimed = Object.entries(feed.notifications.lines).filter(
    ([, line]) => line.claim?.by === by && line.channel === channel,
  );
  return [...group(claimed.map((entry) => [isSingle ? entry[0] : channel, entry])).values()];
}

/**
 * Records what became of messages about lines that `by` has claimed at `claimedAt`. One without a delivery was not sent
 * after all. Other lines stay as they are.
 */
export function confirm(
  told: Told,
  channel: string,
  outcomes: readonly Pick<Outgoing, "ids" | "delivery">[],
  { by, claimedAt, now }: Claimant & { readonly claimedAt: number },
): Told {
  const deliveries = new Map(outcomes.flatMap(({ ids, delivery }) => ids.map((id) => [id, delivery])));
  const lines = Object.entries(told.lines).flatMap(([id, line]) => {
    const isOwn = line.claim?.by === by && deliveries.has(id);
    const after = isOwn ? lineAfter(line, deliveries.get(id), now) : line;
    return after === undefined ? [] : [[id, after] as const];
  });
  const before = told.channels[channel];
  const tried = outcomes.flatMap(({ delivery }) => delivery ?? []);
  const failed = tried.filter((delivery) => delivery.outcome === "failed");
  const earlier = (before?.sent ?? []).filter((time) => time !== claimedAt);
  const sent = [...earlier, ...tried.map(() => claimedAt)];
  const failures = failed.length < tried.length ? 1 : Math.min(100, (before?.failures ?? 0) + 1);
  const waitMs = Math.max(firstWaitMs * 2 ** (failures - 1), ...failed.map((one) => one.retryAfterMs ?? 0));
  const backoff = failed.length === 0 ? {} : { failures, next: now + Math.min(dayMs, waitMs) };
  const after = tried.length === 0 ? { ...before, sent } : { sent, ...backoff };
  return { lines: Object.fromEntries(lines), channels: { ...told.channels, [channel]: after } };
}

function lineAfter(line: Line, delivery: Delivery | undefined, now: number): Line | undefined {
  const { claim: known, ...told } = line;
  if (known === undefined) return line;
  if (delivery?.outcome === "sent")
    return known.phase === "end" ? undefined : { ...told, number: delivery.number ?? told.number };
  if (delivery?.mayHaveArrived === true || known.again === true)
    return { ...told, claim: { ...known, until: now } };
  return known.phase === "end" ? told : undefined;
}

function recent(sent: readonly number[] = [], now: number): number[] {
  return sent.filter((time) => time <= now + claimMs && now - time < hourMs);
}

/** How much a channel is to be told, and when (epoch milliseconds). `next` is undefined if it can be told now. */
export type Waiting = Readonly<ReturnType<typeof waitingIn>[number]>;

/** With `retry`, a channel that failed can be told now. */
export function waitingIn({ notifications }: NotifiedFeed, { says }: Difference, now: number, retry = false) {
  return [...says].flatMap(([channel, { length: lines }]) => {
    if (lines === 0) return [];
    const known = notifications.channels[channel];
    const sent = recent(known?.sent, now);
    const [oldest = now] = sent.slice(-messagesPerHour);
    const { failures, next = now } = known ?? {};
    // A time further ahead than the longest wait was set while the clock was wrong.
    const afterFailure = retry || next > now + dayMs ? now : next;
    const earliest = Math.max(afterFailure, sent.length >= messagesPerHour ? oldest + hourMs : now);
    const isFailing = failures !== undefined;
    return [{ channel, lines, isFailing, next: earliest > now ? earliest : undefined }];
  });
}

/** Publishes in the feed how many notifications are waiting. */
export function withWaiting(feed: NotifiedFeed): NotifiedFeed {
  if (feed.rules.length === 0) return feed;
  const at = Date.parse(feed.run.generated_at);
  const counts = { waiting: 0, failing: 0 };
  for (const { lines, isFailing } of waitingIn(feed, differenceOf(feed, at), at)) {
    counts.waiting += lines;
    if (isFailing) counts.failing += lines;
  }
  return { ...feed, run: { ...feed.run, notifications: counts } };
}

/**
 * Returns what the channels count as told after the first run with a restored state. The state that was lost may have
 * told about all that is so now, whatever the delays of the rules.
 */
export function toldAfterRestoring(feed: NotifiedFeed): Told {
  const rules = feed.rules.map((rule) => ({ ...rule, afterMs: () => 0 }));
  const { kept, says } = differenceOf({ ...feed, rules }, Date.parse(feed.run.generated_at));
  const lines = new Map(Object.entries(kept.lines));
  for (const { phase, id, line } of [...says.values()].flat()) {
    if (phase === "end") lines.delete(id);
    else lines.set(id, line);
  }
  const restored = [...lines].map(([id, line]): [string, Line] => [
    id,
    { ...line, claim: undefined, restored: true },
  ]);
  return { ...feed.notifications, lines: Object.fromEntries(restored) };
}
