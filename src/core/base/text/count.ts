/** Returns a count and its noun, with thousands separators: `1 mirror`, `10,000 mirrors`. */
export function formatCount(count: number, noun: string): string {
  return `${formatInteger(count)} ${noun}${count === 1 ? "" : "s"}`;
}

export function formatInteger(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Joins names for a sentence: `a, b or c`. */
export function formatList(names: readonly string[], last: "and" | "or"): string {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} ${last} ${names.at(-1) ?? ""}`;
}

/** Formats a share from 0 to 1 as a percentage. Never rounds up to 100 % or down to 0 %. */
export function percent(share: number, decimals = 2): string {
  if (share === 0 || share === 1) return `${share * 100} %`;
  const step = 10 ** -decimals;
  const shown = Math.min(Math.max(share * 100, step), 100 - step);
  return `${shown.toFixed(decimals)} %`;
}

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
