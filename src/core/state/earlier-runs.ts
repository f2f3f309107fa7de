import type { Node } from "../config/nodes.ts";
import type { ProbeRun } from "../probe/probe-all.ts";
import { openQuestions } from "./ancestry-answers.ts";
import { incomplete } from "./freshness.ts";
import type { State } from "./state-schema.ts";

type EarlierRuns = Required<Pick<ProbeRun, "silent" | "incomplete" | "references" | "git">>;

/** Returns what the probes of a run need to know about earlier ones. */
export function earlierRuns(state: State | undefined, all: readonly Node[]): EarlierRuns {
  const { nodes = {}, references = {}, vantages = {} } = state ?? {};
  const tallies = Object.values(vantages).flatMap((vantage) => Object.entries(vantage.nodes));
  const newest = Object.entries(references).flatMap(([place, { versions }]) => {
    const { value, index } = versions.at(-1) ?? {};
    return value === undefined ? [] : [[place, { revision: value, index }] as const];
  });
  return {
    silent: new Set(tallies.flatMap(([id, { code }]) => (code === "timeout" ? [Number(id)] : []))),
    incomplete: new Set(
      Object.entries(nodes).flatMap(([id, node]) => (incomplete.has(node.content_code) ? [Number(id)] : [])),
    ),
    references: new Map(newest),
    git: state && openQuestions(state, all),
  };
}
