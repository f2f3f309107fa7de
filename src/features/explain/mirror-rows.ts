import { alignedTable, type TableRow } from "../../core/base/terminal/table.ts";
import { formatCount } from "../../core/base/text/count.ts";
import { group } from "../../core/base/text/group.ts";
import type { Node } from "../../core/config/nodes.ts";
import { listSome } from "../../core/config/warnings.ts";
import { type Feed, nodesOf, targetsOf } from "../../core/feed/feed.ts";
import { countStates, formatStates } from "../../core/feed/verdict.ts";
import { defaultKind, evidence, sentenceOf } from "../../core/kinds/kinds.ts";
import { targetWarnings } from "../../core/kinds/mirror-content.ts";
import type { Observation } from "../../core/probe/observation.ts";
import type { Round } from "../../core/state/round.ts";
import { warningsOf } from "../../core/state/target-warnings.ts";
import { attentionStates, type MirrorState, stateLabels } from "../../core/verdict/mirror-state.ts";
import { codeSentence, explain } from "./explain.ts";
import { movedSentence } from "./git-remedies.ts";

/** Mirrors and what was observed of them. */
export interface ProbedMirrors {
  readonly nodes: readonly Node[];
  readonly round: Round;
  /** The feed after the run. Undefined if the results were not judged, as in `mirrorfeed probe`. */
  readonly feed?: Feed | undefined;
  /** Undefined before the first run, or if the results were not judged. */
  readonly before?: RunBefore | undefined;
}

/** The run before, and the state that each mirror had after it. */
export interface RunBefore extends Pick<Feed["run"], "run" | "generated_at" | "interval"> {
  readonly states: ReadonlyMap<number, MirrorState>;
}

/** Returns what the report of the next run needs of a feed. */
export function runBefore({ run: { run, generated_at, interval }, systems }: Feed): RunBefore {
  const states = new Map(nodesOf(targetsOf(systems)).map(({ id, state }) => [id, state]));
  return { run, generated_at, interval, states };
}

export type MirrorRow = ReturnType<typeof rowsOf>[number];

/**
 * Returns each mirror with its observation in this run, its state before the run, its entry in the feed after it, and an
 * explanation in whole sentences, which may be empty.
 */
export function rowsOf({ nodes, round, before, feed }: ProbedMirrors) {
  const is = new Map(nodesOf(targetsOf(feed?.systems ?? [])).map((node) => [node.id, node]));
  const at = Date.parse(feed?.run.generated_at ?? "");
  return nodes.map((node) => {
    const { id, settings } = node;
    const seen = round.vantages.find(({ observations }) => observations.has(id));
    const observation = seen?.observations.get(id);
    const mirror = is.get(id);
    return {
      ...{ node, observation, was: before?.states.get(id), is: mirror },
      state: mirror?.state ?? stateOf(observation),
      /** A function, because most mirrors of a large feed are not listed. */
      explanation: () => (mirror ? explain(mirror, settings, observation, at) : probedSentence(observation)),
    };
  });
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
  const { code, content_code, moved_to } = observation;
  const isWrong = code === "ok" && content_code !== undefined;
  const sentence = isWrong ? sentenceOf(content_code) : codeSentence(observation);
  return [sentence, movedSentence(moved_to)].filter(Boolean).join(" ");
}

export function rowJson({ node, observation, is, state, explanation }: MirrorRow) {
  const { system, project, target, id, name, url } = node;
  const { code, http_status, latency_ms, attempts } = observation ?? {};
  return {
    ...{ system, project, target, id, name, url, state },
    status: is?.status,
    freshness: is?.freshness,
    content_code: is === undefined ? observation?.content_code : is.content_code,
    kept_online: is?.kept_online,
    ...{ code, http_status, latency_ms, attempts },
    explanation: explanation() || undefined,
  };
}

/** If there are more mirrors than this, only those that need attention are listed, and at most this many of them. */
const maxRows = 200;

/** Returns a table by target, and `totalLines`. `feed` is undefined if the results were not judged. */
export function mirrorTable(rows: readonly MirrorRow[], feed?: Feed): string {
  const worst = attentionStates.flatMap((state) => rows.filter((row) => row.state === state));
  const kept = new Set(rows.length > maxRows ? worst.slice(0, maxRows) : rows);
  const listed = rows.filter((row) => kept.has(row));
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
  const states = formatStates(feed?.verdict.counts ?? countStates(rows));
  const probed = feed === undefined ? " probed" : "";
  const warnings = targetWarningsOf(rows, feed).map((one) => [one.sentence, one] as const);
  const isOtherKind = ({ node, observation }: MirrorRow): boolean =>
    node.settings.kind === defaultKind &&
    (observation?.code === "not_git" || observation?.http_status === 404);
  return [
    `${formatCount(rows.length, "mirror")}${probed}${states === "" ? "" : `: ${states}`}.`,
    ...(rows.length > 0 && rows.every(isOtherKind)
      ? ["No mirror answered like a Git repository. If they aren't Git repositories, set probe.kind."]
      : []),
    ...[...group(warnings)].map(
      ([sentence, places]) => `Warning: ${listSome(places.map(({ target }) => target))}: ${sentence}`,
    ),
  ];
}

/** Returns what keeps the checks of whole targets from working. */
export function targetWarningsOf(rows: readonly MirrorRow[], feed?: Feed) {
  const answers = rows.flatMap(({ node, observation: good }) =>
    good !== undefined && evidence(good.code) === 1 ? [[node.place, { node, good }] as const] : [],
  );
  const probed = [...group(answers)].map(([place, seen]) => ({ place, warnings: warningsOf(seen) }));
  const targets = feed === undefined ? probed : targetsOf(feed.systems);
  return targets.flatMap(({ place, warnings }) =>
    warnings.map((code) => ({ target: place, code, sentence: targetWarnings[code] })),
  );
}

function cellsOf(row: MirrorRow): string[] {
  const { node, observation, is, state, explanation } = row;
  const latency = is === undefined ? observation?.latency_ms : is.mean_latency_ms;
  const speed = latency === undefined || state === "offline" ? "" : `${latency} ms`;
  return [`  ${stateLabels[state].label}`, node.name, codeOf(row), speed, explanation()];
}

/** Returns the documented code that explains a state, or `in sync`. */
function codeOf({ state, is, observation }: MirrorRow): string {
  const { code = "", content_code = "" } = is ?? observation ?? {};
  if (state === "offline" || state === "unknown") return code;
  if (state === "wrong") return content_code;
  return state === "online" && is?.freshness === "in_sync" ? "in sync" : "";
}
