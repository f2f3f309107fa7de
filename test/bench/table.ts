import { spread } from "./pairs.ts";

/** One row of the table: what was measured, of mirrorfeed and of a peer on the same work. */
export interface Row {
  readonly what: string;
  /** In words, such as `≤ 2.5 ×`; empty where nothing was promised. */
  readonly goal: string;
  readonly own: string;
  readonly peer: string;
  /** mirrorfeed's value divided by the peer's, pair by pair: the median and the range. */
  readonly ratio: string;
  /** Undefined without a goal. */
  readonly isMet: boolean | undefined;
}

/** Measurements of mirrorfeed and a peer, in the same unit, pair by pair. */
export interface Comparison {
  readonly what: string;
  readonly peer: string;
  /** The largest ratio that meets the goal. */
  readonly goal?: number;
  readonly values: readonly (readonly [own: number, peer: number])[];
  readonly show: (value: number) => string;
}

/** Returns the row of a comparison with a peer. The goal is a ratio. */
export function comparisonRow({ what, peer, goal, values, show }: Comparison): Row {
  const ratio = spread(values.map(([own, theirs]) => own / theirs));
  return {
    what,
    goal: goal === undefined ? "" : `≤ ${goal} ×`,
    own: showSpread(
      values.map(([own]) => own),
      show,
    ),
    peer: `${peer}: ${showSpread(
      values.map(([, theirs]) => theirs),
      show,
    )}`,
    ratio: `${factor(ratio.median)} (${factor(ratio.lowest)}–${factor(ratio.highest)})`,
    isMet: goal === undefined ? undefined : ratio.median <= goal,
  };
}

/** Measurements of mirrorfeed alone. */
export interface Measurement {
  readonly what: string;
  /** The largest median that meets the goal. */
  readonly goal?: number;
  readonly values: readonly number[];
  readonly show: (value: number) => string;
}

/** Returns the row of a measurement without a peer. The goal is a value. */
export function measurementRow({ what, goal, values, show }: Measurement): Row {
  return {
    what,
    goal: goal === undefined ? "" : `≤ ${show(goal)}`,
    own: showSpread(values, show),
    peer: "",
    ratio: "",
    isMet: goal === undefined ? undefined : spread(values).median <= goal,
  };
}

/** Returns a row that says that a peer is not installed. */
export function missingRow(what: string, peer: string): Row {
  return { what, goal: "", own: "", peer: `${peer} is not installed`, ratio: "", isMet: undefined };
}

/** Milliseconds as seconds. */
export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 2 : 1)} s`;
}

/** Returns a value in megabytes as text. */
export function megabytes(value: number): string {
  return `${Math.round(value)} MB`;
}

/** Rows as a table in Markdown. */
export function markdownTable(rows: readonly Row[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const heads = ["what", "goal", "mirrorfeed", "peer", "ratio", "met"];
  return [
    line(heads),
    line(heads.map(() => "---")),
    ...rows.map(({ what, goal, own, peer, ratio, isMet }) =>
      line([what, goal, own, peer, ratio, isMet === undefined ? "" : isMet ? "yes" : "**no**"]),
    ),
  ].join("\n");
}

function showSpread(values: readonly number[], show: (value: number) => string): string {
  const { median, lowest, highest } = spread(values);
  return values.length === 1 ? show(median) : `${show(median)} (${show(lowest)}–${show(highest)})`;
}

function factor(value: number): string {
  return `${value.toFixed(2)} ×`;
}
