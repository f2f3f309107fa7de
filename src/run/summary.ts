import { styleText } from "node:util";
import type { Node } from "../config/nodes.ts";
import type { Observation } from "../probe/observation.ts";
import { formatCount } from "../base/text/count.ts";
import { sentenceOf } from "../kinds/kinds.ts";
import type { MessageCounts } from "../feed/message-counts.ts";
import type { NodeVerdict } from "../feed/verdicts.ts";
import type { Round } from "../state/round.ts";
import { alignedTable, type TableRow } from "../base/terminal/table.ts";

/** The data of a summary. */
export interface RunSummary {
  readonly nodes: readonly Node[];
  readonly round: Round;
  /** Whether the prober was offline. Undefined if the results were not judged, as in `mirrorfeed probe`. */
  readonly isVoid?: boolean;
  /** The verdicts after the run, if there are any. */
  readonly verdicts?: Verdicts | undefined;
  /** The messages after the run. Undefined if it was not judged. */
  readonly messages?: MessageCounts | undefined;
  /** The verdicts before the run, if there were any. */
  readonly before?: Verdicts | undefined;
}

type Verdicts = ReadonlyMap<number, NodeVerdict>;

/** With more nodes than this, only those that failed are listed. */
const maxRows = 200;

/** Returns the run as JSON: the totals, the status and the observation of every node, and the changed nodes. */
export function summaryJson({ nodes, round, isVoid, verdicts, messages, before }: RunSummary): string {
  const list = nodeSummaries({ nodes, round, verdicts });
  const changes = list.filter(
    ({ id, status }) => before !== undefined && status !== undefined && before.get(id)?.status !== status,
  );
  const prober = isVoid === undefined ? undefined : isVoid ? "offline" : "online";
  const notifications = isAnyKnown(messages) ? messages : undefined;
  const document = {
    run: round.run,
    prober,
    totals: verdicts && totals(verdicts),
    notifications,
    changes,
    nodes: list,
  };
  return JSON.stringify(document, null, 2);
}

/** Returns the status and the observation of every node, for JSON. */
export function nodeSummaries({ nodes, round, verdicts }: Pick<RunSummary, "nodes" | "round" | "verdicts">) {
  const observed = observationsOf(round);
  return nodes.map(({ system, project, target, id, name, url }) => {
    const { code, http_status, latency_ms, attempts } = observed.get(id) ?? {};
    const { status, freshness } = verdicts?.get(id) ?? {};
    const node = { system, project, target, id, name, url, status, freshness: freshness?.state };
    return { ...node, code, http_status, latency_ms, attempts };
  });
}

/** Returns the run as a table by target, and a line of totals. Safe to print, since all names and codes are validated. */
export function summaryTable(shown: RunSummary, color: boolean): string {
  const { nodes, round, verdicts } = shown;
  const observed = observationsOf(round);
  const failed = nodes.filter(({ id }) => observed.get(id)?.code !== "ok");
  const listed = (nodes.length > maxRows ? failed : nodes).slice(0, maxRows);
  const rows = listed.flatMap((node, index): TableRow[] => {
    const { place } = node;
    const before = listed[index - 1];
    const isFirst = before === undefined || before.place !== place;
    const cells = row(node, observed.get(node.id), verdicts?.get(node.id), color);
    return isFirst ? [paint("bold", place, color), cells] : [cells];
  });
  const unlisted =
    nodes.length > maxRows ? `Not listed: ${formatCount(nodes.length - listed.length, "more node")}.\n` : "";
  return [`${alignedTable(rows, [2])}\n${unlisted}${totalsLine(shown)}`, ...messagesLine(shown)].join("\n");
}

/** Returns a line for each change by the run, with its reason, and a line of totals. Safe to print. */
export function summaryChanges(shown: RunSummary): string[] {
  const observed = observationsOf(shown.round);
  const changes = shown.nodes.flatMap((node) => {
    const { id, name, place } = node;
    const label = `${name} (${place}, node ${id})`;
    const [was, is] = [shown.before?.get(id), shown.verdicts?.get(id)];
    if (was === undefined || is === undefined) return [];
    const observation = observed.get(id);
    const why = is.status === 0 ? ` ${explain(observation?.code, observation)}` : "";
    return [
      ...(was.status === is.status
        ? []
        : [`${label} is ${is.status === 1 ? "online" : "offline"} now.${why}`.trimEnd()]),
      ...(was.freshness.state === is.freshness.state
        ? []
        : [`${label} is ${is.freshness.state} now, and was ${was.freshness.state} before.`]),
    ];
  });
  return [...changes, totalsLine(shown), ...messagesLine(shown)];
}

function row(
  { name }: Node,
  observation: Observation | undefined,
  verdict: NodeVerdict | undefined,
  color: boolean,
): string[] {
  const code = observation?.code;
  const latency = observation?.latency_ms === undefined ? "" : `${observation.latency_ms} ms`;
  const status = verdict?.status;
  const good = status === undefined ? code === "ok" : status === 1;
  const word = status === undefined ? name : `${status === 1 ? "● online " : "○ offline"}  ${name}`;
  return [
    `  ${paint(good ? "green" : "red", word, color)}`,
    code ?? "unobserved",
    latency,
    verdict?.freshness.state ?? "",
    explain(code, observation),
  ];
}

function explain(code: string | undefined, observation: Observation | undefined): string {
  if (code === undefined || code === "ok") return "";
  const status = observation?.http_status === undefined ? "" : ` (HTTP ${observation.http_status})`;
  return `${sentenceOf(code, observation)}${status}`;
}

function totalsLine({ nodes, round, verdicts }: RunSummary): string {
  if (verdicts === undefined) {
    const reachable = [...observationsOf(round).values()].filter(({ code }) => code === "ok").length;
    return `${formatCount(nodes.length, "node")} probed, ${reachable} reachable.`;
  }
  const { online, offline } = totals(verdicts);
  return `${formatCount(nodes.length, "node")}: ${online} online, ${offline} offline.`;
}

function messagesLine({ messages }: RunSummary): string[] {
  if (!isAnyKnown(messages)) return [];
  const { waiting, failing, dropped } = messages;
  const failed = failing === 0 ? "" : `, ${failing} of which failed before`;
  const givenUp = dropped === 0 ? "" : `; ${dropped} given up in the last week`;
  return [`${formatCount(waiting, "message")} to send${failed}${givenUp}.`];
}

function isAnyKnown(messages: MessageCounts | undefined): messages is MessageCounts {
  return messages !== undefined && messages.waiting + messages.dropped > 0;
}

function totals(verdicts: Verdicts): { nodes: number; online: number; offline: number } {
  const online = [...verdicts.values()].filter(({ status }) => status === 1).length;
  return { nodes: verdicts.size, online, offline: verdicts.size - online };
}

/** Returns the observation of each node by the first vantage that has one. */
function observationsOf({ vantages }: Round): Map<number, Observation> {
  return new Map(vantages.toReversed().flatMap(({ observations }) => [...observations]));
}

function paint(style: "bold" | "green" | "red", text: string, color: boolean): string {
  return color ? styleText(style, text) : text;
}
