/** What happened in one hour or one day: how many runs saw what, and the latencies (milliseconds) of the good ones. */
export interface Count {
  readonly ok: number;
  readonly failed: number;
  readonly unobserved: number;
  readonly latencySum: number;
  readonly latencyMin: number;
  readonly latencyMax: number;
}

/** One hour or day by its number since 1970, and its count. */
export interface Period {
  readonly period: number;
  readonly count: Count;
}

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
export const hoursKept = 48;
/** Ninety whole days and today. */
export const daysKept = 91;

/**
 * Counts are kept as text, because a state has millions of them: the number of the newest period, then its entry and
 * those before it, newest first, an empty one where nothing was seen: `5ao9|2.0.0,,1.1.0`. Numbers are in base 36;
 * an entry is `ok.failed.unobserved`, and `.latencySum.latencyMin.latencyMax` where there was a latency.
 */
export type PackedCounts = string;

/** What a packed text looks like; anything else is refused at the door of the state. */
export const packedPattern =
  /^(?:[0-9a-z]{1,6}\|(?:(?:[0-9a-z]{1,9}\.){2}[0-9a-z]{1,9}(?:(?:\.[0-9a-z]{1,11}){3})?)?(?:,(?:(?:[0-9a-z]{1,9}\.){2}[0-9a-z]{1,9}(?:(?:\.[0-9a-z]{1,11}){3})?)?){0,99})?$/;

/** The counts with one more observation in a period; periods older than `keep` are dropped, and late ones too. */
export function addCount(packed: PackedCounts, period: number, added: Count, keep: number): PackedCounts {
  const [newest, entries] = split(packed);
  if (newest === undefined) return join(period, [write(added)]);
  const ahead = period - newest;
  if (ahead > 0) {
    const gap = Array<string>(Math.min(ahead, keep) - 1).fill("");
    return join(period, [write(added), ...gap, ...entries].slice(0, keep));
  }
  if (-ahead >= keep) return packed;
  const filled = [...entries];
  // Whatever lies between is a hole, which is joined as nothing.
  filled[-ahead] = write(sum(read(entries[-ahead] ?? ""), added));
  return join(newest, filled);
}

/** The counts of a period and those before it. */
export function countsUntil(packed: PackedCounts, period: number): PackedCounts {
  const [newest, entries] = split(packed);
  if (newest === undefined || newest <= period) return packed;
  const kept = entries.slice(newest - period);
  return kept.length === 0 ? "" : join(period, kept);
}

/** The periods of packed counts in which anything was counted, newest first. */
export function readCounts(packed: PackedCounts): Period[] {
  const [newest, entries] = split(packed);
  if (newest === undefined) return [];
  return entries.flatMap((entry, back) =>
    entry === "" ? [] : [{ period: newest - back, count: read(entry) }],
  );
}

/** Two counts taken together. */
export function sum(left: Count, right: Count): Count {
  return {
    ok: left.ok + right.ok,
    failed: left.failed + right.failed,
    unobserved: left.unobserved + right.unobserved,
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

/** Nothing counted yet. */
export const nothing: Count = {
  ok: 0,
  failed: 0,
  unobserved: 0,
  latencySum: 0,
  latencyMin: 0,
  latencyMax: 0,
};

function split(packed: PackedCounts): [newest: number | undefined, entries: string[]] {
  if (packed === "") return [undefined, []];
  const [newest = "", entries = ""] = packed.split("|");
  return [Number.parseInt(newest, 36), entries.split(",")];
}

function join(newest: number, entries: readonly string[]): PackedCounts {
  return `${newest.toString(36)}|${entries.join(",")}`;
}

function read(entry: string): Count {
  const [ok = 0, failed = 0, unobserved = 0, latencySum = 0, latencyMin = 0, latencyMax = 0] =
    entry === "" ? [] : entry.split(".").map((number) => Number.parseInt(number, 36));
  return { ok, failed, unobserved, latencySum, latencyMin, latencyMax };
}

function write({ ok, failed, unobserved, latencySum, latencyMin, latencyMax }: Count): string {
  const numbers = [ok, failed, unobserved, ...(latencyMax === 0 ? [] : [latencySum, latencyMin, latencyMax])];
  return numbers.map((number) => number.toString(36)).join(".");
}
