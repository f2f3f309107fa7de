import type { MirrorState } from "./mirror-state.ts";

export const freshnesses = ["in_sync", "behind", "unknown", "differs"] as const;

/** How a mirror's revision relates to the reference. `differs` means ahead or diverged. */
export type Freshness = (typeof freshnesses)[number];

/** The values that decide the ranking, named as in the report. Times are ISO timestamps. */
export interface Rankable {
  /** 1: online, reachable. 0: offline, unreachable. */
  readonly status: 0 | 1;
  /** The state shown on pages. `wrong` means reachable, but with expired, half-synced or incomplete content. */
  readonly state?: MirrorState | undefined;
  /** When the status last changed. */
  readonly since?: string | undefined;
  readonly freshness?: string | undefined;
  /** Since when the mirror has been behind. */
  readonly behind_since?: string | undefined;
  /** What is wrong with the content, such as `expired`; safe to print. */
  readonly content_code?: string | undefined;
  /** When the status was last verified. Missing if that is less than 24 hours ago. */
  readonly unverified_since?: string | undefined;
  /** Set during announced maintenance. Until the maintenance ends, `status` keeps its earlier value. */
  readonly maintenance?: unknown;
  /** Set while a notice of the feed's operator names the mirror. */
  readonly notice?: unknown;
  /** Set if the target's other mirrors are copies of this one. */
  readonly primary?: boolean | undefined;
  /** The share of successful probes in the last seven days, 0 to 1. */
  readonly uptime?: { readonly "7d": { readonly ratio?: number | undefined } } | undefined;
  /** The mean latency of the last seven days, in milliseconds. Missing while the mirror is offline. */
  readonly mean_latency_ms?: number | undefined;
  /** The mirror's country, such as DE (ISO 3166-1). Untrusted text in a feed. */
  readonly country?: string | undefined;
}

/**
 * Sorts mirrors, best first, as of the feed's last run `at`. Equally good mirrors keep their order. Lists, pages, `pick`
 * and the client all use this ranking.
 */
export function rank<One extends Rankable>(mirrors: readonly One[], at: string, country?: string): One[] {
  return mirrors
    .map((mirror) => ({ mirror, keys: keysOf(mirror, at, country) }))
    .sort((one, other) => compare(one.keys, other.keys))
    .map(({ mirror }) => mirror);
}

/**
 * Draws one of the best mirrors at random, by weight. Returns the drawn mirror first, then the best mirrors that came
 * after it, then all others in their old order. The best mirrors are those that rank equal to the first one if latency
 * and primary are ignored.
 */
export function spread<One extends Rankable & { readonly weight?: number | undefined }>(
  ranked: readonly One[],
  random: number,
  at: string,
  country?: string,
): One[] {
  // The last two keys are the latency and the primary.
  const classOf = (mirror: One): string => keysOf(mirror, at, country).slice(0, -2).join();
  const best = ranked.filter((mirror, _, [first = mirror]) => classOf(mirror) === classOf(first));
  let left = random * best.reduce((sum, { weight = 1 }) => sum + weight, 0);
  const drawn = best.filter(({ weight = 1 }) => (left -= weight) < 0);
  return [...new Set([...drawn, ...ranked])];
}

const hourMs = 3_600_000;

function keysOf(mirror: Rankable, at: string, country: string | undefined): number[] {
  return [
    -mirror.status,
    mirror.content_code ? 1 : 0,
    mirror.unverified_since || mirror.state === "unknown" ? 1 : 0,
    mirror.maintenance ? 1 : 0,
    mirror.notice ? 1 : 0,
    ...freshnessKeys(mirror, Date.parse(at)),
    unsteadiness(mirror, Date.parse(at)),
    country && mirror.country !== country ? 1 : 0,
    // Differences of a few milliseconds must not reorder the mirrors every day.
    Math.floor(Math.log2(Math.max(1, mirror.mean_latency_ms ?? Infinity))),
    mirror.primary ? 0 : 1,
  ];
}

/**
 * Being behind for less than an hour does not count. Otherwise, everyone would use the primary of a busy repository.
 * `differs` comes last, because the reference may never have had that content.
 */
function freshnessKeys({ state, freshness, behind_since }: Rankable, at: number): number[] {
  if (freshness === "differs") return [4, 0];
  if (freshness !== "behind") return [freshness === "in_sync" ? 0 : 2, 0];
  const since = Date.parse(behind_since ?? "") || 0;
  if (at - since < hourMs) return [0, 0];
  // The state becomes `behind` only after the time that mirrors have to follow.
  return state === "online" ? [1, 0] : [3, -since];
}

/** Counts steps of the uptime, so that few runs change it, and one step for a mirror that has just come back. */
function unsteadiness({ status, since, uptime }: Rankable, at: number): number {
  const ratio = uptime?.["7d"].ratio ?? 1;
  const steps = [0.99, 0.95, 0.8].filter((step) => ratio < step).length;
  return status === 1 && at - Date.parse(since ?? "") < 6 * hourMs ? steps + 1 : steps;
}

function compare(left: readonly number[], right: readonly number[]): number {
  return left.map((value, key) => value - (right[key] ?? 0)).find(Boolean) ?? 0;
}
