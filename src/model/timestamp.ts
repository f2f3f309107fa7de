import { dayMs } from "../state/counts.ts";

/** A moment (epoch milliseconds) as every document writes it: in UTC, with milliseconds. */
export function isoTimestamp(at: number): string {
  return new Date(at).toISOString();
}

/** A day by its number since 1970, as a date in UTC. */
export function isoDay(day: number): string {
  return isoTimestamp(day * dayMs).slice(0, 10);
}
