import type { DayWords } from "../words/english-days.ts";
import type { DayCount } from "../../../base/text/day-kind.ts";
import type { ReportNode } from "./report.ts";

const dayMs = 86_400_000;

/** What is known of one day of a mirror. */
export interface Day {
  /** ISO 8601 date. */
  readonly date: string;
  readonly count: DayCount;
  /** In milliseconds. Of a day long ago only the mean is known. */
  readonly latencies: readonly [mean: number, min?: number, max?: number] | undefined;
  /** The changes of the status on that day, the oldest first. */
  readonly changes: ReportNode["transitions"];
}

/**
 * Returns the day of a mirror that is `back` days before `today` (ISO 8601 date), from its report. The report has no counts of
 * today itself, which are in the heartbeat.
 */
export function dayOf(
  { days, transitions }: ReportNode,
  today: string,
  back: number,
  countToday: DayCount | undefined,
): Day {
  const date = new Date(Date.parse(today) - back * dayMs).toISOString().slice(0, 10);
  const index = days === undefined ? -1 : Math.round((Date.parse(date) - Date.parse(days.from)) / dayMs);
  const [mean, min, max] = (["mean", "min", "max"] as const).map((one) => days?.latency_ms[one][index]);
  return {
    date,
    count:
      back === 0
        ? (countToday ?? { ok: 0, failed: 0, unobserved: 0 })
        : {
            ok: days?.ok[index] ?? 0,
            failed: days?.failed?.[index] ?? 0,
            unobserved: days?.unobserved?.[index] ?? 0,
          },
    latencies: mean == null ? undefined : min == null || max == null ? [mean] : [mean, min, max],
    changes: transitions.filter(({ at }) => at.startsWith(date)).toReversed(),
  };
}

/** Returns the result of a day in words, such as `2 of 48 failed`. */
export function resultText(words: DayWords, { ok, failed, unobserved }: DayCount): string {
  const observed = ok + failed;
  if (observed === 0) return unobserved === 0 ? words.noData : words.notObserved;
  if (failed === 0) return words.noFailure;
  return words.failed(failed, observed);
}

/** Returns how much of a day was observed as a percentage, or a dash if no run was due. */
export function coverageText(words: DayWords, { ok, failed, unobserved }: DayCount): string {
  const due = ok + failed + unobserved;
  return due === 0 ? "–" : words.percent((ok + failed) / due, 0);
}

/** Returns a day in lines of words: its result, latency and coverage, and what changed. */
export function dayLines(words: DayWords, { count, latencies, changes }: Day): string[] {
  const observed = count.ok + count.failed;
  return [
    resultText(words, count),
    ...(latencies === undefined ? [] : [words.latency(...latencies)]),
    ...(observed > 0 && count.unobserved > 0 ? [words.observed(coverageText(words, count))] : []),
    ...changes.map(
      ({ at, status, sentence = "" }) =>
        `${at.slice(11, 16)} UTC ${status === 1 ? words.online : words.offline}${status === 1 ? "" : `: ${sentence}`}`,
    ),
  ];
}
