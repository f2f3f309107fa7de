const dayMs = 86_400_000;

/**
 * Returns the time that content says it was made at as an ISO timestamp. Returns undefined if that is before 1970 or more
 * than a day after `now`: such a time is an error of its maker, and proves nothing.
 */
export function contentTime(at: number | undefined, now: number): string | undefined {
  return at !== undefined && at >= 0 && at <= now + dayMs ? new Date(at).toISOString() : undefined;
}
