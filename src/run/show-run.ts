import type { Node } from "../config/nodes.ts";
import { messageCounts } from "../feed/message-counts.ts";
import { verdictsOf } from "../feed/verdicts.ts";
import type { State } from "../state/schema.ts";
import type { Round } from "../state/round.ts";
import type { CommandContext, ExitCode } from "../base/terminal/context.ts";
import { formatDuration } from "../base/text/duration.ts";
import type { StateChange } from "./decide.ts";
import { offlineSentence } from "./offline-sentence.ts";
import { type RunSummary, summaryChanges, summaryJson, summaryTable } from "./summary.ts";

/** The outcome of a run. */
interface FinishedRun extends StateChange {
  readonly nodes: readonly Node[];
  readonly round: Round;
  /** Whether the prober was offline. */
  readonly isVoid: boolean;
  /** Whether the site and the state were left unchanged. */
  readonly isKept: boolean;
}

export interface ShowOptions {
  readonly out: string;
  readonly json?: boolean | undefined;
  /** Whether to print only the changes and the totals. */
  readonly brief?: boolean | undefined;
}

/** Prints the summary of a run. Returns the exit code of the command: 3 if the prober was offline, otherwise 0. */
export function showRun(
  { nodes, round, isVoid, isKept, before, after }: FinishedRun,
  { out, json, brief }: ShowOptions,
  context: CommandContext,
): ExitCode {
  const shown: RunSummary = {
    nodes,
    round,
    isVoid,
    verdicts: isKept ? undefined : verdictsOf(nodes, after.state),
    messages: isKept ? undefined : messageCounts(after.state?.notifications),
    before: before && verdictsOf(nodes, before),
  };
  if (json === true) context.output(summaryJson(shown));
  else if (brief === true) for (const line of summaryChanges(shown)) context.output(line);
  else context.output(summaryTable(shown, context.color));
  if (!isVoid) return 0;
  context.log(`${offlineSentence(nodes, round)} ${voidSentence(out, isKept, before, round.at)}`);
  return 3;
}

function voidSentence(out: string, isKept: boolean, before: State | undefined, at: number): string {
  const last = before?.runs.at(-1)?.[1];
  const since =
    last === undefined ? "" : ` The last run that was online was ${formatDuration(at - last)} ago.`;
  const kept = isKept
    ? `${out} and the state were left unchanged.`
    : `${out} is new, so it was written with every status 0.`;
  return `${kept}${since}`;
}
