import { dayMs } from "./counts.ts";
import { type ReferenceMove, shortened } from "./reference.ts";
import type { NodeContent, Reference } from "./schema.ts";

/**
 * How a mirror's content compares with its target's reference. `behindSince` is in epoch milliseconds. `lagMs` is how
 * much older the mirror's content is, if both contents are dated.
 */
export type Freshness =
  | { readonly state: "in_sync" }
  | { readonly state: "behind"; readonly behindSince: number; readonly lagMs?: number }
  /**
   * The content is incomplete or, for at least a day, it has been ahead of the reference, diverged from it, or been
   * reset to something older.
   */
  | { readonly state: "differs" }
  | { readonly state: "unknown" };

/** Problems that make a mirror differ even if it has the reference's revision. */
export const incomplete: ReadonlySet<string | undefined> = new Set([
  "missing_file",
  "wrong_size",
  "half_synced",
]);

/**
 * The result is unknown if the content or the reference is missing, or if HEAD names a different branch. If the kept
 * history of the reference is too short to tell, the node's own history decides.
 */
export function freshnessOf(content: NodeContent | undefined, reference: Reference | undefined): Freshness {
  const compared = comparedWith(content, reference);
  if (content === undefined || reference === undefined || compared === undefined) return { state: "unknown" };
  const { history, last } = compared;
  if (last >= 0 && last === history.length - 1)
    return { state: incomplete.has(content.content_code) ? "differs" : "in_sync" };
  const { content_at = Infinity } = content;
  const { revisions, contents = {} } = reference;
  const lagMs = (contents[revisions.at(-1)?.[0] ?? ""]?.at ?? Infinity) - content_at;
  // Dates are compared only if the mirror's content is older than the reference's current content. Otherwise, a mirror
  // that is ahead could seem behind, because a reference that was reset may once have had even newer content.
  const newer =
    lagMs > 0 ? revisions.find(([revision]) => (contents[revision]?.at ?? 0) > content_at) : undefined;
  const since = last >= 0 ? history[last + 1]?.[1] : (newer?.[1] ?? content.behind_since);
  if (since !== undefined)
    return { state: "behind", behindSince: since, ...(lagMs > 0 && Number.isFinite(lagMs) && { lagMs }) };
  return { state: content.differs === true ? "differs" : "unknown" };
}

/**
 * Returns when the reference last changed to the content that a node has (epoch milliseconds), or undefined if the kept
 * history does not show this.
 */
export function gotAt(content: NodeContent, reference: Reference): number | undefined {
  const compared = comparedWith(content, reference);
  return compared?.history[compared.last]?.[1];
}

/**
 * The history that a node's content is compared with. `last` is the index of its last entry that equals the content, or
 * -1.
 */
interface Compared {
  readonly by: "refs" | "revision";
  readonly history: Reference["revisions"];
  readonly last: number;
}

/**
 * Compares refs if both the mirror and the reference have them, and revisions otherwise. Different branches are never
 * compared. If a mirror's refs could not be read, its HEAD can prove that the mirror is not in sync, but never that it
 * is. Otherwise, a mirror could pass by hiding its refs.
 */
function comparedWith(
  content: NodeContent | undefined,
  reference: Reference | undefined,
): Compared | undefined {
  if (content === undefined || reference === undefined) return undefined;
  const { revision, branch = "", refs, refs_unread } = content;
  if (revision !== undefined && branch !== reference.branch) return undefined;
  const { sets = [], revisions } = reference;
  const kept = revision && shortened(revision);
  // This mirror has too many refs. The reference never did in this history, so no entry equals the mirror's refs.
  if (refs_unread === "too_many" && sets.length > 0) return { by: "refs", history: sets, last: -1 };
  if (refs !== undefined && sets.length > 0) {
    const last = sets.findLastIndex(([one]) => one === refs);
    // The reference's HEAD may have moved since its refs were last read.
    const isStale = last === sets.length - 1 && kept !== undefined && kept !== revisions.at(-1)?.[0];
    if (!isStale) return { by: "refs", history: sets, last };
  }
  if (kept === undefined) return undefined;
  const last = revisions.findLastIndex(([one]) => one === kept);
  const isHeadAlone = refs_unread !== undefined && sets.length > 0;
  if (isHeadAlone && last === revisions.length - 1) return undefined;
  return { by: "revision", history: revisions, last };
}

/** When the reference began to differ from a node (epoch milliseconds). */
export interface Standing {
  readonly since: number | undefined;
  /** Whether refs were compared one by one. */
  readonly isExact: boolean;
  /** When the reference got the oldest of the refs that the node lacks. */
  readonly missingSince?: number | undefined;
  /** When the reference got the oldest of the refs that the node lacks or has with another object id. */
  readonly heldSince?: number | undefined;
}

/**
 * Returns what to remember about a node's content if the kept history of the reference is too short to tell the node's
 * freshness. `at` is the time of the run, in epoch milliseconds. A node that has not moved since it was in sync has
 * been behind since the reference moved on. Any other node differs once the reference has had the conflicting content
 * for a day. A shorter time proves nothing, because no run sees content that is pushed and replaced between two runs.
 */
export function rememberContent(
  before: NodeContent | undefined,
  now: NodeContent,
  { before: former, after, seen }: Pick<ReferenceMove, "before" | "after" | "seen">,
  standing: Standing,
  at: number,
): Pick<NodeContent, "behind_since" | "apart_since" | "differs"> {
  const compared = comparedWith(now, after);
  if (compared === undefined || freshnessOf(now, after).state !== "unknown") return {};
  const was = freshnessOf(before, former);
  const isUnmoved =
    compared.by === "refs" && before?.refs !== undefined
      ? before.refs === now.refs
      : before?.revision === now.revision;
  if (isUnmoved && was.state === "behind") return { behind_since: was.behindSince };
  // If refs are compared for the first time, or with a different reference than before, they may have differed all
  // along.
  const isSameMeasure =
    compared.by === comparedWith(before, former)?.by && former?.refs_of === after?.refs_of;
  if (isUnmoved && isSameMeasure && was.state === "in_sync") return { behind_since: at };
  const isSeen = seen[compared.by];
  // A push may have reached the reference and the node between their probes in this run. The next run will tell.
  const isNew = was.state === "in_sync";
  const isOfHistory = isNew || was.state === "behind";
  const apart_since = isOfHistory ? at : (before?.apart_since ?? at);
  // Between two runs, the reference may have had content that no run saw, and a mirror may keep such content for a day.
  const isLong = !standing.isExact || at - apart_since >= dayMs;
  const since = isNew ? standing.missingSince : isLong ? standing.since : standing.heldSince;
  const isProved = isSeen && since !== undefined && at - since >= dayMs;
  const isStill = isUnmoved && before?.differs === true && !(isSeen && standing.isExact);
  return { apart_since, ...((isProved || isStill) && { differs: true }) };
}
