/** The best first: `behind` was right once, `differs` never was, and of `unknown` nothing is known. */
export const freshnesses = ["in_sync", "behind", "differs", "unknown"] as const;

/** How the revision of a mirror relates to the reference. `differs` means ahead or diverged. */
export type Freshness = (typeof freshnesses)[number];

/** What the order of mirrors depends on. It changes with a status, a revision or the day, not with each run. */
export interface Rankable {
  readonly status: 0 | 1;
  readonly freshness?: string | undefined;
  readonly unverified_since?: string | undefined;
  readonly maintenance?: unknown;
  readonly primary?: boolean | undefined;
  readonly mean_latency_ms?: number | undefined;
  readonly country?: string | undefined;
}

/** How many whole days the mean latency covers. */
export const daysMeasured = 7;

/**
 * Returns the mirrors, the best first: online before offline, verified before unverified, those in maintenance last.
 * Then by freshness, those of the country before others, by the power of two of the mean latency, and the primary
 * before its equals. Otherwise their order stays. This is the only ranking: the mirror lists and the pages use it too.
 */
export function rank<One extends Rankable>(mirrors: readonly One[], country?: string): One[] {
  return [...mirrors].sort((one, other) => compare(keysOf(one, country), keysOf(other, country)));
}

/**
 * Returns ranked mirrors that begin with another one of the best class, and those of the class behind it. It is drawn by
 * weight, with a random number in [0, 1). The best class has all that are as good as the first one, whatever their latency.
 */
export function spread<One extends Rankable & { readonly weight?: number | undefined }>(
  ranked: readonly One[],
  random: number,
  country?: string,
): One[] {
  // The keys before the latency.
  const classOf = (mirror: One): string => keysOf(mirror, country).slice(0, 5).join();
  const best = ranked.filter((mirror, _, [first = mirror]) => classOf(mirror) === classOf(first));
  let left = random * best.reduce((sum, { weight = 1 }) => sum + weight, 0);
  const drawn = best.filter(({ weight = 1 }) => (left -= weight) < 0);
  return [...new Set([...drawn, ...ranked])];
}

/** Returns the mean latency of the last seven days from the means by day, the oldest first. */
export function meanLatency(days: readonly unknown[]): number | undefined {
  const means = days.slice(-daysMeasured).filter((mean) => typeof mean === "number");
  return means.length > 0 ? means.reduce((sum, mean) => sum + mean, 0) / means.length : undefined;
}

function keysOf(mirror: Rankable, country: string | undefined): number[] {
  const known = freshnesses.findIndex((one) => one === mirror.freshness);
  return [
    -mirror.status,
    mirror.unverified_since ? 1 : 0,
    mirror.maintenance ? 1 : 0,
    // A word that this version does not know counts as `unknown`.
    known < 0 ? 3 : known,
    country && mirror.country !== country ? 1 : 0,
    // A few milliseconds must not reorder the mirrors every day.
    Math.floor(Math.log2(Math.max(1, mirror.mean_latency_ms ?? Infinity))),
    mirror.primary ? 0 : 1,
  ];
}

function compare(left: readonly number[], right: readonly number[]): number {
  return left.map((value, key) => value - (right[key] ?? 0)).find(Boolean) ?? 0;
}
