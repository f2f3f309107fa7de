import { alignedTable, type TableRow } from "../../core/base/terminal/table.ts";
import { formatCount } from "../../core/base/text/count.ts";
import type { Feed } from "../../core/feed/feed.ts";
import { countStates, formatStates } from "../../core/feed/verdict.ts";
import { attentionStates, type MirrorState, stateLabels } from "../../core/verdict/mirror-state.ts";
import type { MirrorRow } from "./mirror-rows.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { defaultKind } from "../../core/kinds/kinds.ts";

/** If there are more mirrors than this, only those that need attention are listed, and at most this many of them. */
const maxRows = 200;

/** Returns a table by target, and `totalLines`. `feed` is undefined if the results were not judged. */
export function mirrorTable(rows: readonly MirrorRow[], feed?: Feed): string {
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
    ...totalLines(rows, feed),
  ].join("\n");
}

/** Returns a line with the numbers of mirrors by state, and a note if `probe.kind` may be missing. */
export function totalLines(rows: readonly MirrorRow[], feed?: Feed): string[] {
  const counts = feed?.verdict.counts ?? countStates(rows);
  const probed = feed === undefined ? " probed" : "";
  const states = formatStates(counts);
  const line = `${formatCount(rows.length, "mirror")}${probed}${states === "" ? "" : `: ${states}`}.`;
  return [line, ...kindNote(rows)];
}

function kindNote(rows: readonly MirrorRow[]): string[] {
  const isOtherKind = ({ node, observation }: MirrorRow): boolean =>
    node.settings.kind === defaultKind &&
    (observation?.code === "not_git" || observation?.http_status === 404);
  return rows.length > 0 && rows.every(isOtherKind)
    ? ["No mirror answered like a Git repository. If they aren't Git repositories, set probe.kind."]
    : [];
}

/** Returns the mirrors that need attention, in configuration order. If there are too many, returns the worst. */
function worstRows(rows: readonly MirrorRow[]): MirrorRow[] {
  const worst = attentionStates.flatMap((state) => rows.filter((row) => row.state === state));
  const kept = new Set(worst.slice(0, maxRows));
  return rows.filter((row) => kept.has(row));
}

function cellsOf({ node, observation, is, state, explanation }: MirrorRow): string[] {
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
