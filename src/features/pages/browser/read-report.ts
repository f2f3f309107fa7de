import { type DayCount, formatInteger, percent } from "../../../core/base/text/count.ts";
import { tryParseJson } from "../../../core/base/text/json.ts";
import { sourceOf } from "./elements.ts";

const dayMs = 86_400_000;

export type ReportDay = Readonly<ReturnType<typeof unpack>[number]>;

export interface ReportNode {
  readonly id: number;
  /** One entry for each whole day, without gaps, oldest first. */
  readonly days: readonly ReportDay[];
  readonly transitions: readonly Readonly<{ at: string; status: number; sentence?: string }>[];
}

/** Run-length encoded, as in the report. */
type PackedCounts = readonly (readonly [count: number, length: number])[];

interface PackedDays {
  readonly from: string;
  readonly ok: PackedCounts;
  readonly failed?: PackedCounts;
  readonly unobserved?: PackedCounts;
  readonly latency_ms: Readonly<Record<"mean" | "min" | "max", readonly (number | null)[]>>;
}

type ReportNodes = ReadonlyMap<number, ReportNode>;

const fetched = new Map<string, Promise<ReportNodes>>();

/** Returns the report on an element's mirror, or undefined if it can't be loaded. Each report is fetched once. */
export async function fetchNode(element: Element): Promise<ReportNode | undefined> {
  const { id, report } = sourceOf(element);
  const loading = fetched.get(report) ?? loadReport(report);
  fetched.set(report, loading);
  try {
    return (await loading).get(id);
  } catch {
    // The next call tries again.
    fetched.delete(report);
    return undefined;
  }
}

export function forgetReports(): void {
  fetched.clear();
}

async function loadReport(url: string): Promise<ReportNodes> {
  const response = await fetch(url, { cache: "no-cache", signal: AbortSignal.timeout(30_000) });
  if (!response.ok) throw new Error(response.statusText);
  return parseReport(await response.text());
}

export function parseReport(text: string): ReportNodes {
  const report: unknown = JSON.parse(text);
  const nodes = isObject(report) && Array.isArray(report["network"]) ? report["network"].filter(isNode) : [];
  return new Map(nodes.map((node) => [node.id, { ...node, days: node.days ? unpack(node.days) : [] }]));
}

/** Dates are in ISO 8601, latencies in milliseconds. Only recent days have a minimum and a maximum. */
function unpack({ from, latency_ms: { mean, min, max }, ...counts }: PackedDays) {
  const column = (pairs: PackedCounts = []): number[] =>
    pairs.flatMap(([count, length]) => Array<number>(length).fill(count));
  const [ok, failed, unobserved] = [column(counts.ok), column(counts.failed), column(counts.unobserved)];
  return mean.map((own, index) => ({
    date: dateAfter(from, index),
    ok: ok[index] ?? 0,
    failed: failed[index] ?? 0,
    unobserved: unobserved[index] ?? 0,
    mean: own,
    min: min.at(index - mean.length) ?? null,
    max: max.at(index - mean.length) ?? null,
  }));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isNode(value: unknown): value is Omit<ReportNode, "days"> & { readonly days?: PackedDays } {
  return isObject(value) && typeof value["id"] === "number" && Array.isArray(value["transitions"]);
}

/**
 * Returns the end of the last run (ISO 8601), and today's runs of the mirrors in `ids`, which only the overview's HTML
 * has. Returns undefined if the text is not a heartbeat.
 */
export function parseHeartbeat(text: string, ids: ReadonlySet<number>) {
  const heartbeat = tryParseJson(text);
  if (!isObject(heartbeat)) return undefined;
  const { generated_at: at, nodes } = heartbeat;
  if (typeof at !== "string" || !Array.isArray(nodes)) return undefined;
  const wanted = nodes.filter(isObject).filter(({ id }) => ids.has(Number(id)));
  return { at, nodes: new Map(wanted.map((node) => [Number(node["id"]), countOf(node["today"])])) };
}

let newest: ReturnType<typeof parseHeartbeat>;

export function keepHeartbeat(text: string, ids: ReadonlySet<number>): void {
  newest = parseHeartbeat(text, ids) ?? newest;
}

export function runsToday(id: number, day: string): DayCount | undefined {
  return newest?.at.slice(0, 10) === day ? newest.nodes.get(id) : undefined;
}

/** Parses `data-today`, which `dayLink` in `src/features/pages/day-bars.tsx` writes. */
export function parseCount(text = ""): DayCount {
  const [ok = 0, failed = 0, unobserved = 0] = text.split(" ").map(Number);
  return { ok, failed, unobserved };
}

function countOf(value: unknown): DayCount {
  const { ok, failed, unobserved } = isObject(value) ? value : {};
  return { ok: Number(ok ?? 0), failed: Number(failed ?? 0), unobserved: Number(unobserved ?? 0) };
}

function dateAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, 10);
}

export function resultText({ ok, failed, unobserved }: DayCount): string {
  const observed = ok + failed;
  if (observed === 0) return unobserved === 0 ? "No data" : "Not observed";
  return failed === 0 ? "No failure" : `${formatInteger(failed)} of ${formatInteger(observed)} failed`;
}

export function coverageText({ ok, failed, unobserved }: DayCount): string {
  const due = ok + failed + unobserved;
  return due === 0 ? "–" : percent((ok + failed) / due, 0);
}

/**
 * Describes the day that is `back` days before `today` (ISO 8601 date). Today's runs are in `runs`, since the report
 * has only whole days.
 */
export function describeDay({ days, transitions }: ReportNode, today: string, back: number, runs?: DayCount) {
  const date = dateAfter(today, -back);
  const day = days.find((one) => one.date === date);
  const count = day ?? countOf(back === 0 ? runs : undefined);
  const lines = [resultText(count)];
  if (day && day.mean !== null) {
    const range = day.min === null ? "" : ` (${day.min} to ${day.max})`;
    lines.push(`Latency ${day.mean} ms${range}`);
  }
  if (count.ok + count.failed > 0 && count.unobserved > 0) lines.push(`${coverageText(count)} observed`);
  for (const { at, status, sentence = "" } of transitions.toReversed()) {
    const verdict = status === 1 ? "online" : `offline: ${sentence}`;
    if (at.startsWith(date)) lines.push(`${at.slice(11, 16)} UTC ${verdict}`);
  }
  return { date, lines };
}
