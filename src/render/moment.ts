import { dayMs } from "../state/counts.ts";

/** A moment (epoch milliseconds) as every document writes it: in UTC, with milliseconds. */
export function momentText(at: number): string {
  return new Date(at).toISOString();
}

/** A day by its number since 1970, as a date in UTC. */
export function dayText(day: number): string {
  return momentText(day * dayMs).slice(0, 10);
}
