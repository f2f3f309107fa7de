import type { Days } from "../model/uptime.ts";
import { WordingContext } from "./timestamp.tsx";

const sparklineDays = 30;
const sparklineHeight = 16;
const chartHeight = 100;
const dayWidth = 2;

/** Renders the mean latencies of the last 30 days as a small line above zero, or nothing if there are fewer than two. */
export function Sparkline({ days }: { readonly days: Days | undefined }): preact.JSX.Element | null {
  const means = days?.latency_ms.mean.slice(-sparklineDays) ?? [];
  if (means.filter((mean) => mean !== null).length < 2) return null;
  const max = Math.max(...means.map((mean) => mean ?? 0));
  const width = (means.length - 1) * dayWidth;
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${width} ${sparklineHeight}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={linePath(means, max, sparklineHeight)} />
    </svg>
  );
}

/** Renders the latencies of each day as a chart with axes: a line of the means, and a band from minimum to maximum. */
export function LatencyChart({
  days,
  label,
}: {
  readonly days: Days;
  readonly label: string;
}): preact.JSX.Element {
  const { mean, min, max } = days.latency_ms;
  const top = axisMaximum(Math.max(1, ...max.map((one) => one ?? 0)));
  const first = Date.parse(days.from);
  const dates = [0, 0.5, 1].map((share) => {
    const day = Math.round(share * (mean.length - 1));
    return new Date(first + day * 86_400_000).toISOString();
  });
  const width = Math.max(1, mean.length - 1) * dayWidth;
  return (
    <figure class="chart" role="img" aria-label={label}>
      <div class="scale">
        {[top, top / 2, 0].map((value) => (
          <span>{value} ms</span>
        ))}
      </div>
      <svg viewBox={`0 0 ${width} ${chartHeight}`} preserveAspectRatio="none" aria-hidden="true">
        <path class="grid" d={`M0 0h${width}m0 50H0m0 50h${width}`} />
        <path class="band" d={bandPath(min, max, top)} />
        <path class="mean" d={linePath(mean, top, chartHeight)} />
      </svg>
      <div class="dates">
        <WordingContext.Consumer>
          {({ format }) => [...new Set(dates)].map((date) => <span>{format.day(date)}</span>)}
        </WordingContext.Consumer>
      </div>
    </figure>
  );
}

/** Returns the value rounded up to an end for an axis: 1, 2, 4 or 6 with zeros. */
export function axisMaximum(value: number): number {
  const scale = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 6].find((step) => step * scale >= value) ?? 10) * scale;
}

/** Returns the path of a line through the values. It has a gap at each missing value, and a dot for a single one. */
function linePath(values: readonly (number | null)[], max: number, height: number): string {
  return segmentsOf(values)
    .map(({ from, known }) => {
      const [first = 0, ...others] = known.map((value) => heightOf(value, max, height));
      let before = first;
      const steps = others.map((at) => {
        const step = `l${dayWidth} ${at - before}`;
        before = at;
        return step;
      });
      return `M${from * dayWidth} ${first}${steps.join("") || "h0"}`;
    })
    .join("");
}

/** Returns the path of the area between two lines, with a gap at each missing value. */
function bandPath(low: readonly (number | null)[], high: readonly (number | null)[], max: number): string {
  return segmentsOf(high)
    .map(({ from, known }) => {
      const upper = known.map((value, index) => point(from + index, value, max));
      const lower = known.map((_, index) => point(from + index, low[from + index] ?? 0, max));
      return `M${[...upper, ...lower.reverse()].join("L")}z`;
    })
    .join("");
}

function point(day: number, value: number, max: number): string {
  return `${day * dayWidth} ${heightOf(value, max, chartHeight)}`;
}

function heightOf(value: number, max: number, height: number): number {
  return Math.round(height - (value / max) * height);
}

/** Returns the segments of values without a missing one, each with the index of its first value. */
function segmentsOf(values: readonly (number | null)[]): { from: number; known: number[] }[] {
  const segments: { from: number; known: number[] }[] = [];
  values.forEach((value, index) => {
    if (value === null) return;
    if (index > 0 && typeof values[index - 1] === "number") segments.at(-1)?.known.push(value);
    else segments.push({ from: index, known: [value] });
  });
  return segments;
}
