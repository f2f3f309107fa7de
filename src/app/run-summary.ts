import type { Node } from "../core/config/nodes.ts";
import type { Observation } from "../core/probe/observation.ts";
import type { CommandContext } from "../core/base/terminal/context.ts";
import { formatCount } from "../core/base/text/count.ts";
import { formatDuration } from "../core/base/text/duration.ts";
import { timestampIfAny } from "../core/base/text/timestamp.ts";
import { attentionStates, type MirrorState, stateLabels, stateNames } from "../core/verdict/mirror-state.ts";
import { countStates, formatStates } from "../core/feed/verdict.ts";
import { sentenceOf } from "../core/kinds/kinds.ts";
import { type Feed, nodesOf, targetsOf } from "../core/feed/feed.ts";
import type { NotifiedFeed } from "../features/notify/notified-feed.ts";
import { soonest } from "../features/notify/outbox.ts";
import type { Round } from "../core/state/round.ts";
import { alignedTable, type TableRow } from "../core/base/terminal/table.ts";
import { offlineSentence } from "../core/state/offline-sentence.ts";
import { explain, codeSentence } from "../features/explain/explain.ts";
import { runNotes } from "./run-notes.ts";
import { evidence } from "../core/kinds/evidence.ts";
import type { FeedNode } from "../core/feed/feed-node.ts";
import { messageCounts } from "../features/notify/notifications.ts";

export interface RunSummary {
  readonly nodes: readonly Node[];
  readonly round: Round;
  /** Whether the prober was offline. Undefined if the results were not judged, as in `mirrorfeed probe`. */
  readonly isVoid?: boolean;
  /** The feed after the run. Undefined if the results were not judged. */
  readonly feed?: NotifiedFeed | undefined;
  /** The feed before the run. Undefined before the first run, or if the results were not judged. */
  readonly before?: Feed | undefined;
}

/** If there are more mirrors than this, only those that need attention are listed, and at most this many of them. */
const maxRows = 200;

/** A mirror with its observation in this run, and its entries in the feeds before and after the run. */
interface SummaryRow {
  readonly node: Node;
  readonly observation: Observation | undefined;
  readonly was: FeedNode | undefined;
  readonly is: FeedNode | undefined;
  readonly state: MirrorState;
  /** Whole sentences, or empty. */
  readonly explanation: string;
}

export function rowsOf({ nodes, round, before, feed }: RunSummary): SummaryRow[] {
  const byId = (of: Feed | undefined): Map<number, FeedNode> =>
    new Map(nodesOf(targetsOf(of?.systems ?? [])).map((node) => [node.id, node]));
  const [was, is] = [byId(before), byId(feed)];
  return nodes.map((node) => {
    const observation = observationOf(round, node);
    const mirror = is.get(node.id);
    return {
      node,
      observation,
      was: was.get(node.id),
      is: mirror,
      state: mirror?.state ?? stateOf(observation),
      explanation:
        mirror === undefined
          ? probedSentence(observation)
          : explain(mirror, node.settings, observation, Date.parse(feed?.run.generated_at ?? "")),
    };
  });
}

export function summaryJson(shown: RunSummary): string {
  const { round, isVoid, feed, before } = shown;
  const rows = rowsOf(shown);
  const changed = rows.filter(({ was, is }) => is !== undefined && was?.state !== is.state);
  const document = {
    run: round.run,
    prober: isVoid === undefined ? undefined : isVoid ? "offline" : "online",
    vantages: feed?.run.prober.vantages,
    totals: feed?.run.totals,
    state: feed?.verdict.state,
    states: feed?.verdict.counts,
    notifications: messagesOf(shown),
    changes:
      before === undefined ? [] : changed.map((row) => ({ ...rowJson(row), state_before: row.was?.state })),
    nodes: rows.map(rowJson),
  };
  return JSON.stringify(document, null, 2);
}

export function rowJson({ node, observation, is, state, explanation }: SummaryRow) {
  const { system, project, target, id, name, url } = node;
  const { code, http_status, latency_ms, attempts } = observation ?? {};
  const names = {
    system,
    project,
    target,
    id,
    name,
    url,
    state,
    status: is?.status,
    freshness: is?.freshness,
  };
  const content_code = is === undefined ? observation?.content_code : is.content_code;
  const observed = { code, http_status, latency_ms, attempts };
  return {
    ...names,
    content_code,
    kept_online: is?.kept_online,
    ...observed,
    explanation: explanation || undefined,
  };
}

/** Returns a table by target and a line of totals. */
export function summaryTable(shown: RunSummary): string {
  const rows = rowsOf(shown);
  const listed = rows.length > maxRows ? worstRows(rows) : rows;
  const lines = listed.flatMap((row, index): TableRow[] => {
    const { place } = row.node;
    const cells = cellsOf(row);
    return listed[index - 1]?.node.place === place ? [cells] : [place, cells];
  });
  const unlisted = rows.length - listed.length;
  return [
    ...(lines.length > 0 ? [alignedTable(lines, [3])] : []),
    ...(unlisted > 0 ? [`Not listed: ${formatCount(unlisted, "more mirror")}.`] : []),
    totalsLine(shown, rows),
    ...runNotes(rows, shown.feed),
  ].join("\n");
}

/** Returns the mirrors that need attention, in configuration order. If there are too many, returns the worst. */
function worstRows(rows: readonly SummaryRow[]): SummaryRow[] {
  const worst = attentionStates.flatMap((state) => rows.filter((row) => row.state === state));
  const kept = new Set(worst.slice(0, maxRows));
  return rows.filter((row) => kept.has(row));
}

/** Returns a line for each mirror whose state changed, with the reason, and a line of totals. */
export function summaryChanges(shown: RunSummary): string[] {
  const rows = rowsOf(shown);
  const changes = rows.flatMap(({ node, was, is, explanation }) => {
    if (was === undefined || is === undefined || was.state === is.state) return [];
    const { name, place, id } = node;
    const change = `${stateNames[is.state]} now (was ${stateNames[was.state]}).`;
    return [`${name} (${place}, mirror ${id}) is ${change} ${explanation}`.trimEnd()];
  });
  return [...changes, totalsLine(shown, rows), ...runNotes(rows, shown.feed)];
}

function cellsOf({ node, observation, is, state, explanation }: SummaryRow): string[] {
  const latency = is === undefined ? observation?.latency_ms : is.mean_latency_ms;
  return [
    `  ${stateLabels[state].label}`,
    node.name,
    codeOf(state, is ?? observation),
    latency === undefined || state === "offline" ? "" : `${latency} ms`,
    explanation,
  ];
}

/** Returns the documented code that explains a state, or `in sync`. */
function codeOf(
  state: MirrorState,
  known: Partial<Pick<FeedNode, "code" | "content_code" | "freshness">> = {},
): string {
  if (state === "offline" || state === "unknown") return known.code ?? "";
  if (state === "wrong") return known.content_code ?? "";
  return state === "online" && known.freshness === "in_sync" ? "in sync" : "";
}

/** Returns the state that an observation alone suggests, regardless of earlier runs. */
function stateOf(observation: Observation | undefined): MirrorState {
  const status = evidence(observation?.code);
  if (status === undefined) return "unknown";
  if (status === 0) return "offline";
  return observation?.content_code === undefined ? "online" : "wrong";
}

function probedSentence(observation: Observation | undefined): string {
  if (observation === undefined) return "It was not observed.";
  const { content_code } = observation;
  return observation.code === "ok" && content_code !== undefined
    ? sentenceOf(content_code)
    : codeSentence(observation);
}

function totalsLine({ feed }: RunSummary, rows: readonly SummaryRow[]): string {
  const counts = feed?.verdict.counts ?? countStates(rows);
  const probed = feed === undefined ? " probed" : "";
  const states = formatStates(counts);
  return `${formatCount(rows.length, "mirror")}${probed}${states === "" ? "" : `: ${states}`}.`;
}

function messagesOf({ feed }: RunSummary) {
  const counts = messageCounts(feed?.notifications);
  return feed === undefined || counts.waiting + counts.dropped === 0
    ? undefined
    : {
        ...counts,
        next_attempt_at: timestampIfAny(soonest(feed.notifications, Date.parse(feed.run.generated_at))),
      };
}

function observationOf({ vantages }: Round, { id }: Node): Observation | undefined {
  return vantages.find(({ observations }) => observations.has(id))?.observations.get(id);
}

export interface ShowOptions {
  readonly out: string;
  readonly json?: boolean | undefined;
  /** Print only changes and totals. */
  readonly brief?: boolean | undefined;
}

/**
 * Prints the summary of a run. If the run is void, also logs why. `isUnchanged` means that site and state were left
 * unchanged.
 */
export function showRun(
  { feed, isUnchanged, ...judged }: RunSummary & { readonly isUnchanged: boolean },
  { out, json, brief }: ShowOptions,
  context: CommandContext,
): void {
  const { nodes, round, isVoid, before } = judged;
  const shown = isUnchanged ? judged : { ...judged, feed };
  if (json === true) context.output(summaryJson(shown));
  else if (brief === true) for (const line of summaryChanges(shown)) context.output(line);
  else context.output(summaryTable(shown));
  if (isVoid !== true) return;
  const kept = isUnchanged
    ? `${out} and the state were left unchanged.`
    : `${out} is new, so it was written with all statuses set to 0.`;
  const last = before?.run.run && Date.parse(before.run.generated_at);
  const since = last ? ` The last online run was ${formatDuration(round.at - last)} ago.` : "";
  context.log(`${offlineSentence(nodes, round)} ${kept}${since}`);
}
