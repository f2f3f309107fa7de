import type { RefSet } from "../probe/ref-set.ts";
import type { ContentIndex } from "../kinds/content-index.ts";
import { dayMs } from "./counts.ts";
import { type Reference, revisionsKept, rewrittenKept, setsKept } from "./reference-document.ts";

/** A revision, the branch that HEAD names, and the node that has them. */
export interface Tip {
  readonly id: number;
  readonly revision: string;
  readonly branch: string;
  /** The digest of its refs, and the refs themselves if they are known. */
  readonly refs?: string | undefined;
  readonly set?: RefSet | undefined;
  /** Whether it has too many refs to compare: then HEAD alone is. */
  readonly hasTooManyRefs?: boolean;
  /** When the content was made, in epoch milliseconds. */
  readonly at?: number | undefined;
  readonly index?: ContentIndex | undefined;
}

/** How much of a Git object id is kept: 64 bits tell the revisions of one repository apart. */
const digitsKept = 16;

/** Returns what a reference keeps of a revision. Only an object id may be cut. Any other revision is opaque text. */
export function shortened(revision: string): string {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(revision) ? revision.slice(0, digitsKept) : revision;
}

/** Returns what is kept of the object id of a ref: 40 bits tell what one name had apart. */
export function keptId(id: string): string {
  return id.slice(0, 10);
}

/**
 * Returns the reference of a target: the tip of the primary node, else what a strict majority of the nodes shares, with
 * their refs if the majority shares these too, else undefined.
 */
export function referenceTip(
  tips: readonly Tip[],
  primary: number | undefined,
  nodes: number,
): Tip | undefined {
  if (primary !== undefined) return tips.find(({ id }) => id === primary);
  const shared = (keyOf: (tip: Tip) => string): Tip | undefined => {
    const counts = new Map<string, number>();
    for (const tip of tips) counts.set(keyOf(tip), (counts.get(keyOf(tip)) ?? 0) + 1);
    return tips.find((tip) => (counts.get(keyOf(tip)) ?? 0) * 2 > nodes);
  };
  const byRefs = shared(({ revision, branch, refs = "" }) => `${refs} ${revision} ${branch}`);
  const byHead = shared(({ revision, branch }) => `${revision} ${branch}`);
  return byRefs ?? (byHead && { ...byHead, refs: undefined, set: undefined });
}

/**
 * Returns the reference after a tip was observed at a time (epoch milliseconds). `refsOf` identifies what its refs are
 * of: refs of something else have another history.
 */
export function moveReference(
  reference: Reference | undefined,
  tip: Tip,
  at: number,
  refsOf: string,
): Reference {
  const revision = shortened(tip.revision);
  // Another branch has another history, so the old one proves nothing.
  const before = reference?.branch === tip.branch ? reference : undefined;
  const revisions = appended(before?.revisions ?? [], revision, at, revisionsKept);
  return {
    branch: tip.branch,
    revisions,
    ...contentsOf(before, revisions, tip),
    ...moveRefs(reference, tip, at, refsOf),
  };
}

type History = Reference["revisions"];

function appended(history: History, value: string, at: number, kept: number): History {
  return history.at(-1)?.[0] === value
    ? history
    : [...history, [value, at] satisfies [string, number]].slice(-kept);
}

/** Returns what is known of the content of each revision. Only that of the newest one names files. */
function contentsOf(
  before: Reference | undefined,
  revisions: History,
  { revision, at, index }: Tip,
): Pick<Reference, "contents"> {
  if (at === undefined && index === undefined && before?.contents === undefined) return {};
  type Known = NonNullable<Reference["contents"]>[string];
  const older = revisions.slice(0, -1).flatMap(([one]): [string, Known][] => {
    const { at: made, index: former } = before?.contents?.[one] ?? {};
    return made === undefined && former === undefined
      ? []
      : [[one, { at: made, index: former && withoutFiles(former) }]];
  });
  return { contents: Object.fromEntries([...older, [shortened(revision), { at, index }]]) };
}

function withoutFiles({ size, sha256, sha512 }: ContentIndex): ContentIndex {
  return {
    ...(size !== undefined && { size }),
    ...(sha256 !== undefined && { sha256 }),
    ...(sha512 !== undefined && { sha512 }),
  };
}

type RefHistory = Pick<Reference, "sets" | "refs" | "refs_since" | "recent" | "refs_of" | "rewritten">;

function moveRefs(
  reference: Reference | undefined,
  { refs, set, hasTooManyRefs }: Tip,
  at: number,
  refsOf: string,
): RefHistory {
  const before: RefHistory = reference?.refs_of === refsOf && !hasTooManyRefs ? reference : {};
  const { rewritten = reference?.rewritten } = before;
  if (refs === undefined) {
    return {
      sets: before.sets,
      refs: before.refs,
      refs_since: before.refs_since,
      recent: before.recent,
      refs_of: before.refs_of,
      rewritten,
    };
  }
  const sets = appended(before.sets ?? [], refs, at, setsKept);
  const known = { sets, refs_of: refsOf, rewritten };
  if (set === undefined) return known;
  // Most references have not moved since the last run.
  const isMoved = before.refs === undefined || sets !== before.sets;
  const ids = isMoved ? Object.fromEntries([...set].map(([name, id]) => [name, keptId(id)])) : before.refs;
  if (before.refs === undefined) return { ...known, refs: ids, refs_since: at, recent: {} };
  const changed = isMoved ? changedNames(before.refs, ids) : [];
  const recent = Object.entries(before.recent ?? {}).filter(([, since]) => at - since < dayMs);
  return {
    ...known,
    refs: ids,
    refs_since: before.refs_since ?? at,
    recent: Object.fromEntries([...recent, ...changed.map((name) => [name, at] as const)]),
    rewritten: rewrittenTags(rewritten, before.refs, ids, changed, at),
  };
}

function changedNames(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => before[name] !== after[name]);
}

/** Returns the last tags that moved or vanished, which a tag should not do. */
function rewrittenTags(
  known: Reference["rewritten"],
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
  changed: readonly string[],
  at: number,
): Reference["rewritten"] {
  const tags = changed.flatMap((name): NonNullable<Reference["rewritten"]> => {
    const from = before[name];
    return from === undefined || !name.startsWith("refs/tags/") ? [] : [[at, name, from, after[name] ?? ""]];
  });
  return tags.length === 0 ? known : [...(known ?? []), ...tags].slice(-rewrittenKept);
}

/**
 * Returns since when a reference has, or lacks, a ref as it does now (epoch milliseconds), as far as runs have seen it.
 * Pushes between two runs go unseen.
 */
export function stoodSince({ recent, refs_since, sets }: Reference, name: string): number {
  const since = recent?.[name] ?? refs_since ?? Infinity;
  // All refs stand at least as long as the newest set.
  return Math.min(since, sets?.at(-1)?.[1] ?? Infinity);
}
