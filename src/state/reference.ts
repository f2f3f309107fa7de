import { hash } from "node:crypto";
import { group } from "../base/text/group.ts";
import { listTargets, type Node } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import type { ContentIndex } from "../kinds/mirror-content.ts";
import { defaultRefs } from "../kinds/git-refs.ts";
import type { Observation } from "../probe/observation.ts";
import type { RefSet } from "../probe/ref-set.ts";
import { dayMs } from "./counts.ts";
import { shownName } from "./room.ts";
import { observationsOf, type Round, type VantageRound } from "./round.ts";
import { type Reference, revisionsKept, rewrittenKept, setsKept, type State } from "./schema.ts";

/** A target's reference before and after a run, and whether the run saw the reference's refs and revision. */
export interface ReferenceMove {
  readonly before: Reference | undefined;
  readonly after: Reference | undefined;
  readonly seen: { readonly refs: boolean; readonly revision: boolean };
  readonly patterns: string;
}

/**
 * Maps each target's place to the reference before and after a run. `round` is undefined for a late round, which moves
 * no reference.
 */
export function moveReferences(
  config: Config,
  nodes: readonly Node[],
  round: Round | undefined,
  online: readonly VantageRound[],
  known: State | undefined,
  at: number,
): Map<string, ReferenceMove> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return new Map(
    listTargets(config).map(({ place, target: { primary, network } }): [string, ReferenceMove] => {
      const before = known?.references[place];
      const tips = round === undefined ? [] : network.flatMap(({ id }) => tipOf(id, online, round.refs));
      const tip = referenceTip(tips, primary, network.length);
      const patterns = patternsOf(byId.get(primary ?? network[0]?.id ?? 0));
      const refsOf = hash("sha256", JSON.stringify([primary ?? null, patterns])).slice(0, 16);
      const after = tip && moveReference(before, tip, at, refsOf);
      const seen = { revision: tip !== undefined, refs: tip?.refs !== undefined };
      return [place, { before, after: after ?? before, seen, patterns }];
    }),
  );
}

/** Serializes the patterns of the refs that are compared. */
export function patternsOf(node: Node | undefined): string {
  return JSON.stringify(node?.settings.options["refs"] ?? defaultRefs);
}

/** A node's content as most vantages saw it, with its refs if they are known. */
export interface Tip extends Pick<Observation, "id" | "branch" | "refs_unread" | "content_at" | "index"> {
  readonly revision: string;
  readonly refs?: string | undefined;
  readonly set?: RefSet | undefined;
}

function tipOf(id: number, online: readonly VantageRound[], sets: Round["refs"]): Tip[] {
  const seen = prevailing(observationsOf(online, id).filter(({ revision }) => revision !== undefined));
  if (seen?.revision === undefined) return [];
  const { revision, refs } = seen;
  return [{ ...seen, revision, set: refs === undefined ? undefined : sets?.get(refs) }];
}

/** Returns an observation of the content that most vantages saw. The first vantage breaks a tie. */
export function prevailing(seen: readonly Observation[]): Observation | undefined {
  const contents = largestFirst(seen, ({ revision, branch, refs, content_code }) => [
    revision,
    branch,
    refs,
    content_code,
  ]);
  return contents[0]?.[0];
}

function largestFirst<Value>(
  values: readonly Value[],
  keyOf: (value: Value) => readonly unknown[],
): (readonly Value[])[] {
  const groups = group(values.map((value) => [JSON.stringify(keyOf(value)), value] as const));
  return [...groups.values()].sort((one, other) => other.length - one.length);
}

/**
 * Returns the primary's tip. Without a primary, returns the tip that a strict majority of the nodes shares, if any. The
 * majority's tip has refs only if the majority shares them too.
 */
export function referenceTip(
  tips: readonly Tip[],
  primary: number | undefined,
  nodes: number,
): Tip | undefined {
  if (primary !== undefined) return tips.find(({ id }) => id === primary);
  const shared = (keyOf: (tip: Tip) => readonly unknown[]): Tip | undefined =>
    largestFirst(tips, keyOf).find(({ length }) => length * 2 > nodes)?.[0];
  const byHead = shared(({ revision, branch = "" }) => [revision, branch]);
  return (
    shared(({ revision, branch = "", refs, refs_unread }) => [revision, branch, refs, refs_unread]) ??
    (byHead && { ...byHead, refs: undefined, refs_unread: undefined, set: undefined })
  );
}

/** Hexadecimal digits to keep: 64 bits are enough to tell the revisions of one repository apart. */
const digitsKept = 16;

/** Shortens a Git object id. Any other revision is opaque text and stays whole. */
export function shortened(revision: string): string {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(revision) ? revision.slice(0, digitsKept) : revision;
}

/** Shortens a ref's object id: 40 bits are enough to tell apart the objects of one ref. */
export function keptId(id: string): string {
  return id.slice(0, 10);
}

/**
 * Returns the reference after `tip` was observed at `at` (epoch milliseconds). `refsOf` identifies the primary and the
 * primary's ref patterns. If `refsOf` changes, the history of refs starts over.
 */
export function moveReference(
  reference: Reference | undefined,
  tip: Tip,
  at: number,
  refsOf: string,
): Reference {
  const { branch = "" } = tip;
  // A different branch has a different history, so the old one proves nothing.
  const before = reference?.branch === branch ? reference : undefined;
  const revisions = appended(before?.revisions ?? [], shortened(tip.revision), at, revisionsKept);
  const contents = contentsOf(before?.contents, revisions, tip);
  return { ...moveRefs(reference, tip, at, refsOf), branch, revisions, contents };
}

type History = Reference["revisions"];

function appended(history: History, value: string, at: number, kept: number): History {
  return history.at(-1)?.[0] === value
    ? history
    : [...history, [value, at] satisfies [string, number]].slice(-kept);
}

type Contents = NonNullable<Reference["contents"]>;

/** Returns the date and index of each revision's content. Only the newest index keeps its list of files. */
function contentsOf(
  before: Contents | undefined,
  revisions: History,
  { revision, content_at, index }: Tip,
): Contents | undefined {
  if (content_at === undefined && index === undefined && before === undefined) return undefined;
  const older = revisions.slice(0, -1).flatMap(([one]): [string, Contents[string]][] => {
    const { at, index: former } = before?.[one] ?? {};
    return at === undefined && former === undefined
      ? []
      : [[one, { at, index: former && withoutFiles(former) }]];
  });
  const at = content_at === undefined ? undefined : Date.parse(content_at);
  return Object.fromEntries([...older, [shortened(revision), { at, index }]]);
}

function withoutFiles({ size, sha256, sha512 }: ContentIndex): ContentIndex {
  return {
    ...(size !== undefined && { size }),
    ...(sha256 !== undefined && { sha256 }),
    ...(sha512 !== undefined && { sha512 }),
  };
}

function moveRefs(
  reference: Reference | undefined,
  { refs: digest, set, refs_unread }: Tip,
  at: number,
  refsOf: string,
): Partial<Reference> {
  const isSame = reference?.refs_of === refsOf && refs_unread !== "too_many";
  const before = isSame ? reference : undefined;
  const rewritten = reference?.rewritten;
  if (digest === undefined) return { ...before, rewritten };
  const sets = appended(before?.sets ?? [], digest, at, setsKept);
  const known = { sets, refs_of: refsOf, rewritten };
  if (set === undefined) return known;
  // Fast path: most references have not moved since the last run.
  if (before?.refs !== undefined && sets === before.sets)
    return { ...before, recent: recentOf(before, [], at) };
  const ids = Object.fromEntries([...set].map(([name, id]) => [name, keptId(id)]));
  if (before?.refs === undefined) return { ...known, refs: ids, refs_since: at, recent: {} };
  const former = before.refs;
  const names = new Set([...Object.keys(former), ...Object.keys(ids)]);
  const changed = [...names].filter((name) => former[name] !== ids[name]);
  // A tag should neither move nor vanish.
  const tags = changed.flatMap((name): NonNullable<Reference["rewritten"]> => {
    const from = former[name];
    const isMoved = from !== undefined && name.startsWith("refs/tags/");
    return isMoved ? [[at, shownName(name), from, ids[name] ?? ""]] : [];
  });
  return {
    ...known,
    refs: ids,
    refs_since: before.refs_since,
    recent: recentOf(before, changed, at),
    rewritten: tags.length === 0 ? rewritten : [...(rewritten ?? []), ...tags].slice(-rewrittenKept),
  };
}

function recentOf(
  { recent = {} }: Reference,
  changed: readonly string[],
  at: number,
): Record<string, number> {
  const kept = Object.entries(recent).filter(([, since]) => at - since < dayMs);
  return Object.fromEntries([...kept, ...changed.map((name) => [name, at] as const)]);
}

/** Returns when a run last saw this ref of the reference change, appear or vanish (epoch milliseconds). */
export function stoodSince({ recent, refs_since, sets }: Reference, name: string): number {
  const since = recent?.[name] ?? refs_since ?? Infinity;
  // No ref has changed since the newest digest appeared, even if the refs themselves became known only later.
  return Math.min(since, sets?.at(-1)?.[1] ?? Infinity);
}
