import { hash } from "node:crypto";
import type { History } from "../probe/observation.ts";
import { placeOf } from "./ancestry-answers.ts";
import type { NodeContent } from "./content-schema.ts";
import type { Reference, Version } from "./reference-schema.ts";
import { ownTagsKept } from "./state-schema.ts";
import { keptId, mainName, type Shown, valueOf } from "./shown.ts";

/** A ref by which a mirror is not in sync, and the mirror's value of it. */
export interface Difference {
  readonly name: string;
  /** Empty if the mirror lacks the ref. */
  readonly value: string;
}

/** Content of the reference that a mirror lacks. */
export interface Lack extends Difference {
  /** Since when the reference has had other content (epoch milliseconds). */
  readonly since: number;
}

/** How a mirror's content relates to the reference's. */
export interface Comparison {
  readonly lacks: readonly Lack[];
  /** Refs with content that the reference has never had. */
  readonly apart: readonly Difference[];
  /** Refs whose relation is unknown, because a question was not answered. */
  readonly unanswered: readonly Difference[];
  /**
   * Whether the reference has had all of the content that can be judged now. A date alone does not prove that, nor does a
   * moment in which a branch that is behind hides another ref.
   */
  readonly isProved: boolean;
  readonly ownTags: string | undefined;
}

export interface Compared {
  readonly shown: Shown;
  readonly before: NodeContent | undefined;
  /** When the mirror was first seen with its value of the reference's branch, or this run if it was in sync before. */
  readonly mainSince: number;
  readonly reference: Reference;
  readonly history: History[string] | undefined;
  /** Whether the mirror's refs are compared, not only the reference's branch. */
  readonly hasRefs: boolean;
  readonly at: number;
}

/** Stands for all refs if they could not be read. No ref has this name. */
export const unreadRefs = "refs";

/** Compares a mirror with its reference, name by name (docs: status.md, "Freshness"). */
export function compare(compared: Compared): Comparison {
  const main = compareMain(compared);
  const { shown, reference, hasRefs } = compared;
  const { refs } = shown;
  if (!hasRefs || reference.refs === undefined) return { ...main, ownTags: compared.before?.own_tags };
  if (refs === undefined) {
    const unanswered = [...main.unanswered, { name: unreadRefs, value: "" }];
    return { ...main, unanswered, ownTags: compared.before?.own_tags };
  }
  const others = Object.entries(reference.refs).flatMap(([name, id]) =>
    name === mainName(reference.branch) ? [] : [compareRef(compared, refs, name, id)],
  );
  const tags = ownTags(compared, refs);
  const isBehind = main.lacks.length > 0;
  // While the branch is behind, the other refs may stem from a moment between two runs, and only a clock goes on.
  const foreign = [...others.flatMap((one) => one.apart ?? []), ...tags.foreign];
  const judged = foreign.filter(
    ({ name, value }) => !isBehind || isRunning(compared.before?.apart, name, value),
  );
  return {
    lacks: [...main.lacks, ...others.flatMap((one) => one.lack ?? [])],
    apart: [...main.apart, ...judged],
    unanswered: [...main.unanswered, ...others.flatMap((one) => one.unanswered ?? [])],
    isProved: main.isProved && judged.length === foreign.length,
    ownTags: tags.known,
  };
}

type Main = Omit<Comparison, "ownTags">;

const equal: Main = { lacks: [], apart: [], unanswered: [], isProved: true };

function compareMain({ shown, before, mainSince, reference, history }: Compared): Main {
  const { versions, moves = [], branch } = reference;
  const newest = versions.at(-1);
  if (newest === undefined) return equal;
  const name = mainName(branch);
  const value = valueOf(shown, name);
  const clock = before?.behind;
  if (value === undefined) {
    // A clock on this ref goes on, because nothing says that the mirror has moved.
    const lacks = clock?.[1] === name ? [{ name, value: clock[2], since: clock[0] }] : [];
    return { ...equal, lacks, unanswered: [{ name, value: "" }], isProved: false };
  }
  if (value === newest.value) return equal;
  const behind = (since: number, isProved = true): Main => ({
    ...equal,
    lacks: [{ name, value, since }],
    isProved,
  });
  const former = versions.findLastIndex((one) => one.value === value);
  if (former >= 0) return behind(sinceAfter(versions, former));
  const appeared = moves.findLast(([, moved, from]) => moved === name && from === "")?.[0];
  if (value === "") return behind(appeared ?? sinceAfter(versions, -1), false);
  const left = moves.findLast(([, moved, from]) => moved === name && from === keptId(value))?.[0];
  if (left !== undefined) return behind(left);
  const { date } = shown;
  if (date !== undefined && newest.date !== undefined && date < newest.date)
    return behind(
      sinceAfter(
        versions,
        versions.findLastIndex((one) => (one.date ?? -Infinity) <= date),
      ),
      false,
    );
  const { isPast, contains } = placeOf(reference, history, name, value);
  if (isPast === true) {
    const held = versions.findLastIndex((one) => contains?.includes(one.value));
    return behind(contains === undefined ? mainSince : Math.min(sinceAfter(versions, held), mainSince));
  }
  if (clock !== undefined && isRunning(clock, name, value)) return behind(clock[0]);
  return isBranch(name) && isPast === undefined
    ? { ...equal, unanswered: [{ name, value }], isProved: false }
    : { ...equal, apart: [{ name, value }], isProved: false };
}

/** Returns when the reference moved on from the version at an index. */
function sinceAfter(versions: readonly Version[], index: number): number {
  return versions[index + 1]?.since ?? versions.at(-1)?.since ?? 0;
}

interface RefComparison {
  readonly lack?: Lack;
  readonly apart?: Difference;
  readonly unanswered?: Difference;
}

function compareRef(
  { shown, before, reference, history, at }: Compared,
  refs: ReadonlyMap<string, string>,
  name: string,
  id: string,
): RefComparison {
  const { moves = [], known_from = at } = reference;
  const value = refs.get(name) ?? "";
  if (keptId(value) === id) return {};
  const lack = (since: number): RefComparison => ({ lack: { name, value, since } });
  if (value === "") {
    const appeared = moves.findLast(([, moved, from]) => moved === name && from === "")?.[0];
    return shown.lists(name) ? lack(appeared ?? known_from) : {};
  }
  const left = moves.findLast(([, moved, from]) => moved === name && from === keptId(value))?.[0];
  if (left !== undefined) return lack(left);
  // If the mirror stands still, the reference has had this content, even if that is forgotten by now.
  const { lacking, refs: digest, freshness } = before ?? {};
  if (digest === shown.digest && (freshness === "in_sync" || freshness === "behind"))
    return lack(lacking?.[0] ?? at);
  const { isPast } = placeOf(reference, history, name, value);
  if (isPast === true) return lack(isRunning(lacking, name, value) ? (lacking?.[0] ?? at) : at);
  return isBranch(name) && isPast === undefined
    ? { unanswered: { name, value } }
    : { apart: { name, value } };
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
function ownTags(
  { shown, before, reference }: Compared,
  refs: ReadonlyMap<string, string>,
): { readonly known: string; readonly foreign: readonly Difference[] } {
  const { moves = [], rewritten = [], versions, refs: ids = {} } = reference;
  const extra = [...refs].filter(([name]) => name.startsWith("refs/tags/") && ids[name] === undefined);
  const former =
    before?.own_tags === undefined ? undefined : Array.from(before.own_tags.match(/.{5}/g) ?? []);
  const commits = new Set([...versions.map(({ value }) => keptId(value)), ...Object.values(ids)]);
  const hadTag = (name: string, id: string): boolean =>
    commits.has(keptId(id)) ||
    [...moves, ...rewritten].some(([, moved, from]) => moved === name && from === keptId(id));
  const tags = extra.map(([name, value]) => {
    const digits = hash("sha256", `${name} ${value}`).slice(0, 5);
    const isKnown =
      former === undefined || former.length > ownTagsKept || former.includes(digits) || hadTag(name, value);
    return { name, value, digits, isKnown: isKnown || !shown.lists(name) };
  });
  const known = tags.flatMap(({ digits, isKnown }) => (isKnown ? [digits] : []));
  return { known: known.slice(0, ownTagsKept + 1).join(""), foreign: tags.filter(({ isKnown }) => !isKnown) };
}
