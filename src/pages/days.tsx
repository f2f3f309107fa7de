import { type Count, dayMs } from "../state/counts.ts";
import { isoDay } from "../model/timestamp.ts";
import type { Node } from "../model/feed.ts";
import { type Days, daysShown } from "../model/uptime.ts";
import { formatCount, percent } from "../text/count.ts";

/** What kind of day it was; `before` is one of which nothing is counted, as before the feed existed. */
export type DayKind = "good" | "some" | "bad" | "unobserved" | "before";

type Counted = Pick<Count, "ok" | "failed" | "unobserved">;

/** The kind of a day: bad where at least half of what was observed had failed. */
export function dayKind({ ok, failed, unobserved }: Counted): DayKind {
  if (ok + failed === 0) return unobserved === 0 ? "before" : "unobserved";
  if (failed === 0) return "good";
  return failed * 2 < ok + failed ? "some" : "bad";
}

/** What was counted on one of the days that are kept, the oldest of which is the first. */
export function dayAt(days: Days, index: number): Counted {
  return {
    ok: days.ok[index] ?? 0,
    failed: days.failed[index] ?? 0,
    unobserved: days.unobserved[index] ?? 0,
  };
}

/** The date of one of the days that are kept. */
export function dateAt({ from }: Days, index: number): string {
  return isoDay(Date.parse(from) / dayMs + index);
}

/** How wide a day is in the picture, with the gap to the next one: the stylesheet's dashes are as long. */
const dayWidth = 4;
/** Today stands a little apart from the whole days. */
const todayAt = daysShown * dayWidth + 3;
const middle = 12;

/**
 * Ninety days as bars, and today where it is given: a path for each kind of day, in which a run of equal days is one
 * line that the stylesheet's dashes part.
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

/** The bars in words: how many days, the uptime of what was observed, the days with failures, the unobserved ones. */
export function daysSummary({ uptime }: Pick<Node, "uptime">, days: Days | undefined, today?: Count): string {
  const now = today === undefined ? "" : todayWords(today);
  if (days === undefined) return `No whole day yet${now}`;
  const { ratio } = uptime["90d"];
  const failing = days.failed.filter((failed) => failed > 0).length;
  const unobserved = days.ok.filter((ok, index) => ok + (days.failed[index] ?? 0) === 0).length;
  const parts = [ratio === undefined ? "nothing was observed" : `${percent(ratio)} of what was observed`];
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

function todayWords({ ok, failed }: Count): string {
  if (ok + failed === 0) return "; today nothing yet";
  return failed === 0 ? "; today no failure" : `; today ${failed} of ${ok + failed} failed`;
}
