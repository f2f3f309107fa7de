import type { Days } from "../../feed/uptime.ts";
import { axisMaximum, chartHeight, linePath } from "../../base/text/line-path.ts";
import type { PageFeed } from "./links.ts";

/** How many days are drawn at build time. The script draws 7 or 90, from the report. */
const chartDays = 30;
const sparklineHeight = 16;

/** Renders the mean latencies of the last 30 days as a small line above zero, or nothing if there are fewer than two. */
export function sparkline(days: Days | undefined): preact.JSX.Element | null {
  const means = days?.latency_ms.mean.slice(-chartDays) ?? [];
  if (means.filter((mean) => mean !== null).length < 2) return null;
  const max = Math.max(...means.map((mean) => mean ?? 0));
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${means.length - 1} ${sparklineHeight}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={linePath(means, max, sparklineHeight)} />
    </svg>
  );
}

/**
 * Renders the mean latencies of the last 30 days as a chart with axes. The script adds the minima and maxima, the values of a
 * day and the choice of 7, 30 or 90 days, from the report, and then the picture has a name.
 */
export function latencyChart(
  {
    words: {
      mirrors: { latency: words },
    },
    format,
  }: Pick<PageFeed, "words" | "format">,
  days: Days,
): preact.JSX.Element {
  const mean = days.latency_ms.mean.slice(-chartDays);
  const max = days.latency_ms.max.slice(-chartDays);
  const top = axisMaximum(Math.max(1, ...max.map((one) => one ?? 0)));
  const first = Date.parse(days.from) + (days.ok.length - mean.length) * 86_400_000;
  const dates = [0, 1].map((share) => {
    const day = Math.round(share * (mean.length - 1));
    return new Date(first + day * 86_400_000).toISOString();
  });
  const width = Math.max(1, mean.length - 1);
  return (
    <figure class="chart">
      <figcaption>{words.heading}</figcaption>
      <div class="scale">
        {[top, 0].map((value) => (
          <i>{value} ms</i>
        ))}
      </div>
      <svg viewBox={`0 0 ${width} ${chartHeight}`} preserveAspectRatio="none" aria-hidden="true">
        <path d={linePath(mean, top)} />
      </svg>
      <div class="dates">
        {[...new Set(dates)].map((date) => (
          <i>{format.day(date)}</i>
        ))}
      </div>
    </figure>
  );
}
