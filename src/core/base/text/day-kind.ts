/** Feeds and pages show today and this many days before it. */
export const daysShown = 90;

/** A day's result. `before` means that there was no run, as on days before the mirror was added. */
export type DayKind = "good" | "some" | "bad" | "unobserved" | "before";

/** Number of runs in a day, by result. */
export interface DayCount {
  readonly ok: number;
  readonly failed: number;
  readonly unobserved: number;
}

/** A day is `bad` if at least half of its observations failed, and `some` if fewer did. */
export function dayKind({ ok, failed, unobserved }: DayCount): DayKind {
  if (ok + failed === 0) return unobserved === 0 ? "before" : "unobserved";
  if (failed === 0) return "good";
  return failed * 2 < ok + failed ? "some" : "bad";
}
