import type { PassedOver, ResultFields } from "./interface.ts";

type Found = ResultFields & { readonly outcome?: string };

/**
 * Asks feeds in order until one is current. If none is, returns the result of the newest expired feed that may still be
 * used, or else the first failure.
 */
export async function firstCurrent<Result extends Found>(
  urls: readonly string[],
  ask: (url: string) => Promise<Result>,
): Promise<Result> {
  const failed: Result[] = [];
  const passed_over: PassedOver[] = [];
  for (const url of urls) {
    const result = await ask(url);
    if (isCurrent(result)) return passed_over[0] ? { ...result, passed_over } : result;
    failed.push(result);
    const { reason = "http_status", stale, cause } = result;
    passed_over.push({ url, reason: stale ? "expired" : reason, cause });
  }
  const best = newest(failed) ?? failed.find(({ reason }) => reason) ?? failed[0];
  if (!best) throw new TypeError("Invalid url");
  return passed_over[1] ? { ...best, passed_over } : best;
}

/** Any server can send a 404 that looks like the contract's, so a 404 alone does not make a feed current. */
export function isCurrent({ outcome, level, generated_at, stale }: Found): boolean {
  const isFeed = level !== "unknown" || generated_at !== undefined;
  return outcome !== "unknown" && isFeed && !stale;
}

/** Returns the newest result that has a time. Of equally new ones, returns the first. */
export function newest<Result extends Found>(all: readonly Result[]): Result | undefined {
  const timeOf = ({ generated_at = "" }: Result): number => Date.parse(generated_at);
  return all.filter((one) => timeOf(one) > 0).sort((one, other) => timeOf(other) - timeOf(one))[0];
}
