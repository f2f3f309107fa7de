import { group } from "../base/text/group.ts";
import type { Node } from "../config/nodes.ts";
import type { ProbeRun } from "../probe/probe-all.ts";
import { isBranch } from "./compare.ts";
import type { Reference } from "./content-schema.ts";
import { incomplete } from "./freshness.ts";
import { tipOf } from "./reference.ts";
import { keptId, mainName } from "./shown.ts";
import type { State } from "./state-schema.ts";

/** Returns what the probes of a run need to know about earlier ones. */
export function earlierRuns(state: State | undefined, all: readonly Node[]) {
  const { nodes = {}, references = {}, vantages = {} } = state ?? {};
  const tallies = Object.values(vantages).flatMap((vantage) => Object.entries(vantage.nodes));
  const newest = Object.entries(references).flatMap(([place, { versions, index }]) => {
    const { value: revision, index: own } = versions.at(-1) ?? {};
    const known = { revision, index: index ?? own };
    return (revision ?? index) === undefined ? [] : [[place, known] as const];
  });
  return {
    silent: new Set(tallies.flatMap(([id, { code }]) => (code === "timeout" ? [Number(id)] : []))),
    earlier: new Map(
      Object.entries(nodes).map(([id, { revision, content_code, content_file }]) => [
        Number(id),
        { lastRevision: revision, wasIncomplete: incomplete.has(content_code), lastProblem: content_file },
      ]),
    ),
    references: new Map(newest),
    git: state && openQuestions(state, all),
  };
}

/** Returns the questions for Git servers that earlier runs leave open. */
function openQuestions({ nodes, references }: State, all: readonly Node[]): NonNullable<ProbeRun["git"]> {
  const byPlace = group(all.map(({ place, id }) => [place, id] as const));
  return {
    proofOf: (id) => {
      const { at, revision, failed = 0, timed_out = 0 } = nodes[id]?.proof ?? {};
      return at === undefined || revision === undefined
        ? undefined
        : { at, revision, failures: failed + timed_out };
    },
    historyOf: (place) => {
      const reference = references[place];
      if (reference === undefined) return undefined;
      const clocks = (byPlace.get(place) ?? []).flatMap((id) => {
        const [, name = "", value = ""] = nodes[id]?.apart ?? [];
        return isBranch(name) && value !== "" ? [[name, value] as const] : [];
      });
      return {
        main: mainName(reference.branch),
        versions: reference.versions.map(({ value }) => value),
        asked: clocks,
        isSettled: (name, id, tip) => isSettled(reference, name, id, tip),
      };
    },
  };
}

/** Whether nothing needs to be asked about a branch's commit. `tip` defaults to the reference's last known commit. */
export function isSettled(
  reference: Reference,
  name: string,
  id: string,
  tip = tipOf(reference, name) ?? "",
): boolean {
  const { branch, versions, refs, moves = [], answers = [] } = reference;
  const kept = keptId(id);
  const isMain = name === mainName(branch);
  if (!isMain && refs !== undefined && (!Object.hasOwn(refs, name) || refs[name] === kept)) return true;
  return (
    (isMain && versions.some(({ value }) => value === id)) ||
    moves.some(([, moved, from, to]) => moved === name && (from === kept || to === kept)) ||
    answers.some(
      ([one, other, verdict, at]) =>
        one === name && other === kept && (verdict === "past" || at === keptId(tip)),
    )
  );
}
