import type { DayCount } from "../base/text/day-kind.ts";

/** How many runs an hour or day had, by result, and the latencies (milliseconds) of the successful runs. */
export interface Count extends DayCount {
  readonly latencySum: number;
  readonly latencyMin: number;
  readonly latencyMax: number;
}

export interface Period {
  readonly period: number;
  readonly count: Count;
}

export const hoursKept = 48;
/** Ninety whole days and today. */
export const daysKept = 91;

/**
 * Counts packed into a string, because a state has millions of them: `5ao9|2.0.0,,1.1.0`. The number of the newest
 * period comes first, then an entry for each period, newest first. Numbers are in base 36. An entry is
 * `ok.failed.unobserved`, followed by `.excess.min.range` if there are latencies. The entry of a period without runs is
 * empty. To keep numbers short, `range` is the maximum minus the minimum, and `excess` is the sum minus `ok` times the
 * minimum.
 */
export type PackedCounts = string;

/** The state's parser rejects packed counts that do not match. */
export const packedPattern =
  /^(?:[0-9a-z]{1,6}\|(?:(?:[0-9a-z]{1,9}\.){2}[0-9a-z]{1,9}(?:(?:\.[0-9a-z]{1,11}){3})?)?(?:,(?:(?:[0-9a-z]{1,9}\.){2}[0-9a-z]{1,9}(?:(?:\.[0-9a-z]{1,11}){3})?)?){0,99})?$/;

/**
 * Adds a count to a period. `added.unobserved` may be negative, but the result is never below zero. Keeps the newest
 * `keep` periods; counts for older ones are ignored.
 */
export function addCount(packed: PackedCounts, period: number, added: Count, keep: number): PackedCounts {
  const newest = newestPeriod(packed);
  if (packed === "" || period > newest) {
    if (added.unobserved < 0) return packed;
    const between = packed === "" ? 0 : Math.min(period - newest, keep) - 1;
    return `${period.toString(36)}|${write(added)}${",".repeat(between)}${firstEntries(packed, keep - 1 - between)}`;
  }
  const age = newest - period;
  return age >= keep ? packed : addToEntry(packed, age, added);
}

/** Nearly all runs change only the first entry, so the string is not split: that would take five times as long. */
function addToEntry(packed: PackedCounts, age: number, added: Count): PackedCounts {
  let text = packed;
  let from = text.indexOf("|") + 1;
  for (let left = age; left > 0; left -= 1) {
    const comma = text.indexOf(",", from);
    if (comma < 0) text += ",";
    from = comma < 0 ? text.length : comma + 1;
  }
  const comma = text.indexOf(",", from);
  const to = comma < 0 ? text.length : comma;
  return text.slice(0, from) + write(sum(read(text, from, to), added)) + text.slice(to);
}

/** Returns the number of the newest period, or 0 if nothing was counted. */
function newestPeriod(packed: PackedCounts): number {
  // parseInt stops at the "|".
  return packed === "" ? 0 : Number.parseInt(packed, 36);
}

/** Returns up to `count` entries, newest first, each after a comma. */
function firstEntries(packed: PackedCounts, count: number): string {
  if (packed === "" || count === 0) return "";
  const start = packed.indexOf("|");
  let end = start;
  for (let left = count; left > 0 && end >= 0; left -= 1) end = packed.indexOf(",", end + 1);
  return `,${packed.slice(start + 1, end < 0 ? undefined : end)}`;
}

/** Returns the periods that are not empty, newest first. */
export function readCounts(packed: PackedCounts): Period[] {
  const periods: Period[] = [];
  let period = newestPeriod(packed);
  // The string is not split, because that would take ten times as long, and a third of the time to build a site
  // (test/bench, "render all").
  for (let from = packed.indexOf("|") + 1; from < packed.length; period -= 1) {
    const comma = packed.indexOf(",", from);
    const to = comma < 0 ? packed.length : comma;
    if (from < to) periods.push({ period, count: read(packed, from, to) });
    from = to + 1;
  }
  return periods;
}

export function sum(left: Count, right: Count): Count {
  return {
    ok: left.ok + right.ok,
    failed: left.failed + right.failed,
    unobserved: Math.max(0, left.unobserved + right.unobserved),
    latencySum: left.latencySum + right.latencySum,
    latencyMin:
      left.latencyMax === 0
        ? right.latencyMin
        : right.latencyMax === 0
          ? left.latencyMin
          : Math.min(left.latencyMin, right.latencyMin),
    latencyMax: Math.max(left.latencyMax, right.latencyMax),
  };
}

export const nothing: Count = {
  ok: 0,
  failed: 0,
  unobserved: 0,
  latencySum: 0,
  latencyMin: 0,
  latencyMax: 0,
};

/** An empty entry means all zeros. */
function read(text: string, from = 0, to = text.length): Count {
  const numbers = [0, 0, 0, 0, 0, 0];
  let field = 0;
  for (let index = from; index < to; index += 1) {
    const character = text.charCodeAt(index);
    if (character === dot) field += 1;
    else numbers[field] = (numbers[field] ?? 0) * 36 + digitOf(character);
  }
  const [ok = 0, failed = 0, unobserved = 0, excess = 0, latencyMin = 0, range = 0] = numbers;
  const latencySum = excess + ok * latencyMin;
  return { ok, failed, unobserved, latencySum, latencyMin, latencyMax: latencyMin + range };
}

const dot = ".".charCodeAt(0);
const zero = "0".charCodeAt(0);
const a = "a".charCodeAt(0);

function digitOf(character: number): number {
  return character < a ? character - zero : character - a + 10;
}

function write({ ok, failed, unobserved, latencySum, latencyMin, latencyMax }: Count): string {
  if (ok + failed + unobserved === 0) return "";
  // The excess would be negative in a hand-edited state that has successful runs without latencies.
  const excess = Math.max(0, latencySum - ok * latencyMin);
  const latency = latencyMax === 0 ? [] : [excess, latencyMin, latencyMax - latencyMin];
  const numbers = [ok, failed, unobserved, ...latency];
  return numbers.map((number) => number.toString(36)).join(".");
}
