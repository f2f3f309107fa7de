/** The units of a chart: a day wide, and a hundred high. */
export const chartHeight = 100;

/** Returns the value rounded up to an end for an axis: 1, 2, 4 or 6 with zeros. */
export function axisMaximum(value: number): number {
  const scale = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 6].find((step) => step * scale >= value) ?? 10) * scale;
}

/** Returns the path of a line through the values, one a unit. It has a gap at each missing value, and a dot for a single one. */
export function linePath(values: readonly (number | null)[], max: number, height = chartHeight): string {
  return segmentsOf(values)
    .map(({ from, known }) => {
      const [first = 0, ...others] = known.map((value) => heightOf(value, max, height));
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

/** Returns the path of the area between two lines, with a gap at each missing value. */
export function bandPath(
  low: readonly (number | null)[],
  high: readonly (number | null)[],
  max: number,
): string {
  return segmentsOf(high)
    .map(({ from, known }) => {
      const upper = known.map((value, index) => point(from + index, value, max));
      const lower = known.map((_, index) => point(from + index, low[from + index] ?? 0, max));
      return `M${[...upper, ...lower.reverse()].join("L")}z`;
    })
    .join("");
}

function point(day: number, value: number, max: number): string {
  return `${day} ${heightOf(value, max, chartHeight)}`;
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
