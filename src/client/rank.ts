/** The best first: `behind` was right once, `differs` never was, and of `unknown` nothing is known. */
export const freshnesses = ["in_sync", "behind", "differs", "unknown"] as const;

/** How the revision of a mirror relates to the reference. `differs` means ahead or diverged. */
export type Freshness = (typeof freshnesses)[number];

/**
 * What the order of mirrors depends on. All of it lasts: it changes with a status, a revision or the day, not with each
 * run.
 */
export interface Rankable {
  readonly status: 0 | 1;
  readonly freshness?: string | undefined;
  readonly unverified_since?: string | undefined;
  readonly maintenance?: unknown;
  readonly primary?: boolean | undefined;
  readonly mean_latency_ms?: number | undefined;
}

/** How many whole days the mean latency covers. */
export const daysMeasured = 7;

/**
 * Returns the mirrors, the best first: online before offline, verified before unverified, those in maintenance last.
 * Then by freshness, by the power of two of the mean latency, and the primary before its equals. Otherwise their order
 * stays. This is the only ranking: the mirror lists and the pages use it too.
 */
export function rank<One extends Rankable>(mirrors: readonly One[]): One[] {
  return mirrors
    .map((mirror) => ({ mirror, keys: keysOf(mirror) }))
    .sort((left, right) => compare(left.keys, right.keys))
    .map(({ mirror }) => mirror);
}

/**
 * Returns the mean latency of the last seven days from the means by day, the oldest first. Undefined if none was
 * measured.
 */
export function meanLatency(days: readonly unknown[]): number | undefined {
  const means = days.slice(-daysMeasured).filter((mean) => typeof mean === "number");
  return means.length > 0 ? means.reduce((sum, mean) => sum + mean, 0) / means.length : undefined;
}

function keysOf({
  status,
  unverified_since,
  maintenance,
  freshness,
  mean_latency_ms,
  primary,
}: Rankable): number[] {
  // A word that this version does not know counts as `unknown`.
  const place = freshnesses.findIndex((one) => one === freshness);
  return [
    -status,
    unverified_since === undefined ? 0 : 1,
    maintenance === undefined ? 0 : 1,
    place < 0 ? freshnesses.indexOf("unknown") : place,
    // A few milliseconds must not reorder the mirrors every day.
    Math.floor(Math.log2(Math.max(1, mean_latency_ms ?? Infinity))),
    primary ? 0 : 1,
  ];
}

function compare(left: readonly number[], right: readonly number[]): number {
  const place = left.findIndex((value, index) => value !== right[index]);
  return (left[place] ?? 0) - (right[place] ?? 0);
}
