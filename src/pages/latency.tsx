import type { Days } from "../model/uptime.ts";
import { formatDate } from "./timestamp.tsx";

const sparklineDays = 30;
const sparklineHeight = 16;
const chartHeight = 100;
const dayWidth = 2;

/** The mean latencies of the last thirty days as a small line from zero up; nothing where there are fewer than two. */
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

/** The latencies of each day as a chart with its axes: a line of the means in the band from the least to the most. */
export function LatencyChart({
  days,
  label,
}: {
  readonly days: Days;
  readonly label: string;
}): preact.JSX.Element {
  const { mean, min, max } = days.latency_ms;
  const top = roundedUp(Math.max(1, ...max.map((one) => one ?? 0)));
  const first = Date.parse(days.from);
  const dates = [0, 0.5, 1].map((share) => {
    const day = Math.round(share * (mean.length - 1));
    return formatDate(new Date(first + day * 86_400_000).toISOString());
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
        {[...new Set(dates)].map((date) => (
          <span>{date}</span>
        ))}
      </div>
    </figure>
  );
}

/** The next number that an axis can end with: 1, 2, 4 or 6 with zeros. */
export function roundedUp(value: number): number {
  const scale = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 6].find((step) => step * scale >= value) ?? 10) * scale;
}

/** A line through the values, broken where one is missing; a value alone is a dot. */
function linePath(values: readonly (number | null)[], max: number, height: number): string {
  return spansOf(values)
    .map(({ from, span }) => {
      const [first = 0, ...others] = span.map((value) => heightOf(value, max, height));
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

/** The area between two lines, broken where a value is missing. */
function bandPath(low: readonly (number | null)[], high: readonly (number | null)[], max: number): string {
  return spansOf(high)
    .map(({ from, span }) => {
      const upper = span.map((value, index) => point(from + index, value, max));
      const lower = span.map((_, index) => point(from + index, low[from + index] ?? 0, max));
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

/** The values that follow one another without a missing one between them. */
function spansOf(values: readonly (number | null)[]): { from: number; span: number[] }[] {
  const spans: { from: number; span: number[] }[] = [];
  values.forEach((value, index) => {
    if (value === null) return;
    if (index > 0 && typeof values[index - 1] === "number") spans.at(-1)?.span.push(value);
    else spans.push({ from: index, span: [value] });
  });
  return spans;
}
