import { alignedTable } from "../../core/base/terminal/table.ts";
import { formatCount } from "../../core/base/text/count.ts";
import { group } from "../../core/base/text/group.ts";
import type { Node } from "../../core/config/nodes.ts";
import { listSome } from "../../core/config/warnings.ts";
import { type Feed, nodesOf, targetsOf } from "../../core/feed/feed.ts";
import { countStates, formatStates, stateOf } from "../../core/feed/verdict.ts";
import { defaultKind, evidence } from "../../core/kinds/kinds.ts";
import { targetWarnings } from "../../core/kinds/mirror-content.ts";
import type { Observation } from "../../core/probe/observation.ts";
import type { Round } from "../../core/state/round.ts";
import { warningsOf } from "../../core/state/content.ts";
import { attentionStates, type MirrorState, stateLabels } from "../../core/verdict/mirror-state.ts";
import { codeSentence, explain, movedSentence } from "./explain.ts";

/** Mirrors and what was observed of them. */
export interface ProbedMirrors {
  readonly nodes: readonly Node[];
  readonly round: Round;
  /** The feed after the run. Undefined if the results were not judged, as in `mirrorfeed probe`. */
  readonly feed?: Feed | undefined;
  /** What was so before the run. Undefined before the first one, or if the results were not judged. */
  readonly before?: { readonly states: ReadonlyMap<number, MirrorState> } | undefined;
}

export type MirrorRow = ReturnType<typeof rowsOf>[number];

/**
 * Returns each mirror with its observation in this run, its state before the run, its entry in the feed after it, and an
 * explanation in whole sentences, which may be empty. Without a feed, the state is what the observation suggests.
 */
export function rowsOf({ nodes, round, before, feed }: ProbedMirrors) {
  const is = new Map(nodesOf(targetsOf(feed?.systems ?? [])).map((node) => [node.id, node]));
  const at = Date.parse(feed?.run.generated_at ?? "");
  const unjudged = { maintenance: undefined, freshness: "unknown", late: false } as const;
  return nodes.map((node) => {
    const { id } = node;
    const seen = round.vantages.find(({ observations }) => observations.has(id));
    const observation = seen?.observations.get(id);
    const mirror = is.get(id);
    const { code, content_code } = observation ?? {};
    return {
      ...{ node, observation, was: before?.states.get(id), is: mirror },
      state: mirror?.state ?? stateOf({ ...unjudged, status: evidence(code) ?? 0, code, content_code }),
      /** A function, because most mirrors of a large feed are not listed. */
      explanation: () => (mirror ? explain(mirror, observation, at) : probedSentence(observation)),
    };
  });
}

function probedSentence(observation: Partial<Observation> = {}): string {
  const { code, content_code, moved_to } = observation;
  const sentence = codeSentence(code === "ok" ? { code: content_code } : observation);
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

/** If there are more mirrors than this, only those that need attention are listed. */
const maxRows = 200;

/** Returns a table by target, and `totalLines`. `feed` is undefined if the results were not judged. */
export function mirrorTable(rows: readonly MirrorRow[], feed?: Feed): string {
  const isListed = ({ state }: MirrorRow): boolean =>
    rows.length <= maxRows || attentionStates.includes(state);
  const byPlace = group(rows.filter(isListed).map((row) => [row.node.place, cellsOf(row)] as const));
  const lines = [...byPlace].flatMap(([place, cells]) => [place, ...cells]);
  const unlisted = rows.filter((row) => !isListed(row)).length;
  const more = unlisted > 0 ? [`Not listed: ${formatCount(unlisted, "more mirror")}.`] : [];
  return alignedTable([...lines, ...more, ...totalLines(rows, feed)], [3]);
}

/** Returns a line with the numbers of mirrors by state, a note if `probe.kind` may be missing, and the warnings. */
export function totalLines(rows: readonly MirrorRow[], feed?: Feed): string[] {
  const states = formatStates(feed?.verdict.counts ?? countStates(rows));
  const probed = feed === undefined ? " probed" : "";
  const warnings = group(targetWarningsOf(rows, feed).map((one) => [one.sentence, one.target] as const));
  const isOtherKind = ({ node, observation }: MirrorRow): boolean =>
    node.settings.kind === defaultKind &&
    (observation?.code === "not_git" || observation?.http_status === 404);
  const note = "No mirror answered like a Git repository. If they aren't Git repositories, set probe.kind.";
  return [
    `${formatCount(rows.length, "mirror")}${probed}${states === "" ? "" : `: ${states}`}.`,
    ...(rows.length > 0 && rows.every(isOtherKind) ? [note] : []),
    ...[...warnings].map(([sentence, places]) => `Warning: ${listSome(places)}: ${sentence}`),
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

function cellsOf({ node, observation, is, state, explanation }: MirrorRow): string[] {
  const { code = "", content_code = "" } = is ?? observation ?? {};
  const told = state === "wrong" ? content_code : code;
  const inSync = is?.freshness === "in_sync" ? "in sync" : "";
  const latency = is === undefined ? observation?.latency_ms : is.mean_latency_ms;
  const speed = latency === undefined || state === "offline" ? "" : `${latency} ms`;
  return [`  ${stateLabels[state].label}`, node.name, told === "ok" ? inSync : told, speed, explanation()];
}
