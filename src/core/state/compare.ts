import { hash } from "node:crypto";
import type { History } from "../probe/observation.ts";
import type { RefSet } from "../probe/ref-set.ts";
import type { NodeContent, Reference, Version } from "./content-schema.ts";
import { leftAt, verdictOn } from "./reference.ts";
import { keptId, mainName, type Shown, valueOf } from "./shown.ts";
import { ownTagsKept } from "./state-schema.ts";

/** A mirror that answered well, and what it is compared with. */
export interface Judged {
  readonly shown: Shown;
  readonly before: NodeContent | undefined;
  readonly reference: Reference;
  readonly history: History[string] | undefined;
  /** Epoch milliseconds. */
  readonly at: number;
  /** When the mirror was last seen before this run. */
  readonly lastSeen: number;
  /** When the mirror was first seen with its value of the reference's branch, or this run if it was in sync before. */
  readonly mainSince: number;
  /** Whether the mirror's refs are compared, not only the reference's branch. */
  readonly hasRefs: boolean;
  /** Whether the mirror has the content that it had before. */
  readonly isUnmoved: boolean;
  /** False if the run did not see the reference, or the primary stands alone. Such a run accuses nobody. */
  readonly isLed: boolean;
  readonly graceMs: number;
}

/**
 * A ref by which a mirror is not in sync, and the mirror's value of it, which is empty if the mirror lacks the ref.
 * `behind`: the reference has had this content, until `since`. `isProved` is false if only a date says so, or nothing
 * is there to prove it. `apart`: the reference has never had it. `unanswered`: a question was not answered.
 * `hidden`: it would be apart, but the branch is behind, so it may stem from a moment between two runs.
 */
export type Difference = { readonly name: string; readonly value: string } & (
  | { readonly is: "behind"; readonly since: number; readonly isProved: boolean }
  | { readonly is: "apart" | "unanswered" | "hidden" }
);

export type Comparison = ReturnType<typeof compare>;

/** Stands for all refs if they could not be read. No ref has this name. */
export const unreadRefs = "refs";

/** Compares a mirror with its reference, name by name (docs: status.md, "Freshness"). */
export function compare(judged: Judged) {
  const { shown, before, reference, hasRefs } = judged;
  const { refs } = shown;
  const main = compareMain(judged);
  if (!hasRefs || reference.refs === undefined) return { differences: main, own_tags: before?.own_tags };
  if (refs === undefined) {
    const unread: Difference = { name: unreadRefs, value: "", is: "unanswered" };
    return { differences: [...main, unread], own_tags: before?.own_tags };
  }
  const others = Object.entries(reference.refs).flatMap(([name, id]) =>
    name === mainName(reference.branch) || keptId(refs.get(name) ?? "") === id
      ? []
      : compareRef(judged, name, refs.get(name) ?? ""),
  );
  const tags = ownTags(judged, refs);
  const isBehind = main.some(({ is }) => is === "behind");
  // While the branch is behind, only a clock that runs goes on.
  const judgedRefs = [...others, ...tags.foreign].map((one): Difference => {
    const isHidden = one.is === "apart" && isBehind && !isRunning(before?.apart, one.name, one.value);
    return isHidden ? { ...one, is: "hidden" } : one;
  });
  return { differences: [...main, ...judgedRefs], own_tags: tags.known };
}

function compareMain({ shown, before, mainSince, reference, history }: Judged): Difference[] {
  const { versions, branch } = reference;
  const newest = versions.at(-1);
  if (newest === undefined) return [];
  const name = mainName(branch);
  const value = valueOf(shown, name);
  const clock = before?.behind;
  if (value === undefined) {
    const unanswered: Difference = { name, value: "", is: "unanswered" };
    // A clock on this ref goes on, because nothing says that the mirror has moved.
    return clock?.[1] === name
      ? [{ name, value: clock[2], is: "behind", since: clock[0], isProved: false }, unanswered]
      : [unanswered];
  }
  if (value === newest.value) return [];
  const behind = (since: number, isProved = true): Difference[] => [
    { name, value, is: "behind", since, isProved },
  ];
  const former = versions.findLastIndex((one) => one.value === value);
  if (former >= 0) return behind(sinceAfter(versions, former));
  const left = leftAt(reference, name, value);
  if (value === "") return behind(left ?? sinceAfter(versions, -1), false);
  if (left !== undefined) return behind(left);
  const { date } = shown;
  if (date !== undefined && newest.date !== undefined && date < newest.date) {
    const older = versions.findLastIndex((one) => (one.date ?? -Infinity) <= date);
    return behind(sinceAfter(versions, older), false);
  }
  const verdict = verdictOn(reference, name, value);
  if (verdict === "past") {
    const contains = history?.[name]?.[value]?.contains;
    const held = versions.findLastIndex((one) => contains?.includes(one.value));
    return behind(contains === undefined ? mainSince : Math.min(sinceAfter(versions, held), mainSince));
  }
  if (clock !== undefined && isRunning(clock, name, value)) return behind(clock[0]);
  return [{ name, value, is: isBranch(name) && verdict === undefined ? "unanswered" : "apart" }];
}

/** Returns when the reference moved on from the version at an index. */
function sinceAfter(versions: readonly Version[], index: number): number {
  return versions[index + 1]?.since ?? versions.at(-1)?.since ?? 0;
}

function compareRef(
  { shown, before, reference, at, isUnmoved }: Judged,
  name: string,
  value: string,
): Difference[] {
  const { known_from = at } = reference;
  const behind = (since: number): Difference[] => [{ name, value, is: "behind", since, isProved: true }];
  const left = leftAt(reference, name, value);
  if (value === "") return shown.lists(name) ? behind(left ?? known_from) : [];
  if (left !== undefined) return behind(left);
  const { lacking, freshness } = before ?? {};
  const [since = at] = lacking ?? [];
  // If the mirror stands still, the reference has had this content, even if that is forgotten by now.
  if (isUnmoved && (freshness === "in_sync" || freshness === "behind")) return behind(since);
  const verdict = verdictOn(reference, name, value);
  if (verdict === "past") return behind(isRunning(lacking, name, value) ? since : at);
  return [{ name, value, is: isBranch(name) && verdict === undefined ? "unanswered" : "apart" }];
}

/** Only branches can be asked for: the id of a tag object would make a server ignore the whole question. */
export function isBranch(name: string): boolean {
  return name.startsWith("refs/heads/");
}

export function isRunning(clock: NodeContent["behind"], name: string, value: string): boolean {
  return clock?.[1] === name && clock[2] === value;
}

/**
 * Sorts the tags that only the mirror has. A tag is foreign if the mirror got it after it was first seen, and the
 * reference never had the tag or its commit. Mirrors with many tags of their own are not judged by them.
 */
function ownTags({ shown, before, reference }: Judged, refs: RefSet) {
  const { rewritten = [], versions, refs: ids = {} } = reference;
  const former = before?.own_tags?.match(/.{5}/g) ?? [];
  const isFirst = before?.own_tags === undefined || former.length > ownTagsKept;
  const commits = new Set([...versions.map(({ value }) => keptId(value)), ...Object.values(ids)]);
  const hadTag = (name: string, value: string): boolean =>
    commits.has(keptId(value)) ||
    leftAt(reference, name, value) !== undefined ||
    rewritten.some(([, moved, from]) => moved === name && from === keptId(value));
  const known: string[] = [];
  const foreign: Difference[] = [];
  for (const [name, value] of refs) {
    if (!name.startsWith("refs/tags/") || ids[name] !== undefined) continue;
    const digits = hash("sha256", `${name} ${value}`).slice(0, 5);
    if (isFirst || former.some((one) => one === digits) || hadTag(name, value) || !shown.lists(name))
      known.push(digits);
    else foreign.push({ name, value, is: "apart" });
  }
  return { known: known.slice(0, ownTagsKept + 1).join(""), foreign };
}
