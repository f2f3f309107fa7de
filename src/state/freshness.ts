import { dayMs } from "./counts.ts";
import { type ReferenceMove, shortened } from "./reference.ts";
import type { NodeContent, Reference } from "./schema.ts";

/**
 * How a mirror's content relates to its target's reference. `behindSince` is in epoch milliseconds. `lagMs` is how much
 * older its content is, if both say when theirs was made.
 */
export type Freshness =
  | { readonly state: "in_sync" }
  | { readonly state: "behind"; readonly behindSince: number; readonly lagMs?: number }
  /** Ahead, diverged, set back or incomplete for at least a day. */
  | { readonly state: "differs" }
  | { readonly state: "unknown" };

/** Problems that make a mirror differ although it has the reference's revision. */
export const incomplete: ReadonlySet<string | undefined> = new Set([
  "missing_file",
  "wrong_size",
  "half_synced",
]);

/**
 * Returns how a node's content relates to a reference. It is unknown without either, or if HEAD names another branch.
 * Beyond what is kept of the history of the reference, the node's own history decides.
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
  // A reference that was set back has had newer content than a mirror that is ahead of it now.
  const newer =
    lagMs > 0 ? revisions.find(([revision]) => (contents[revision]?.at ?? 0) > content_at) : undefined;
  const since = last >= 0 ? history[last + 1]?.[1] : (newer?.[1] ?? content.behind_since);
  if (since !== undefined)
    return { state: "behind", behindSince: since, ...(lagMs > 0 && Number.isFinite(lagMs) && { lagMs }) };
  return { state: content.differs === true ? "differs" : "unknown" };
}

/**
 * Returns when the reference last got the content that a node has (epoch milliseconds), as far as its history is kept.
 */
export function gotAt(content: NodeContent, reference: Reference): number | undefined {
  const compared = comparedWith(content, reference);
  return compared?.history[compared.last]?.[1];
}

/** A node's content is compared with this. `last` is the last equal entry of the history, or -1. */
interface Compared {
  readonly by: "refs" | "revision";
  readonly history: Reference["revisions"];
  readonly last: number;
}

/**
 * Returns what decides: the refs if both have them, else the revision of the same branch. If a mirror's refs could not
 * be read, its HEAD may prove it wrong, but not right: otherwise it would choose what it is compared by.
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
  // A reference whose refs are known never had too many.
  if (refs_unread === "too_many" && sets.length > 0) return { by: "refs", history: sets, last: -1 };
  if (refs !== undefined && sets.length > 0) {
    const last = sets.findLastIndex(([one]) => one === refs);
    // HEAD may have moved since the refs of the reference were read last.
    const isStale = last === sets.length - 1 && kept !== undefined && kept !== revisions.at(-1)?.[0];
    if (!isStale) return { by: "refs", history: sets, last };
  }
  if (kept === undefined) return undefined;
  const last = revisions.findLastIndex(([one]) => one === kept);
  const isHeadAlone = refs_unread !== undefined && sets.length > 0;
  if (isHeadAlone && last === revisions.length - 1) return undefined;
  return { by: "revision", history: revisions, last };
}

/** Since when the reference has differed from a node (epoch milliseconds). */
export interface Standing {
  readonly since: number | undefined;
  /** Whether `since` is known ref by ref. Then also of those that the node lacks, and those that the reference has. */
  readonly isExact: boolean;
  readonly missingSince?: number | undefined;
  readonly heldSince?: number | undefined;
}

/**
 * Returns what to keep of a node's content after a run (epoch milliseconds), if what is kept of the reference does not
 * decide. A node that has not moved since it was in sync is behind since the reference left it. Otherwise it differs if
 * the reference has stood for a day where they are not equal. No run sees a push between two runs, so a more recent
 * difference proves nothing.
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
  // Refs that are compared for the first time, or with those of another reference, may have been others all along.
  const isSameMeasure =
    compared.by === comparedWith(before, former)?.by && former?.refs_of === after?.refs_of;
  if (isUnmoved && isSameMeasure && was.state === "in_sync") return { behind_since: at };
  const isSeen = seen[compared.by];
  // Between the probes of the reference and of the node, a push may have reached both. The next run shows it.
  const isNew = was.state === "in_sync";
  const isOfHistory = isNew || was.state === "behind";
  const apart_since = isOfHistory ? at : (before?.apart_since ?? at);
  // No run saw what the reference had between two runs, and a mirror may keep it for a day.
  const isLong = !standing.isExact || at - apart_since >= dayMs;
  const since = isNew ? standing.missingSince : isLong ? standing.since : standing.heldSince;
  const isProved = isSeen && since !== undefined && at - since >= dayMs;
  const isStill = isUnmoved && before?.differs === true && !(isSeen && standing.isExact);
  return { apart_since, ...((isProved || isStill) && { differs: true }) };
}
