import { type DayCount, dayKind, daysShown, formatCount, percent } from "../../core/base/text/count.ts";
import { formatIn } from "../../core/base/text/time.ts";
import { isoDay } from "../../core/base/text/timestamp.ts";
import type { Day } from "../../core/feed/uptime.ts";
import { axisMaximum, barPaths, barsViewBox, chartDays, chartHeight, linePath, todayPath } from "./charts.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";

/** Days are always UTC days. */
const format = formatIn("UTC");

function dayText({ day }: Day): string {
  return format.date(isoDay(day));
}

export function dayBars(days: readonly Day[], today?: DayCount) {
  const paths = barPaths(days);
  if (today !== undefined) paths.set(dayKind(today), (paths.get(dayKind(today)) ?? "") + todayPath);
  return (
    <svg
      viewBox={barsViewBox(today !== undefined)}
      stroke="currentColor"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {[...paths].map(([kind, d]) => (
        <path class={kind} d={d} />
      ))}
    </svg>
  );
}

/**
 * Renders a mirror's days as a link to its details. The script reads today's runs from `data-today`. As long as all of
 * them succeed, they are counted as one run, so that the row doesn't change with every run.
 */
export function dayLink(node: FeedNode, href: string, today?: DayCount, days = node.days()) {
  const { ok = 0, failed = 0, unobserved = 0 } = today ?? {};
  const runs = [failed + unobserved > 0 ? ok : Math.min(ok, 1), failed, unobserved];
  return (
    <a
      class="days"
      href={href}
      aria-label={`${node.name}, ${daysSummary(node, days, today)}`}
      data-today={today && runs.join(" ")}
    >
      {dayBars(days, today)}
    </a>
  );
}

export function daysSummary({ uptime }: Pick<FeedNode, "uptime">, days: readonly Day[], today?: DayCount) {
  const now = today === undefined ? [] : [todayText(today)];
  if (days.length === 0) return ["No whole day yet", ...now].join("; ");
  const { ratio } = uptime["90d"];
  const failing = days.filter(({ failed }) => failed > 0);
  const last = failing.at(-1);
  const unobserved = days.filter(({ ok, failed }) => ok + failed === 0).length;
  const parts = [ratio === undefined ? "nothing was observed" : `${percent(ratio)} uptime`];
  if (last) parts.push(`${formatCount(failing.length, "day")} with failures, last on ${dayText(last)}`);
  if (unobserved > 0 && ratio !== undefined) parts.push(`${formatCount(unobserved, "day")} unobserved`);
  return `${formatCount(days.length, "day")}: ${[...parts, ...now].join("; ")}`;
}

function todayText({ ok, failed }: DayCount): string {
  if (ok + failed === 0) return "not observed today";
  return failed === 0 ? "no failure today" : `${failed} of ${ok + failed} failed today`;
}

const windows = [
  ["24h", 1],
  ["7d", 7],
  ["30d", 30],
  ["90d", 90],
] as const;

/**
 * Renders the uptime in each window that the mirror's history fills. The next longer window, if any, has the label
 * “Since the first run”.
 */
export function uptimeWindows({ uptime, days_known }: FeedNode) {
  const known = windows.filter((_, index) => (windows[index - 1]?.[1] ?? 0) < Math.max(1, days_known));
  return (
    <>
      <p class="uptime">Uptime</p>
      <dl class="uptime">
        {known.map(([key, length]) => {
          const { ratio, coverage } = uptime[key];
          const isWhole = length < days_known || days_known === daysShown;
          const title = length === 1 ? "24 hours" : `${length} days`;
          return [
            <dt>{isWhole ? title : "Since the first run"}</dt>,
            <dd>{ratioText(ratio)}</dd>,
            isWhole && coverage < 1 && <dd class="quiet">{percent(coverage, 0)} observed</dd>,
          ];
        })}
      </dl>
    </>
  );
}

export function ratioText(ratio: number | undefined): string {
  return ratio === undefined ? "–" : percent(ratio);
}

/** The script adds minima and maxima, the values of each day, the choice of 7, 30 or 90 days, and an accessible name. */
export function latencyChart(days: readonly Day[]) {
  const shown = days.slice(-chartDays);
  const means = shown.map(({ mean }) => mean);
  // A line needs two points.
  if (means.filter((mean) => mean !== null).length < 2) return null;
  const top = axisMaximum(Math.max(1, ...shown.map(({ max }) => max ?? 0)));
  return (
    <figure class="chart">
      <figcaption>Mean latency by day</figcaption>
      <div class="scale">
        <i>{top} ms</i>
        <i>0 ms</i>
      </div>
      <svg viewBox={`0 0 ${shown.length - 1} ${chartHeight}`} preserveAspectRatio="none" aria-hidden="true">
        <path d={linePath(means, top)} />
      </svg>
      <div class="dates">
        {[shown[0], shown.at(-1)].map((day) => (
          <i>{day && dayText(day)}</i>
        ))}
      </div>
    </figure>
  );
}
