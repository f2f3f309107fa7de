import { styleText } from "node:util";
import type { Node } from "../config/nodes.ts";
import type { ControlObservation, Observation } from "../probe/observation.ts";
import type { CommandContext } from "../base/terminal/context.ts";
import { formatCount } from "../base/text/count.ts";
import { formatDuration } from "../base/text/duration.ts";
import { quote } from "../base/text/quote.ts";
import { canProve } from "../state/online.ts";
import { sentenceOf } from "../kinds/kinds.ts";
import { type Feed, type FeedNode, nodesOf, targetsOf } from "../feed/feed.ts";
import { messageCounts } from "../feed/run.ts";
import type { Round } from "../state/round.ts";
import { alignedTable, type TableRow } from "../base/terminal/table.ts";

export interface RunSummary {
  readonly nodes: readonly Node[];
  readonly round: Round;
  /** Whether the prober was offline. Undefined if the results were not judged, as in `mirrorfeed probe`. */
  readonly isVoid?: boolean;
  /** The feed after the run and before it, as far as it was judged. */
  readonly feed?: Feed | undefined;
  readonly before?: Feed | undefined;
}

/** With more nodes than this, only those that failed are listed. */
const maxRows = 200;

/** A node with its observation, and with its verdicts before and after the run if there are any. */
interface SummaryRow {
  readonly node: Node;
  readonly observation: Observation | undefined;
  readonly was: FeedNode | undefined;
  readonly is: FeedNode | undefined;
}

export function rowsOf({ nodes, round, before, feed }: RunSummary): SummaryRow[] {
  const byId = (of: Feed | undefined): Map<number, FeedNode> =>
    new Map(nodesOf(targetsOf(of?.systems ?? [])).map((node) => [node.id, node]));
  const [was, is] = [byId(before), byId(feed)];
  return nodes.map((node) => ({
    node,
    observation: observationOf(round, node),
    was: was.get(node.id),
    is: is.get(node.id),
  }));
}

/** Returns the run as JSON: the totals, the status and the observation of every node, and the changed nodes. */
export function summaryJson(shown: RunSummary): string {
  const { round, isVoid, feed, before } = shown;
  const rows = rowsOf(shown);
  const changed = rows.filter(({ was, is }) => is !== undefined && was?.status !== is.status);
  const document = {
    run: round.run,
    prober: isVoid === undefined ? undefined : isVoid ? "offline" : "online",
    totals: feed?.run.totals,
    notifications: messagesOf(shown),
    changes: before === undefined ? [] : changed.map(rowJson),
    nodes: rows.map(rowJson),
  };
  return JSON.stringify(document, null, 2);
}

export function rowJson({ node, observation, is }: SummaryRow) {
  const { system, project, target, id, name, url } = node;
  const { code, http_status, latency_ms, attempts } = observation ?? {};
  const names = { system, project, target, id, name, url, status: is?.status, freshness: is?.freshness };
  return { ...names, kept_online: is?.kept_online, code, http_status, latency_ms, attempts };
}

/** Returns the run as a table by target, and a line of totals. Safe to print, since all names and codes are validated. */
export function summaryTable(shown: RunSummary, color: boolean): string {
  const rows = rowsOf(shown);
  const isLong = rows.length > maxRows;
  const failed = rows.filter(({ observation }) => observation?.code !== "ok");
  const listed = (isLong ? failed : rows).slice(0, maxRows);
  const lines = listed.flatMap((row, index): TableRow[] => {
    const { place } = row.node;
    const cells = cellsOf(row, color);
    return listed[index - 1]?.node.place === place ? [cells] : [paint("bold", place, color), cells];
  });
  const unlisted = isLong ? `Not listed: ${formatCount(rows.length - listed.length, "more node")}.\n` : "";
  return [`${alignedTable(lines, [2])}\n${unlisted}${totalsLine(shown)}`, ...endLines(shown)].join("\n");
}

/** Returns a line for each change by the run, with its reason, and a line of totals. Safe to print. */
export function summaryChanges(shown: RunSummary): string[] {
  const changes = rowsOf(shown).flatMap(({ node, observation, was, is }) => {
    if (was === undefined || is === undefined) return [];
    const label = `${node.name} (${node.place}, node ${node.id})`;
    const lines: string[] = [];
    if (was.status !== is.status)
      lines.push(
        is.status === 1
          ? `${label} is online now.`
          : `${label} is offline now. ${explain(observation)}`.trimEnd(),
      );
    if (was.freshness !== is.freshness)
      lines.push(`${label} is ${is.freshness} now, and was ${was.freshness} before.`);
    return lines;
  });
  return [...changes, totalsLine(shown), ...endLines(shown)];
}

function cellsOf({ node, observation, is }: SummaryRow, color: boolean): string[] {
  const { code, latency_ms } = observation ?? {};
  const isGood = is === undefined ? code === "ok" : is.status === 1;
  const word = is === undefined ? node.name : `${isGood ? "● online " : "○ offline"}  ${node.name}`;
  return [
    `  ${paint(isGood ? "green" : "red", word, color)}`,
    code ?? "unobserved",
    latency_ms === undefined ? "" : `${latency_ms} ms`,
    is?.freshness ?? "",
    explain(observation),
  ];
}

function explain(observation: Observation | undefined): string {
  if (observation === undefined || observation.code === "ok") return "";
  const { code, http_status } = observation;
  const status = http_status === undefined ? "" : ` (HTTP ${http_status})`;
  return `${sentenceOf(code, observation)}${status}`;
}

function totalsLine({ nodes, round, feed }: RunSummary): string {
  if (feed === undefined) {
    const reachable = nodes.filter((node) => observationOf(round, node)?.code === "ok").length;
    return `${formatCount(nodes.length, "node")} probed, ${reachable} reachable.`;
  }
  const { online, offline } = feed.run.totals;
  return `${formatCount(nodes.length, "node")}: ${online} online, ${offline} offline.`;
}

function endLines(shown: RunSummary): string[] {
  return [...lonePrimaries(shown), ...messagesLine(shown)];
}

/** Returns a line for each target whose primary alone would make mirrors offline. */
function lonePrimaries({ feed }: RunSummary): string[] {
  return targetsOf(feed?.systems ?? [])
    .filter(({ nodes }) => nodes.some(({ kept_online }) => kept_online === "primary_alone"))
    .map(
      ({ place }) =>
        `${place}: no other mirror has taken the primary's content, so it makes none offline (freshness.offlineAfter).`,
    );
}

function messagesLine(shown: RunSummary): string[] {
  const messages = messagesOf(shown);
  if (messages === undefined) return [];
  const { waiting, failing, dropped } = messages;
  const failed = failing === 0 ? "" : `, ${failing} of which failed before`;
  const givenUp = dropped === 0 ? "" : `; ${dropped} given up in the last week`;
  return [`${formatCount(waiting, "message")} to send${failed}${givenUp}.`];
}

function messagesOf({ feed }: RunSummary) {
  const counts = messageCounts(feed?.notifications);
  return counts.waiting + counts.dropped > 0 ? counts : undefined;
}

/** Returns the observation of a node by the first vantage that has one. */
function observationOf({ vantages }: Round, { id }: Node): Observation | undefined {
  return vantages.find(({ observations }) => observations.has(id))?.observations.get(id);
}

function paint(style: "bold" | "green" | "red", text: string, color: boolean): string {
  return color ? styleText(style, text) : text;
}

export interface ShowOptions {
  readonly out: string;
  readonly json?: boolean | undefined;
  /** Whether to print only the changes and the totals. */
  readonly brief?: boolean | undefined;
}

/** Prints the summary of a run, and logs why it was void. `isUnchanged`: the site and the state were left unchanged. */
export function showRun(
  { feed, isUnchanged, ...judged }: RunSummary & { readonly isUnchanged: boolean },
  { out, json, brief }: ShowOptions,
  context: CommandContext,
): void {
  const { nodes, round, isVoid, before } = judged;
  const shown = isUnchanged ? judged : { ...judged, feed };
  if (json === true) context.output(summaryJson(shown));
  else if (brief === true) for (const line of summaryChanges(shown)) context.output(line);
  else context.output(summaryTable(shown, context.color));
  if (isVoid !== true) return;
  const kept = isUnchanged
    ? `${out} and the state were left unchanged.`
    : `${out} is new, so it was written with every status 0.`;
  const last = before?.run.run && Date.parse(before.run.generated_at);
  const since = last ? ` The last run that was online was ${formatDuration(round.at - last)} ago.` : "";
  context.log(`${offlineSentence(nodes, round)} ${kept}${since}`);
}

const maxControls = 4;

/**
 * Returns why no vantage of a round counts as online: what was probed, and how to be sure if the controls cannot prove a
 * connection.
 */
export function offlineSentence(nodes: readonly Node[], { vantages }: Round): string {
  const observed = nodes.flatMap(({ id, host }) =>
    vantages.flatMap(({ observations }) => {
      const observation = observations.get(id);
      return observation === undefined ? [] : [{ id, host, code: observation.code }];
    }),
  );
  const mirrors = formatCount(new Set(observed.map(({ id }) => id)).size, "mirror");
  const hosts = formatCount(new Set(observed.map(({ host }) => host)).size, "host");
  const controls = vantages.flatMap((vantage) => vantage.controls);
  const withControls = controls.length === 0 ? "" : ` and ${controlsText(controls)}`;
  const sentences = [
    `This machine is offline: it probed ${mirrors} at ${hosts}${withControls}, and no response proves that it is online.`,
  ];
  if (!controls.some(canProve))
    sentences.push("To be sure, set probe.controls to an HTTPS URL that always answers.");
  if (observed.some(({ code }) => code === "blocked_address"))
    sentences.push("Private addresses are probed only with --allow-private.");
  return sentences.join(" ");
}

/** Returns the controls, each once, with why their first answer proves nothing. */
function controlsText(controls: readonly ControlObservation[]): string {
  const shown = new Map<string, string>();
  for (const control of controls) {
    const { url, code, text } = control;
    if (shown.has(url)) continue;
    const failed = text !== undefined && code === "ok" ? "the text is missing" : code;
    shown.set(url, `${quote(url)} (${canProve(control) ? failed : "HTTP without a text"})`);
  }
  const texts = [...shown.values()];
  const more = texts.length > maxControls ? ` and ${texts.length - maxControls} more` : "";
  return `the ${texts.length === 1 ? "control" : "controls"} ${texts.slice(0, maxControls).join(", ")}${more}`;
}
