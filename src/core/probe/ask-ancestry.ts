import type { History } from "./observation.ts";

/** Returns the entry for a commit on a branch of a target. Adds it if it is missing. */
export function ancestryIn(history: History, place: string, branch: string, id: string) {
  return (((history[place] ??= {})[branch] ??= {})[id] ??= {});
}

/** Merges what Git servers said to several probers: `true` beats `false`, and lists are united. */
export function mergeHistories(histories: readonly History[]): History {
  const merged: History = {};
  for (const [place, branches] of histories.flatMap((history) => Object.entries(history)))
    for (const [branch, ids] of Object.entries(branches))
      for (const [id, { past, contains }] of Object.entries(ids)) {
        const entry = ancestryIn(merged, place, branch, id);
        if (past !== undefined) entry.past = past || entry.past === true;
        if (contains !== undefined) entry.contains = [...new Set([...(entry.contains ?? []), ...contains])];
      }
  return merged;
}
