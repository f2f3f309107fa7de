import { dayMs } from "../state/counts.ts";

/** Returns a time (epoch milliseconds) in ISO 8601, in UTC with milliseconds: the format of all documents. */
export function isoTimestamp(at: number): string {
  return new Date(at).toISOString();
}

/** Returns a day (counted from 1970 on) as an ISO 8601 date in UTC. */
export function isoDay(day: number): string {
  return isoTimestamp(day * dayMs).slice(0, 10);
}

/** Returns epoch milliseconds as `isoTimestamp` does, or undefined if there are none. */
export function timestampIfAny(time: number | undefined): string | undefined {
  return time === undefined ? undefined : isoTimestamp(time);
}
