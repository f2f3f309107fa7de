import type { Usage } from "./measure.ts";

/** Measurements of mirrorfeed and, in some rows, of a peer that does the same work. */
export interface Row {
  readonly what: string;
  readonly unit: Unit;
  readonly own: readonly number[];
  readonly peer?: string;
  /** The peer's measurements, pair by pair. Left out if the peer is not installed. */
  readonly theirs?: readonly number[];
  /**
   * The largest acceptable median. With a peer, this is the median of the ratios to the peer. Without one, it is the median
   * of `own`.
   */
  readonly goal?: number | undefined;
}

const units = {
  /** From milliseconds. */
  seconds: (value: number) => `${(value / 1000).toFixed(value < 10_000 ? 2 : 1)} s`,
  milliseconds: (value: number) => `${Math.round(value)} ms`,
  megabytes: (value: number) => `${Math.round(value)} MB`,
  kilobytes: (value: number) => `${value.toFixed(1)} KB`,
  timeouts: (value: number) => `${value.toFixed(2)} T`,
  elements: (value: number) => value.toLocaleString("en"),
  times: (value: number) => `${value.toFixed(2)} ×`,
} as const;

export type Unit = keyof typeof units;

export function comparison(
  what: string,
  figure: "wallMs" | "cpuMs",
  peer: string,
  measured: readonly (readonly [Usage, Usage])[],
  goal?: number,
): Row {
  const [own, theirs] = [
    measured.map(([usage]) => usage[figure]),
    measured.map(([, usage]) => usage[figure]),
  ];
  return { what, unit: "seconds", own, peer, theirs, goal };
}

export function markdownTable(rows: readonly Row[]): string {
  const heads = ["what", "goal", "mirrorfeed", "peer", "ratio", "met"];
  const lines = [heads, heads.map(() => "---"), ...rows.map(cells)];
  return lines.map((line) => `| ${line.join(" | ")} |`).join("\n");
}

function cells({ what, unit, own, peer, theirs, goal }: Row): string[] {
  if (own.length === 0) return [what, "", "", `${peer ?? ""} is not installed`, "", ""];
  const ratios = theirs?.map((value, index) => (own[index] ?? NaN) / value);
  const [judged, judgedUnit] = ratios === undefined ? [own, unit] : [ratios, "times" as const];
  const verdict = goal === undefined ? "" : median(judged) <= goal ? "yes" : "**no**";
  return [
    what,
    goal === undefined ? "" : `≤ ${units[judgedUnit](goal)}`,
    spread(own, unit),
    theirs === undefined ? "" : `${peer ?? ""}: ${spread(theirs, unit)}`,
    ratios === undefined ? "" : spread(ratios, "times"),
    verdict,
  ];
}

/** Median and range. */
function spread(values: readonly number[], unit: Unit): string {
  const show = units[unit];
  if (values.length === 1) return show(median(values));
  return `${show(median(values))} (${show(Math.min(...values))}–${show(Math.max(...values))})`;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle)] ?? NaN)) / 2;
}
