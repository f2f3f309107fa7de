/** How many days before today feeds and pages show. */
export const daysShown = 90;

/** The result of a day. `before` is a day without a run, such as one before the mirror was in the feed. */
export type DayKind = "good" | "some" | "bad" | "unobserved" | "before";

/** The runs of a day by result. */
export interface DayCount {
  readonly ok: number;
  readonly failed: number;
  readonly unobserved: number;
}

/** Returns the kind of a day: `bad` if at least half of its observations failed, `some` if fewer did. */
export function dayKind({ ok, failed, unobserved }: DayCount): DayKind {
  if (ok + failed === 0) return unobserved === 0 ? "before" : "unobserved";
  if (failed === 0) return "good";
  return failed * 2 < ok + failed ? "some" : "bad";
}
