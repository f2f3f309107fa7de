import { styleText } from "node:util";
import type { NetworkNode } from "../config/nodes.ts";
import type { Code, Observation } from "../probe/observation.ts";
import { codeSentences } from "../sentences.ts";
import type { Round } from "../state/round.ts";
import type { Status } from "../state/verdict.ts";
import { alignedTable, type TableRow } from "./aligned-table.ts";

/** What a run found, to be shown. */
export interface Shown {
  readonly nodes: readonly NetworkNode[];
  readonly round: Round;
  /** Whether the prober was offline; undefined where nothing was decided. */
  readonly isVoid?: boolean;
  /** Undefined where nothing was decided. */
  readonly statuses?: ReadonlyMap<number, Status> | undefined;
  /** The statuses before the run, where there were any. */
  readonly before?: ReadonlyMap<number, Status> | undefined;
}

/** More nodes than this are too many to read: then only those that failed are listed. */
const mostRows = 200;

/** The run as JSON: totals, of every node its place, status and what was observed, and what changed its status. */
export function summaryJson({ nodes, round, isVoid, statuses, before }: Shown): string {
  const observed = observationsOf(round);
  const list = nodes.map(({ system, project, target, id, name, url }) => {
    const { code, http_status, latency_ms, attempts } = observed.get(id) ?? {};
    const status = statuses?.get(id);
    return { system, project, target, id, name, url, status, code, http_status, latency_ms, attempts };
  });
  const changes = list.filter(
    ({ id, status }) => before !== undefined && status !== undefined && before.get(id) !== status,
  );
  const prober = isVoid === undefined ? undefined : isVoid ? "offline" : "online";
  const document = { run: round.run, prober, totals: statuses && totals(statuses), changes, nodes: list };
  return JSON.stringify(document, null, 2);
}

/** The run as a table by target, and a line of totals. Everything in it comes from checked names and closed codes. */
export function summaryTable(shown: Shown, color: boolean): string {
  const { nodes, round, statuses } = shown;
  const observed = observationsOf(round);
  const failed = nodes.filter(({ id }) => observed.get(id)?.code !== "ok");
  const listed = (nodes.length > mostRows ? failed : nodes).slice(0, mostRows);
  const rows = listed.flatMap((node, index): TableRow[] => {
    const place = placeOf(node);
    const before = listed[index - 1];
    const isFirst = before === undefined || placeOf(before) !== place;
    const cells = row(node, observed.get(node.id), statuses?.get(node.id), color);
    return isFirst ? [paint("bold", place, color), cells] : [cells];
  });
  const unlisted =
    nodes.length > mostRows ? `${nodes.length - listed.length} more nodes are not listed.\n` : "";
  return `${alignedTable(rows, [2])}\n${unlisted}${totalsLine(shown)}`;
}

function placeOf({ system, project, target }: NetworkNode): string {
  return `${system}/${project}/${target}`;
}

function row(
  { name }: NetworkNode,
  observation: Observation | undefined,
  status: Status | undefined,
  color: boolean,
): string[] {
  const code = observation?.code;
  const latency = observation?.latency_ms === undefined ? "" : `${observation.latency_ms} ms`;
  const good = status === undefined ? code === "ok" : status === 1;
  const word = status === undefined ? name : `${status === 1 ? "● online " : "○ offline"}  ${name}`;
  return [
    `  ${paint(good ? "green" : "red", word, color)}`,
    code ?? "unobserved",
    latency,
    explain(code, observation),
  ];
}

function explain(code: Code | undefined, observation: Observation | undefined): string {
  if (code === undefined || code === "ok") return "";
  const status = observation?.http_status === undefined ? "" : ` (HTTP ${observation.http_status})`;
  return `${codeSentences[code]}${status}`;
}

function totalsLine({ nodes, round, statuses }: Shown): string {
  if (statuses === undefined) {
    const answered = [...observationsOf(round).values()].filter(({ code }) => code === "ok").length;
    return `${nodes.length} nodes probed, ${answered} answered as they should.`;
  }
  const { online, offline } = totals(statuses);
  return `${nodes.length} nodes: ${online} online, ${offline} offline.`;
}

function totals(statuses: ReadonlyMap<number, Status>): { nodes: number; online: number; offline: number } {
  const online = [...statuses.values()].filter((status) => status === 1).length;
  return { nodes: statuses.size, online, offline: statuses.size - online };
}

/** One observation of each node: that of the first vantage that has one. */
function observationsOf({ vantages }: Round): Map<number, Observation> {
  return new Map(vantages.toReversed().flatMap(({ observations }) => [...observations]));
}

function paint(style: "bold" | "green" | "red", text: string, color: boolean): string {
  return color ? styleText(style, text) : text;
}
