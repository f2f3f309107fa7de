/** The days of a mirror: columns, the newest day last. */
export interface ReportDays {
  readonly from: string;
  readonly ok: readonly number[];
  readonly failed?: readonly number[];
  readonly unobserved?: readonly number[];
  readonly latency_ms: Readonly<Record<"mean" | "min" | "max", Latencies>>;
}

type Latencies = readonly (number | null)[];

/** The days as the report has them: pairs of a count and of days in a row, and minima and maxima of the last days only. */
interface PackedDays extends Pick<ReportDays, "from" | "latency_ms"> {
  readonly ok: readonly (readonly [count: number, length: number])[];
  readonly failed?: PackedDays["ok"];
  readonly unobserved?: PackedDays["ok"];
}

interface PackedNode extends Omit<ReportNode, "days"> {
  readonly days?: PackedDays;
}

/** What the report of a target has of a mirror, as far as days are shown. */
export interface ReportNode {
  readonly id: number;
  readonly days?: ReportDays;
  readonly transitions: readonly {
    readonly at: string;
    readonly status: number;
    readonly sentence?: string;
  }[];
}

const fetchTimeout = 30_000;
const fetched = new Map<string, Promise<ReadonlyMap<number, ReportNode>>>();

/** Returns the mirrors of a target's report by id. It is fetched once, when a day is looked at for the first time. */
export function fetchReport(url: string): Promise<ReadonlyMap<number, ReportNode>> {
  const known = fetched.get(url) ?? fetchText(url).then(parseReport);
  fetched.set(url, known);
  // A failure is forgotten, so that the next look asks again.
  known.catch(() => fetched.delete(url));
  return known;
}

/** Forgets all reports, since the page has changed. */
export function forgetReports(): void {
  fetched.clear();
}

/** Returns the text at a URL. Rejects if there is none. */
export async function fetchText(url: string): Promise<string> {
  const response = await fetch(url, { cache: "no-cache", signal: AbortSignal.timeout(fetchTimeout) });
  if (!response.ok) throw new Error(response.statusText);
  return response.text();
}

/** Returns the mirrors of the text of a target's report. */
export function parseReport(text: string): ReadonlyMap<number, ReportNode> {
  const report: unknown = JSON.parse(text);
  const nodes = isObject(report) && Array.isArray(report["network"]) ? report["network"].filter(isNode) : [];
  return new Map(nodes.map(({ days, ...node }) => [node.id, days ? { ...node, days: spread(days) } : node]));
}

/** Returns the days with a count for each, and with gaps where the report has no range of latencies. */
function spread({ from, latency_ms: { mean, min, max }, ...counts }: PackedDays): ReportDays {
  const column = (pairs: PackedDays["ok"] = []): number[] =>
    pairs.flatMap(([count, length]) => Array<number>(length).fill(count));
  const padded = (known: Latencies): Latencies => [...mean.map(() => null), ...known].slice(-mean.length);
  return {
    from,
    ok: column(counts.ok),
    failed: column(counts.failed),
    unobserved: column(counts.unobserved),
    latency_ms: { mean, min: padded(min), max: padded(max) },
  };
}

/** Returns whether a value is an object with fields. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isNode(value: unknown): value is PackedNode {
  return isObject(value) && typeof value["id"] === "number" && Array.isArray(value["transitions"]);
}
