import type { CommandContext } from "../core/base/terminal/context.ts";
import { formatCount } from "../core/base/text/count.ts";
import { formatDuration } from "../core/base/text/time.ts";
import { type Feed, targetsOf } from "../core/feed/feed.ts";
import { offlineSentence } from "../core/state/online.ts";
import { stateNames } from "../core/verdict/mirror-state.ts";
import {
  mirrorTable,
  type ProbedMirrors,
  rowJson,
  rowsOf,
  targetWarningsOf,
  totalLines,
} from "../features/explain/mirror-rows.ts";
import type { RunBefore } from "./advance-feed.ts";

export interface RunSummary extends ProbedMirrors {
  readonly before?: RunBefore | undefined;
  /** Whether the prober was offline. */
  readonly isVoid: boolean;
}

export function summaryJson(shown: RunSummary): string {
  const { round, isVoid, feed, before } = shown;
  const rows = rowsOf(shown);
  const changed = rows.filter(({ was, is }) => is !== undefined && was !== is.state);
  const document = {
    run: round.run,
    prober: isVoid ? "offline" : "online",
    vantages: feed?.run.prober.vantages,
    totals: feed?.run.totals,
    state: feed?.verdict.state,
    states: feed?.verdict.counts,
    notifications: feed?.run.notifications,
    changes: before === undefined ? [] : changed.map((row) => ({ ...rowJson(row), state_before: row.was })),
    warnings: targetWarningsOf(rows, feed),
    nodes: rows.map(rowJson),
  };
  return JSON.stringify(document, null, 2);
}

/** Returns a table by target, the totals, and notes that are not about a single mirror. */
export function summaryTable(shown: RunSummary): string {
  return [mirrorTable(rowsOf(shown), shown.feed), ...feedNotes(shown.feed)].join("\n");
}

/**
 * Returns a line for each mirror whose state changed, with the reason, then the totals and notes of the table. Returns
 * nothing if no state changed.
 */
export function summaryChanges(shown: RunSummary): string[] {
  const rows = rowsOf(shown);
  const changes = rows.flatMap(({ node, was, is, explanation }) => {
    if (was === undefined || is === undefined || was === is.state) return [];
    const { name, place, id } = node;
    const change = `${stateNames[is.state]} now (was ${stateNames[was]}).`;
    return [`${name} (${place}, mirror ${id}) is ${change} ${explanation()}`.trimEnd()];
  });
  const isQuiet = changes.length === 0 && shown.before !== undefined;
  return isQuiet ? [] : [...changes, ...totalLines(rows, shown.feed), ...feedNotes(shown.feed)];
}

function feedNotes(feed: Feed | undefined): string[] {
  if (feed === undefined) return [];
  const lonePrimaries = targetsOf(feed.systems).filter(({ nodes }) =>
    nodes.some(({ kept_online }) => kept_online === "primary_alone"),
  );
  const notes = lonePrimaries.map(
    ({ place }) =>
      `${place}: no other mirror has copied the primary's content, so mirrors without it stay online despite freshness.offlineAfter.`,
  );
  const { waiting = 0 } = feed.run.notifications ?? {};
  return waiting === 0 ? notes : [...notes, `${formatCount(waiting, "notification")} to send.`];
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
  if (!isVoid) return;
  const kept = isUnchanged
    ? `${out} and the state were left unchanged.`
    : `${out} is new, so it was written with all statuses set to 0.`;
  const last = before?.run.run && Date.parse(before.run.generated_at);
  const since = last ? ` The last online run was ${formatDuration(round.at - last)} ago.` : "";
  context.log(`${offlineSentence(nodes, round)} ${kept}${since}`);
}
