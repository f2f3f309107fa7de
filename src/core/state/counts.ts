import type { DayCount } from "../base/text/count.ts";

/** How many runs an hour or day had, by result, and the latencies (milliseconds) of the successful runs. */
export interface Count extends DayCount {
  readonly latencySum: number;
  readonly latencyMin: number;
  readonly latencyMax: number;
}

export const hoursKept = 48;
/** Ninety whole days and today. */
export const daysKept = 91;

/**
 * Counts packed into a string, because a state has millions of them: `5ao9|2.0.0,,1.1.0`. The number of the newest
 * period comes first, then an entry for each period, newest first, which is empty without runs. Numbers are in base 36.
 * An entry is `ok.failed.unobserved`, followed by `.excess.min.range` if there are latencies. To keep numbers short,
 * `range` is the maximum minus the minimum, and `excess` is the sum minus `ok` times the minimum.
 */
export type PackedCounts = string;

/** The state's parser rejects packed counts that do not match. */
export const packedPattern =
  /^(?:[0-9a-z]{1,6}\|(?:(?:[0-9a-z]{1,9}\.){2}[0-9a-z]{1,9}(?:(?:\.[0-9a-z]{1,11}){3})?)?(?:,(?:(?:[0-9a-z]{1,9}\.){2}[0-9a-z]{1,9}(?:(?:\.[0-9a-z]{1,11}){3})?)?){0,99})?$/;

// The strings are never split: that would take five to ten times as long, and a third of the time to build a site
// (test/bench, "render all").

/** Adds counts to the newest `keep` periods. An added `unobserved` may be negative, but its sum is never below zero. */
export function addCounts(packed: PackedCounts, added: ReadonlyMap<number, Count>, keep: number) {
  const before = packed === "" ? Math.min(...added.keys()) - 1 : newestPeriod(packed);
  // There is nothing to take away from a period that is new.
  const periods = [...added.keys()].filter(
    (period) => period <= before || (added.get(period) ?? nothing).unobserved >= 0,
  );
  const newest = Math.max(before, ...periods);
  const kept = periods.filter((period) => period > newest - keep);
  if (kept.length === 0) return packed;
  // Only the entries down to the oldest change are written again. The others are copied as one text.
  const oldest = Math.max(newest - keep + 1, Math.min(...kept, before + 1));
  const entries: string[] = [];
  let from = packed.indexOf("|") + 1;
  for (let period = newest; period >= oldest; period -= 1) {
    const to = period > before ? from : entryEnd(packed, from);
    entries.push(write(sum(read(packed, from, to), added.get(period) ?? nothing)));
    if (period <= before) from = to + 1;
  }
  if (packed !== "" && from <= packed.length && entries.length < keep)
    entries.push(firstEntries(packed.slice(from), keep - entries.length));
  return `${newest.toString(36)}|${entries.join(",")}`;
}

function entryEnd(entries: string, from: number): number {
  const comma = entries.indexOf(",", from);
  return comma < 0 ? entries.length : comma;
}

function firstEntries(entries: string, keep: number): string {
  let end = -1;
  for (let left = keep; left > 0 && end < entries.length; left -= 1) end = entryEnd(entries, end + 1);
  return entries.slice(0, end);
}

function newestPeriod(packed: PackedCounts): number {
  // parseInt stops at the "|".
  return Number.parseInt(packed, 36);
}

/** Returns the periods that are not empty, newest first. */
export function readCounts(packed: PackedCounts) {
  const periods: { readonly period: number; readonly count: Count }[] = [];
  let period = newestPeriod(packed);
  for (let from = packed.indexOf("|") + 1; from < packed.length; period -= 1) {
    const to = entryEnd(packed, from);
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
    // Zero means that there is none.
    latencyMin: Math.min(left.latencyMin || right.latencyMin, right.latencyMin || left.latencyMin),
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
function read(text: string, from: number, to: number): Count {
  const numbers = [0, 0, 0, 0, 0, 0];
  let field = 0;
  for (let index = from; index < to; index += 1) {
    const character = text.charCodeAt(index);
    if (character === dot) field += 1;
    else
      numbers[field] = (numbers[field] ?? 0) * 36 + character - (character < letterA ? zero : letterA - 10);
  }
  const [ok = 0, failed = 0, unobserved = 0, excess = 0, latencyMin = 0, range = 0] = numbers;
  const latencySum = excess + ok * latencyMin;
  return { ok, failed, unobserved, latencySum, latencyMin, latencyMax: latencyMin + range };
}

const [dot = 0, zero = 0, letterA = 0] = Buffer.from(".0a");

function write({ ok, failed, unobserved, latencySum, latencyMin, latencyMax }: Count): string {
  if (ok + failed + unobserved === 0) return "";
  // The excess would be negative in a hand-edited state that has successful runs without latencies.
  const excess = Math.max(0, latencySum - ok * latencyMin);
  const latency = latencyMax === 0 ? [] : [excess, latencyMin, latencyMax - latencyMin];
  const numbers = [ok, failed, unobserved, ...latency];
  return numbers.map((number) => number.toString(36)).join(".");
}
