import { styleText } from "node:util";
import Table from "cli-table3";
import type { NetworkNode } from "../config/nodes.ts";
import type { Code, Observation, Results } from "../probe/observation.ts";
import { codeSentences } from "../sentences.ts";
import type { Decision, Status } from "../state/verdict.ts";

/** What a run found, to be shown. */
export interface Shown {
  readonly nodes: readonly NetworkNode[];
  readonly results: Results;
  readonly prober?: Decision["prober"];
  /** Undefined where nothing was decided. */
  readonly statuses?: ReadonlyMap<number, Status> | undefined;
}

/** More nodes than this are too many to read: then only those that failed are listed. */
const mostRows = 200;

/** The run as JSON: totals, and of every node its place, status and what was observed. */
export function summaryJson({ nodes, results, prober, statuses }: Shown): string {
  const observed = byId(results.observations);
  const list = nodes.map(({ system, project, target, id, name, url }) => {
    const { code, http_status, latency_ms, attempts } = observed.get(id) ?? {};
    return {
      system,
      project,
      target,
      id,
      name,
      url,
      status: statuses?.get(id),
      code,
      http_status,
      latency_ms,
      attempts,
    };
  });
  const head = { run: results.run, prober, totals: statuses && totals(statuses) };
  return JSON.stringify({ ...head, nodes: list }, null, 2);
}

/** The run as a table by target, and a line of totals. Everything in it comes from checked names and closed codes. */
export function summaryTable(shown: Shown, color: boolean): string {
  const { nodes, results, statuses } = shown;
  const observed = byId(results.observations);
  const failed = nodes.filter(({ id }) => observed.get(id)?.code !== "ok");
  const listed = (nodes.length > mostRows ? failed : nodes).slice(0, mostRows);
  const table = new Table({
    chars: noBorders,
    colAligns: ["left", "left", "right", "left"],
    style: { head: [], border: [], "padding-left": 0, "padding-right": 2 },
  });
  let place = "";
  for (const node of listed) {
    const here = `${node.system}/${node.project}/${node.target}`;
    if (here !== place) table.push([{ colSpan: 4, content: paint("bold", here, color) }]);
    place = here;
    table.push(row(node, observed.get(node.id), statuses?.get(node.id), color));
  }
  const unlisted =
    nodes.length > mostRows ? `${nodes.length - listed.length} more nodes are not listed.\n` : "";
  const rows = table.toString().replaceAll(/ +$/gm, "");
  return `${rows}\n${unlisted}${totalsLine(shown)}`;
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

function totalsLine({ nodes, results, statuses }: Shown): string {
  if (statuses === undefined) {
    const answered = results.observations.filter(({ code }) => code === "ok").length;
    return `${nodes.length} nodes probed, ${answered} answered as they should.`;
  }
  const { online, offline } = totals(statuses);
  return `${nodes.length} nodes: ${online} online, ${offline} offline.`;
}

function totals(statuses: ReadonlyMap<number, Status>): { nodes: number; online: number; offline: number } {
  const online = [...statuses.values()].filter((status) => status === 1).length;
  return { nodes: statuses.size, online, offline: statuses.size - online };
}

function byId(observations: readonly Observation[]): Map<number, Observation> {
  return new Map(observations.map((observation) => [observation.id, observation]));
}

function paint(style: "bold" | "green" | "red", text: string, color: boolean): string {
  return color ? styleText(style, text) : text;
}

const noBorders = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "",
};
