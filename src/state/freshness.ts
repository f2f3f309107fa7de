import { type NodeState, revisionsKept } from "./document.ts";

/** How a mirror's content relates to its target's reference. `behindSince` is in epoch milliseconds. */
export type Freshness =
  | { readonly state: "in_sync" }
  | { readonly state: "behind"; readonly behindSince: number }
  /** Ahead, diverged or reset: it left the reference for a revision that the reference has not had since. */
  | { readonly state: "differs" }
  | { readonly state: "unknown" };

/** What is known of a node's content. */
export type Content = Pick<NodeState, "revision" | "branch" | "behind_since" | "left_at" | "differs">;

/** A revision, the branch that HEAD names, and the node that has them. */
export interface Tip {
  readonly id: number;
  readonly revision: string;
  readonly branch: string;
}

/** The history of a target's reference: each revision with the time it was first observed, the newest last. */
export interface Reference {
  readonly branch: string;
  readonly revisions: readonly (readonly [revision: string, from: number])[];
}

/** How much of a Git object id is kept: 64 bits tell the revisions of one repository apart. */
const digitsKept = 16;

/**
 * Returns the reference of a target: the tip of the primary node, else the one that a strict majority of the nodes
 * shares, else undefined.
 */
export function referenceTip(
  tips: readonly Tip[],
  primary: number | undefined,
  nodes: number,
): Tip | undefined {
  if (primary !== undefined) return tips.find(({ id }) => id === primary);
  const counts = new Map<string, number>();
  for (const { revision, branch } of tips) {
    const key = `${revision} ${branch}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return tips.find(({ revision, branch }) => (counts.get(`${revision} ${branch}`) ?? 0) * 2 > nodes);
}

/** Returns the reference after a tip was observed at a time (epoch milliseconds). */
export function moveReference(reference: Reference | undefined, tip: Tip, at: number): Reference {
  const revision = shortened(tip.revision);
  // Another branch has another history, so the old one proves nothing.
  if (reference?.branch !== tip.branch) return { branch: tip.branch, revisions: [[revision, at]] };
  const [current] = reference.revisions.at(-1) ?? [];
  if (current === revision) return reference;
  return {
    branch: tip.branch,
    revisions: [...reference.revisions, [revision, at] as const].slice(-revisionsKept),
  };
}

/**
 * Returns how a node's content relates to a reference. It is unknown without either, or if HEAD names another branch.
 * Beyond the kept revisions of the reference, the node's own history decides.
 */
export function freshnessOf(content: Content | undefined, reference: Reference | undefined): Freshness {
  if (content?.revision === undefined || !isSameBranch(content, reference)) return { state: "unknown" };
  const last = lastIndexOf(content.revision, reference);
  const next = reference.revisions[last + 1];
  if (last >= 0) return next === undefined ? { state: "in_sync" } : { state: "behind", behindSince: next[1] };
  if (content.behind_since !== undefined) return { state: "behind", behindSince: content.behind_since };
  return { state: content.differs === true ? "differs" : "unknown" };
}

/** A target's reference before and after a run, and whether the run observed it. */
export interface ReferenceMove {
  readonly before: Reference | undefined;
  readonly after: Reference | undefined;
  readonly isSeen: boolean;
}

/**
 * Returns what to keep of a node's content after a run (epoch milliseconds), if the kept revisions of the reference do
 * not decide. A node that has not moved since the reference had its revision is behind since the reference left it. If
 * it moved to a revision that the reference has not had since, it differs. If it never had a revision of the reference,
 * it is unknown.
 */
export function rememberContent(
  before: Content | undefined,
  now: Pick<Content, "revision" | "branch">,
  reference: ReferenceMove,
  at: number,
): Pick<Content, "behind_since" | "left_at" | "differs"> {
  if (before === undefined || now.revision === undefined || before.branch !== now.branch) return {};
  if (reference.before === undefined || !isSameBranch(now, reference.after)) return {};
  if (lastIndexOf(now.revision, reference.after) >= 0) return {};
  const former = freshnessOf(before, reference.before);
  const leftAt =
    former.state === "in_sync" ? at : former.state === "behind" ? former.behindSince : before.left_at;
  if (leftAt === undefined) return {};
  const isUnmoved = before.revision === now.revision;
  if (isUnmoved && (former.state === "in_sync" || former.state === "behind")) return { behind_since: leftAt };
  const [oldest] = reference.after.revisions;
  const isHistoryWhole = oldest !== undefined && oldest[1] <= leftAt;
  const differs = (isUnmoved && before.differs === true) || (reference.isSeen && isHistoryWhole);
  return { left_at: leftAt, differs: differs || undefined };
}

function isSameBranch(content: Content, reference: Reference | undefined): reference is Reference {
  return reference !== undefined && (content.branch ?? "") === reference.branch;
}

function lastIndexOf(revision: string, { revisions }: Reference): number {
  const kept = shortened(revision);
  return revisions.findLastIndex(([one]) => one === kept);
}

/** Only an object id may be cut. Any other revision is opaque text. */
function shortened(revision: string): string {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(revision) ? revision.slice(0, digitsKept) : revision;
}
