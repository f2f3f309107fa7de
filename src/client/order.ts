import type { Level, PassedOver, Reason } from "./interface.ts";

/** The part of a feed's answer that decides whether the next feed is asked. */
interface Found {
  readonly outcome: string;
  readonly level?: Level | undefined;
  readonly reason?: Reason | undefined;
  readonly cause?: unknown;
  readonly generated_at?: string | undefined;
  readonly stale?: true | undefined;
}

export interface Answered<Result> {
  /** The feed that gave the result. */
  readonly url: string;
  readonly result: Result;
  /** The feeds before it, or all of several feeds if none is current. */
  readonly passedOver?: readonly PassedOver[];
}

/**
 * Asks feeds one after the other until one is current. If none is, returns the newest that may be used although it has
 * expired, or else why the first was passed over.
 */
export async function firstCurrent<Result extends Found>(
  urls: readonly string[],
  ask: (url: string) => Promise<Result>,
): Promise<Answered<Result>> {
  const failed: Answered<Result>[] = [];
  const passedOver: PassedOver[] = [];
  for (const url of urls) {
    const result = await ask(url);
    if (isCurrent(result)) return { url, result, ...(passedOver[0] && { passedOver }) };
    failed.push({ url, result });
    const { reason = "http_status", stale, cause } = result;
    passedOver.push({ url, reason: stale ? "expired" : reason, cause });
  }
  const best = newest(failed) ?? failed.find(({ result }) => result.reason) ?? failed[0];
  if (!best) throw new TypeError("Invalid url");
  return { ...best, ...(passedOver[1] && { passedOver }) };
}

/** Any server may send a 404 that looks like the contract's, so that alone does not make it a feed. */
export function isCurrent({ outcome, level, generated_at, stale }: Found): boolean {
  const isFeed = level !== "unknown" || generated_at !== undefined;
  return outcome !== "unknown" && isFeed && !stale;
}

/** Returns the newest of the results that have a time. Of two equally new ones, the first. */
export function newest<Result extends Found>(all: readonly Answered<Result>[]): Answered<Result> | undefined {
  let [best, bestAt]: [Answered<Result> | undefined, number] = [undefined, 0];
  for (const one of all) {
    const at = Date.parse(one.result.generated_at ?? "");
    if (at > bestAt) [best, bestAt] = [one, at];
  }
  return best;
}
