import { type DayCount, type DayKind, dayKind } from "./day-kind.ts";

/** How many days before today the bars show. */
export const daysShown = 90;

/** The width of a day with its gap, in units of the picture. The dashes of the stylesheet have the same length. */
export const dayWidth = 4;
/** The gap before today is wider. */
const todayAt = daysShown * dayWidth + 3;
const middle = 12;

/** Returns the viewBox of the bars, which has room for today if they have it. */
export function barsViewBox(hasToday: boolean): string {
  return `0 0 ${barsWidth(hasToday)} ${middle * 2}`;
}

/** Returns the path of today in the bars. */
export function todayPath(): string {
  return `M${todayAt} ${middle}h${dayWidth - 1}`;
}

/**
 * Returns the paths of the bars of up to 90 days before today, one for each kind of day. Consecutive days of a kind are one
 * line, which the stylesheet divides into dashes.
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

/** Returns how many days before today the bar at a share (0 to 1) of the width is. 0 is today, if the bars have it. */
export function dayAtShare(share: number, hasToday: boolean): number {
  const back = daysShown - Math.floor((share * barsWidth(hasToday)) / dayWidth);
  return Math.min(Math.max(back, hasToday ? 0 : 1), daysShown);
}

/** Returns the share (0 to 1) of the width at which the middle of the bar of a day is, `back` days before today. */
export function shareOfDay(back: number, hasToday: boolean): number {
  const from = back === 0 ? todayAt : (daysShown - back) * dayWidth;
  return (from + (dayWidth - 1) / 2) / barsWidth(hasToday);
}

function barsWidth(hasToday: boolean): number {
  return hasToday ? todayAt + dayWidth - 1 : daysShown * dayWidth - 1;
}
