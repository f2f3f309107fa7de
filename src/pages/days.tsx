import { type Count, dayMs } from "../state/counts.ts";
import { isoDay } from "../model/timestamp.ts";
import type { Node } from "../model/feed.ts";
import { type Days, daysShown } from "../model/uptime.ts";
import { formatCount, percent } from "../text/count.ts";

/** The result of a day. `before` is a day without a run, such as one before the mirror was in the feed. */
export type DayKind = "good" | "some" | "bad" | "unobserved" | "before";

type DayCount = Pick<Count, "ok" | "failed" | "unobserved">;

/** Returns the kind of a day: `bad` if at least half of its observations failed, `some` if fewer did. */
export function dayKind({ ok, failed, unobserved }: DayCount): DayKind {
  if (ok + failed === 0) return unobserved === 0 ? "before" : "unobserved";
  if (failed === 0) return "good";
  return failed * 2 < ok + failed ? "some" : "bad";
}

/** Returns the counts of a stored day. Index 0 is the oldest day. */
export function dayAt(days: Days, index: number): DayCount {
  return {
    ok: days.ok[index] ?? 0,
    failed: days.failed[index] ?? 0,
    unobserved: days.unobserved[index] ?? 0,
  };
}

/** Returns the ISO 8601 date of a stored day. Index 0 is the oldest day. */
export function dateAt({ from }: Days, index: number): string {
  return isoDay(Date.parse(from) / dayMs + index);
}

/** The width of a day with its gap, in units of the picture. The dashes of the stylesheet have the same length. */
const dayWidth = 4;
/** The gap before today is wider. */
const todayAt = daysShown * dayWidth + 3;
const middle = 12;

/**
 * Renders 90 days as bars, and today if given. Each kind of day is one path. Consecutive days of a kind are one line, which
 * the stylesheet divides into dashes.
 */
export function DayBars({
  days,
  today,
}: {
  readonly days: Days | undefined;
  readonly today?: Count | undefined;
}): preact.JSX.Element {
  const paths = new Map<DayKind, string>();
  const draw = (kind: DayKind, from: number, length: number): void => {
    const line = `M${from} ${middle}h${length * dayWidth - 1}`;
    paths.set(kind, (paths.get(kind) ?? "") + line);
  };
  const kinds = days === undefined ? [] : days.ok.map((_, index) => dayKind(dayAt(days, index)));
  const missing = daysShown - kinds.length;
  if (missing > 0) draw("before", 0, missing);
  kinds.forEach((kind, start) => {
    if (kinds[start - 1] === kind) return;
    const length = kinds.slice(start).findIndex((other) => other !== kind);
    draw(kind, (missing + start) * dayWidth, length < 0 ? kinds.length - start : length);
  });
  if (today !== undefined) draw(dayKind(today), todayAt, 1);
  const width = today === undefined ? daysShown * dayWidth - 1 : todayAt + dayWidth - 1;
  return (
    <svg viewBox={`0 0 ${width} ${middle * 2}`} preserveAspectRatio="none" aria-hidden="true">
      {[...paths].map(([kind, d]) => (
        <path class={kind} d={d} />
      ))}
    </svg>
  );
}

/** Returns the text alternative of the bars: the number of days, the uptime, and the days with failures or unobserved. */
export function daysSummary({ uptime }: Pick<Node, "uptime">, days: Days | undefined, today?: Count): string {
  const now = today === undefined ? "" : todayText(today);
  if (days === undefined) return `No whole day yet${now}`;
  const { ratio } = uptime["90d"];
  const failing = days.failed.filter((failed) => failed > 0).length;
  const unobserved = days.ok.filter((ok, index) => ok + (days.failed[index] ?? 0) === 0).length;
  const parts = [ratio === undefined ? "nothing was observed" : `${percent(ratio)} uptime`];
  if (failing > 0) {
    const last = dateAt(
      days,
      days.failed.findLastIndex((failed) => failed > 0),
    );
    parts.push(`${formatCount(failing, "day")} with failures, last on ${last}`);
  }
  if (unobserved > 0 && ratio !== undefined) parts.push(`${formatCount(unobserved, "day")} unobserved`);
  return `${formatCount(days.ok.length, "day")}: ${parts.join("; ")}${now}`;
}

function todayText({ ok, failed }: Count): string {
  if (ok + failed === 0) return "; not observed today";
  return failed === 0 ? "; no failure today" : `; ${failed} of ${ok + failed} failed today`;
}
