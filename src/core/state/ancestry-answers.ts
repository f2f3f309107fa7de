import { group } from "../base/text/group.ts";
import type { Node } from "../config/nodes.ts";
import type { Ancestry, History } from "../probe/observation.ts";
import type { ProbeRun } from "../probe/probe-all.ts";
import { answersKept, type Reference } from "./reference-schema.ts";
import type { State } from "./state-schema.ts";
import { keptId, mainName } from "./shown.ts";

/** What is known about a commit's place in the history of a branch, from this run or an earlier one. */
export interface Place {
  /** Whether the reference's history reaches the commit. Undefined if nobody answered. */
  readonly isPast: boolean | undefined;
  /** Whether the commit's own history reaches the reference's commit. */
  readonly isNewer: boolean;
  /** The reference's versions that the commit's history reaches, if they were asked for in this run. */
  readonly contains: readonly string[] | undefined;
}

/** Returns the answers to remember. A "no" holds only until the reference moves on. */
export function answersAfter(reference: Reference, history: History[string] = {}): Reference["answers"] {
  const { answers = [] } = reference;
  const fresh = Object.entries(history).flatMap(([name, commits]) =>
    Object.entries(commits).flatMap(([id, ancestry]): Answer[] => {
      const tip = tipOf(reference, name);
      const place = placeIn(ancestry, tip);
      if (place.isPast === undefined || tip === undefined) return [];
      const verdict = place.isPast ? "past" : place.isNewer ? "newer" : "apart";
      return [[name, keptId(id), verdict, keptId(tip)]];
    }),
  );
  const isReplaced = ([name, id]: Answer): boolean =>
    fresh.some(([one, other]) => one === name && other === id);
  const isStale = ([name, , verdict, tip]: Answer): boolean =>
    verdict !== "past" && tip !== keptId(tipOf(reference, name) ?? "");
  const kept = [...answers.filter((one) => !isReplaced(one) && !isStale(one)), ...fresh];
  return kept.length === 0 ? undefined : kept.slice(-answersKept);
}

type Answer = NonNullable<Reference["answers"]>[number];

export function placeOf(
  { answers = [] }: Reference,
  history: History[string] | undefined,
  name: string,
  id: string,
): Place {
  const verdict = answers.findLast(([one, other]) => one === name && other === keptId(id))?.[2];
  return {
    isPast: verdict && verdict === "past",
    isNewer: verdict === "newer",
    contains: history?.[name]?.[id]?.contains,
  };
}

/**
 * Returns whether nothing needs to be asked about a branch's commit: the reference has had it, has no such branch, or
 * has answered. `tip` is the reference's commit (default: the last known one).
 */
export function isSettled(
  reference: Reference,
  name: string,
  id: string,
  tip = tipOf(reference, name),
): boolean {
  const { branch, versions, refs, moves = [], answers = [] } = reference;
  const kept = keptId(id);
  const isMain = name === mainName(branch);
  if (isMain ? versions.some(({ value }) => value === id) : refs !== undefined && !Object.hasOwn(refs, name))
    return true;
  return (
    (!isMain && refs?.[name] === kept) ||
    moves.some(([, moved, from, to]) => moved === name && (from === kept || to === kept)) ||
    answers.some(
      ([one, other, verdict, at]) =>
        one === name && other === kept && (verdict === "past" || at === keptId(tip ?? "")),
    )
  );
}

/** Returns the questions for Git servers that earlier runs leave open. */
export function openQuestions(
  { nodes, references }: State,
  all: readonly Node[],
): NonNullable<ProbeRun["git"]> {
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
        return name.startsWith("refs/heads/") && value !== "" ? [[name, value] as const] : [];
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

function tipOf({ branch, versions, refs }: Reference, name: string): string | undefined {
  return name === mainName(branch) ? versions.at(-1)?.value : refs?.[name];
}

function placeIn({ past, contains }: Ancestry, tip: string | undefined): Pick<Place, "isPast" | "isNewer"> {
  const isNewer = contains?.some((one) => tip !== undefined && keptId(one) === keptId(tip)) === true;
  return { isPast: past ?? (isNewer ? false : undefined), isNewer: isNewer && past !== true };
}
