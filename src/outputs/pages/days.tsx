import type { Words } from "./words/words.ts";
import { isoDay } from "../../feed/timestamp.ts";
import type { FeedNode } from "../../feed/feed.ts";
import type { Days } from "../../feed/uptime.ts";
import { type Count, dayMs } from "../../state/counts.ts";
import { barPaths, barsViewBox, todayPath } from "../../base/text/day-bars.ts";
import { type DayCount, dayKind } from "../../base/text/day-kind.ts";

/** Returns the counts of each stored day, the oldest first. */
function dayCounts(days: Days | undefined): DayCount[] {
  if (days === undefined) return [];
  const { ok, failed, unobserved } = days;
  return ok.map((count, index) => ({
    ok: count,
    failed: failed[index] ?? 0,
    unobserved: unobserved[index] ?? 0,
  }));
}

/** Renders 90 days as bars, and today if given, with one path for each kind of day. */
export function dayBars(days: Days | undefined, today?: Count): preact.JSX.Element {
  const paths = [...barPaths(dayCounts(days))];
  if (today !== undefined) {
    const kind = dayKind(today);
    const drawn = paths.find(([one]) => one === kind);
    if (drawn === undefined) paths.push([kind, todayPath()]);
    else drawn[1] += todayPath();
  }
  return (
    <svg
      viewBox={barsViewBox(today !== undefined)}
      stroke="currentColor"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {paths.map(([kind, d]) => (
        <path class={kind} d={d} />
      ))}
    </svg>
  );
}

/** Returns the text alternative of the bars: the number of days, the uptime, and the days with failures or unobserved. */
export function daysSummary(
  { mirrors: { days: words }, number: { percent } }: Words,
  { uptime }: Pick<FeedNode, "uptime">,
  days: Days | undefined,
  today?: Count,
): string {
  const now = today === undefined ? [] : [todayText(words, today)];
  if (days === undefined) return [words.none, ...now].join("; ");
  const { ratio } = uptime["90d"];
  const failing = days.failed.filter((failed) => failed > 0).length;
  const unobserved = days.ok.filter((ok, index) => ok + (days.failed[index] ?? 0) === 0).length;
  const parts = [ratio === undefined ? words.nothing : words.uptime(percent(ratio))];
  if (failing > 0) {
    const last = days.failed.findLastIndex((failed) => failed > 0);
    parts.push(words.failing(failing, isoDay(Date.parse(days.from) / dayMs + last)));
  }
  if (unobserved > 0 && ratio !== undefined) parts.push(words.unobserved(unobserved));
  return `${words.days(days.ok.length)}: ${[...parts, ...now].join("; ")}`;
}

function todayText(words: Words["mirrors"]["days"], { ok, failed }: Count): string {
  if (ok + failed === 0) return words.notToday;
  return failed === 0 ? words.noFailureToday : words.failedToday(failed, ok + failed);
}
