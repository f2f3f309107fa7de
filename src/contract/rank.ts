import type { MirrorState } from "./mirror-state.ts";

/**
 * Best first. `differs` comes last, because the reference may never have had that content. By contrast, the content of
 * a mirror that is `behind` was once that of the reference.
 */
export const freshnesses = ["in_sync", "behind", "unknown", "differs"] as const;

/** How a mirror's revision relates to the reference. `differs` means ahead or diverged. */
export type Freshness = (typeof freshnesses)[number];

/** The values that decide the ranking. They rarely change, so mirror lists don't change with every run. */
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
 * Sorts mirrors, best first, by these criteria: online, content not wrong, status verified, not in maintenance,
 * freshness, country, mean latency (rounded down to a power of two), primary. Equally good mirrors keep their order.
 * Mirror lists and pages use this ranking, too.
 */
export function rank<One extends Rankable>(mirrors: readonly One[], country?: string): One[] {
  return [...mirrors].sort((one, other) => compare(keysOf(one, country), keysOf(other, country)));
}

/**
 * Draws one of the best mirrors at random, by weight. Returns the drawn mirror first, then the best mirrors that came
 * after it, then all others in their old order. The best mirrors are those that rank equal to the first one if latency
 * and primary are ignored.
 */
export function spread<One extends Rankable & { readonly weight?: number | undefined }>(
  ranked: readonly One[],
  random: number,
  country?: string,
): One[] {
  // Compares only the keys before the latency.
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
    // A freshness that this version does not know counts as `unknown`.
    known < 0 ? 2 : known,
    country && mirror.country !== country ? 1 : 0,
    // Differences of a few milliseconds must not reorder the mirrors every day.
    Math.floor(Math.log2(Math.max(1, mirror.mean_latency_ms ?? Infinity))),
    mirror.primary ? 0 : 1,
  ];
}

function compare(left: readonly number[], right: readonly number[]): number {
  return left.map((value, key) => value - (right[key] ?? 0)).find(Boolean) ?? 0;
}
