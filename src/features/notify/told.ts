import { hash } from "node:crypto";
import * as z from "../../core/base/zod.ts";
import { dayMs, minuteMs } from "../../core/base/text/time.ts";
import type { Config } from "../../core/config/config-schema.ts";
import { eventNames, notifyRules } from "../../core/config/notify-rules.ts";
import type { Feed } from "../../core/feed/feed.ts";
import { nodeId, timestamp } from "../../core/state/content-schema.ts";

const hexId = z.string().regex(/^[0-9a-f]{16}$/);
const name = z.string().regex(/^[a-z0-9_-]{1,50}$/);

/** An event that a channel was told about, or is being told about. */
const line = z.strictObject({
  channel: name,
  event: z.enum(eventNames),
  /** An incident, a mirror's id, a host or a target; for the event `feed`, `runs` or `site`. */
  subject: z.string().min(1).max(2000),
  /** In ascending order. Empty for the event `feed`. No feed has more mirrors than this. */
  nodes: z.array(nodeId).max(100_000),
  /** For a certificate, when it expires. For rewritten tags, the run as of which they were told. */
  since: timestamp,
  rule: name,
  /** A process that sends the beginning or the end. Once this has lapsed, the channel may or may not have it. */
  claim: z
    .strictObject({
      phase: z.enum(["begin", "end"]),
      until: timestamp,
      by: hexId,
      /** An earlier claim had lapsed. */
      again: z.literal(true).optional(),
    })
    .optional(),
  /** The number of the GitHub issue. */
  number: z.int().min(1).optional(),
  /** Recorded without telling it, after the state was restored. */
  restored: z.literal(true).optional(),
});

const channel = z.strictObject({
  /** When messages were sent in the last hour. */
  sent: z.array(timestamp).max(100),
  /** How many attempts in a row failed, and when to try again. */
  failures: z.int().min(1).max(100).optional(),
  next: timestamp.optional(),
});

const told = z.strictObject({ lines: z.record(hexId, line), channels: z.record(name, channel) });

export const notificationsPart = { schema: told, lines: { lines: {}, channels: {} } } as const;

export type Told = z.infer<typeof told>;
export type Line = Readonly<z.infer<typeof line>>;
export type Phase = NonNullable<Line["claim"]>["phase"];

/** Much longer than sending takes, so that a claim lapses only if its process was killed or could not store the outcome. */
export const claimMs = 10 * minuteMs;

/** How long rewritten tags are reported, and how long the lines about them are kept. */
export const rewrittenMs = 7 * dayMs;

/** Returns the time after which rewritten tags are news for a channel: that of the last line like this one, if any. */
export function lastTold(lines: Told["lines"], line: Line): number {
  const keyOf = ({ channel, event, subject }: Line): string => `${channel} ${event} ${subject}`;
  const earlier = Object.values(lines).filter((one) => keyOf(one) === keyOf(line) && one.since < line.since);
  return Math.max(line.since - rewrittenMs, ...earlier.map(({ since }) => since));
}

export function idOf(values: readonly unknown[]): string {
  return hash("sha256", JSON.stringify(values)).slice(0, 16);
}

/** Removes from lines the mirrors whose ids belong to other mirrors now. Lines without mirrors are no longer wanted. */
export function withoutNodes(known: Told, replaced: ReadonlySet<number>): Told {
  const lines = Object.entries(known.lines).map(([id, line]) => {
    return [id, { ...line, nodes: line.nodes.filter((node) => !replaced.has(node)) }] as const;
  });
  return { ...known, lines: Object.fromEntries(lines) };
}

/** A feed, and what is never published of it: who is told about what, and what they were told. */
export type NotifiedFeed = Readonly<ReturnType<typeof notifiedFeed>>;

export function notifiedFeed(feed: Feed, config: Config, notifications: Told = { lines: {}, channels: {} }) {
  const { channels, probe } = config;
  return { ...feed, rules: notifyRules(config), channels, notifications, allowPrivate: probe.allowPrivate };
}
