import { byFrequency } from "../base/text/group.ts";
import { isBranch } from "./compare.ts";
import type { Reference } from "./content-schema.ts";
import { type Lead, leftAt, verdictOn } from "./reference.ts";
import { mainName, type Shown, valueOf } from "./shown.ts";

/** Returns what the primary shows, or undefined if that cannot be compared. */
export function leadOfPrimary(shown: Shown | undefined): Lead | undefined {
  const isComparable = shown !== undefined && (shown.revision ?? shown.refs) !== undefined;
  return isComparable ? { ...shown, main: shown.revision } : undefined;
}

/**
 * Returns the reference of a target without a primary: what more than half of its `size` mirrors share. Names without
 * a majority keep their value. Returns undefined if this run did not see the reference.
 */
export function leadOfMost(all: readonly Shown[], size: number, known: Reference | undefined) {
  const shared = <Value>(values: readonly Value[]): Value | undefined =>
    byFrequency(values).find(([, count]) => count * 2 > size)?.[0];
  const branch =
    shared(all.flatMap((one) => (one.revision === undefined ? [] : one.branch))) ?? known?.branch ?? "";
  const name = mainName(branch);
  const main = shared(all.flatMap((one) => valueOf(one, name) || []));
  const example = all.find((one) => valueOf(one, name) === main);
  if (main === undefined || example === undefined) return undefined;
  const lists = all.flatMap(({ refs }) => refs ?? []);
  const isListed = lists.length * 2 > size;
  const former = new Map(Object.entries(known?.refs ?? {}));
  const names = new Set([...former.keys(), ...lists.flatMap((refs) => [...refs.keys()])]);
  const refs = [...names].flatMap((one): [string, string][] => {
    const value = shared(lists.map((list) => list.get(one) ?? "")) ?? former.get(one) ?? "";
    return value === "" ? [] : [[one, value]];
  });
  return { ...example, branch, main, refs: isListed ? new Map(refs) : undefined };
}

/** Whether at least two and more than half of the others are newer, or share content that the primary never had. */
export function isAlone(others: readonly Shown[], reference: Reference): boolean {
  const newest = reference.versions.at(-1);
  if (newest === undefined) return false;
  const name = mainName(reference.branch);
  const known = others.flatMap((one) => {
    const value = valueOf(one, name);
    return value === undefined ? [] : [{ value, date: one.date, verdict: verdictOn(reference, name, value) }];
  });
  const isMost = (count: number): boolean => count >= 2 && count * 2 > known.length;
  const isFormer = (value: string): boolean =>
    reference.versions.some((one) => one.value === value) || leftAt(reference, name, value) !== undefined;
  // Content that is older, or that the primary's server was not asked about, says nothing against the primary.
  const strange = known.filter(({ value, date, verdict }) => {
    if (value === "" || isFormer(value)) return false;
    if (date !== undefined && newest.date !== undefined) return date >= newest.date;
    return !isBranch(name) || verdict === "newer" || verdict === "apart";
  });
  const newer = strange.filter(
    ({ date = -Infinity, verdict }) =>
      (newest.date !== undefined && date > newest.date) || verdict === "newer",
  );
  return (
    isMost(newer.length) || byFrequency(strange.map(({ value }) => value)).some(([, count]) => isMost(count))
  );
}
