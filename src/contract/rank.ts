import type { MirrorState } from "./mirror-state.ts";

/** The best first: `behind` was right once, of `unknown` nothing is known, and `differs` never was right. */
export const freshnesses = ["in_sync", "behind", "unknown", "differs"] as const;

/** How the revision of a mirror relates to the reference. `differs` means ahead or diverged. */
export type Freshness = (typeof freshnesses)[number];

/** What the order of mirrors depends on. It changes with a status, a revision or the day, not with each run. */
export interface Rankable {
  readonly status: 0 | 1;
  readonly state?: MirrorState | undefined;
  readonly freshness?: string | undefined;
  readonly content_code?: string | undefined;
  readonly unverified_since?: string | undefined;
  readonly maintenance?: unknown;
  readonly primary?: boolean | undefined;
  readonly mean_latency_ms?: number | undefined;
  readonly country?: string | undefined;
}

/**
 * Returns the mirrors, the best first: online before offline, and those whose content is known to be wrong after all others
 * that are online. Then verified before unverified, those in maintenance last, by freshness, those of the country before
 * others, by the power of two of the mean latency, and the primary before its equals. Otherwise their order stays. This is
 * the only ranking: the mirror lists and the pages use it too.
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
  const classOf = (mirror: One): string => keysOf(mirror, country).slice(0, 6).join();
  const best = ranked.filter((mirror, _, [first = mirror]) => classOf(mirror) === classOf(first));
  let left = random * best.reduce((sum, { weight = 1 }) => sum + weight, 0);
  const drawn = best.filter(({ weight = 1 }) => (left -= weight) < 0);
  return [...new Set([...drawn, ...ranked])];
}

function keysOf(mirror: Rankable, country: string | undefined): number[] {
  const known = freshnesses.findIndex((one) => one === mirror.freshness);
  return [
    -mirror.status,
    mirror.content_code || mirror.freshness === "differs" ? 1 : 0,
    mirror.unverified_since || mirror.state === "unknown" ? 1 : 0,
    mirror.maintenance ? 1 : 0,
    // A word that this version does not know counts as `unknown`.
    known < 0 ? 2 : known,
    country && mirror.country !== country ? 1 : 0,
    // A few milliseconds must not reorder the mirrors every day.
    Math.floor(Math.log2(Math.max(1, mirror.mean_latency_ms ?? Infinity))),
    mirror.primary ? 0 : 1,
  ];
}

function compare(left: readonly number[], right: readonly number[]): number {
  return left.map((value, key) => value - (right[key] ?? 0)).find(Boolean) ?? 0;
}
