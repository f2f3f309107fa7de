import { group } from "../base/text/group.ts";
import type { History } from "../probe/observation.ts";
import { placeOf } from "./ancestry-answers.ts";
import { isBranch } from "./compare.ts";
import type { NodeContent } from "./content-schema.ts";
import type { Reference } from "./reference-schema.ts";
import { keptId, mainName, type Shown, valueOf } from "./shown.ts";

/**
 * Returns whether the other mirrors contradict a primary: of those that answered, at least two and more than half have
 * newer content, or share content that the primary never had. Such a run proves nothing against them.
 */
export function isAlone(
  others: readonly Shown[],
  reference: Reference,
  history: History[string] | undefined,
): boolean {
  const { versions, moves = [], branch } = reference;
  const newest = versions.at(-1);
  if (newest === undefined) return false;
  const name = mainName(branch);
  const known = others.flatMap((one) => {
    const value = valueOf(one, name);
    return value === undefined ? [] : [{ value, date: one.date }];
  });
  const isMost = (count: number): boolean => count >= 2 && count * 2 > known.length;
  const had = (value: string): boolean =>
    versions.some((one) => one.value === value) ||
    moves.some(([, moved, from]) => moved === name && from === keptId(value));
  // Content that is older, or that the primary's server was not asked about, says nothing against the primary.
  const strange = known.filter(({ value, date }) => {
    if (value === "" || had(value)) return false;
    if (date !== undefined && newest.date !== undefined) return date >= newest.date;
    return !isBranch(name) || placeOf(reference, history, name, value).isPast === false;
  });
  const newer = strange.filter(
    ({ value, date = -Infinity }) =>
      (newest.date !== undefined && date > newest.date) || placeOf(reference, history, name, value).isNewer,
  );
  const shared = group(strange.map(({ value }) => [value, value] as const));
  return isMost(newer.length) || [...shared.values()].some(({ length }) => isMost(length));
}

/** Marks the versions that mirrors have just taken: those they moved to, or had when they were first seen. */
export function withTaken(
  reference: Reference,
  others: readonly { readonly shown: Shown; readonly before: NodeContent | undefined }[],
): Reference {
  const name = mainName(reference.branch);
  const taken = new Set(
    others.flatMap(({ shown, before }) => {
      const value = valueOf(shown, name);
      return value === undefined || value === (before?.main ?? before?.revision) ? [] : [value];
    }),
  );
  const newest = new Map(reference.versions.map(({ value }, index) => [value, index]));
  const isTaken = (value: string, index: number): boolean => taken.has(value) && newest.get(value) === index;
  if (![...newest].some(([value, index]) => isTaken(value, index))) return reference;
  return {
    ...reference,
    versions: reference.versions.map((one, index) => {
      const { value, since, date, index: described } = one;
      return isTaken(value, index) ? { value, since, date, taken: true, index: described } : one;
    }),
  };
}

/**
 * Returns from when a mirror that has been behind since `since` counts as outdated. With two or more mirrors, content
 * of the primary counts only once one of them has taken it: nobody is blamed for not copying what nobody copied.
 */
export function followedSince(reference: Reference, since: number, mirrors: number): number | undefined {
  if (mirrors < 2) return since;
  return reference.versions.find((one) => one.taken === true && one.since >= since)?.since;
}
