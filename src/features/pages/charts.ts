import { type DayCount, type DayKind, dayKind, daysShown } from "../../core/base/text/count.ts";

/** The width of a day and of the gap after it, in SVG units. The stylesheet's dashes have the same length. */
const dayWidth = 4;
/** The gap before today is wider. */
const todayAt = daysShown * dayWidth + 3;
const middle = 12;

export function barsViewBox(hasToday: boolean): string {
  const width = hasToday ? todayAt + dayWidth - 1 : daysShown * dayWidth - 1;
  return `0 0 ${width} ${middle * 2}`;
}

export const todayPath = `M${todayAt} ${middle}h${dayWidth - 1}`;

/**
 * Returns one path for each kind of day. Consecutive days of a kind are one line, which the stylesheet divides into
 * dashes.
 */
export function barPaths(days: readonly DayCount[]): Map<DayKind, string> {
  const paths = new Map<DayKind, string>();
  const draw = (kind: DayKind, from: number, length: number): void => {
    const line = `M${from * dayWidth} ${middle}h${length * dayWidth - 1}`;
    paths.set(kind, (paths.get(kind) ?? "") + line);
  };
  const kinds = days.map(dayKind);
  const missing = daysShown - kinds.length;
  if (missing > 0) draw("before", 0, missing);
  kinds.forEach((kind, start) => {
    if (kinds[start - 1] === kind) return;
    const length = kinds.slice(start).findIndex((other) => other !== kind);
    draw(kind, missing + start, length < 0 ? kinds.length - start : length);
  });
  return paths;
}

export type DayScale = Readonly<ReturnType<typeof barScale>>;

/** Days are counted back from today, which is 0. Positions are shares (0 to 1) of the picture's width. */
export function barScale(width: number) {
  const newest = width > todayAt ? 0 : 1;
  return {
    newest,
    oldest: daysShown,
    dayAt: (share: number) => Math.max(newest, daysShown - Math.floor((share * width) / dayWidth)),
    /** Returns the position of a day's middle. */
    shareOf: (back: number) =>
      ((back === 0 ? todayAt : (daysShown - back) * dayWidth) + (dayWidth - 1) / 2) / width,
  };
}

/** The first and the last day are at the edges of a chart. */
export function chartScale(width: number): DayScale {
  const oldest = width + 1;
  return {
    newest: 1,
    oldest,
    dayAt: (share) => oldest - Math.round(share * width),
    shareOf: (back) => (oldest - back) / width,
  };
}

/** In SVG units. A day is one unit wide. */
export const chartHeight = 100;

/** Drawn at build time. The script can also draw 7 or 90 days from the report. */
export const chartDays = 30;

/** One value a day, null on days without one. */
type Latencies = readonly (number | null)[];

/** Rounds up to 1, 2, 4, 6 or 10 times a power of ten. */
export function axisMaximum(value: number): number {
  const scale = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 6].find((step) => step * scale >= value) ?? 10) * scale;
}

/**
 * Returns a path in which each value is one unit to the right of the value before. Missing values are gaps, and a value
 * between two gaps is a dot.
 */
export function linePath(values: Latencies, max: number): string {
  return segmentsOf(values)
    .map(({ from, known }) => {
      const [first = 0, ...others] = known.map((value) => heightOf(value, max));
      let before = first;
      const steps = others.map((at) => {
        const step = at - before;
        before = at;
        return step < 0 ? `1${step}` : `1 ${step}`;
      });
      return `M${from} ${first}${steps.length > 0 ? `l${steps.join(" ")}` : "h0"}`;
    })
    .join("");
}

export function bandPath(low: Latencies, high: Latencies, max: number): string {
  const point = (day: number, value: number): string => `${day} ${heightOf(value, max)}`;
  return segmentsOf(high)
    .map(({ from, known }) => {
      const upper = known.map((value, index) => point(from + index, value));
      const lower = known.map((_, index) => point(from + index, low[from + index] ?? 0));
      return `M${[...upper, ...lower.reverse()].join("L")}z`;
    })
    .join("");
}

function heightOf(value: number, max: number): number {
  return Math.round(chartHeight - (value / max) * chartHeight);
}

function segmentsOf(values: Latencies): { from: number; known: number[] }[] {
  const segments: { from: number; known: number[] }[] = [];
  values.forEach((value, index) => {
    if (value === null) return;
    if (index > 0 && typeof values[index - 1] === "number") segments.at(-1)?.known.push(value);
    else segments.push({ from: index, known: [value] });
  });
  return segments;
}
