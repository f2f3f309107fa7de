/** How a mirror's content stands to its target's reference. `behindSince` is an epoch in milliseconds. */
export type Freshness =
  | { readonly state: "in_sync" }
  | { readonly state: "behind"; readonly behindSince: number }
  /** Ahead or diverged: the reference never had this revision, and we cannot know which. */
  | { readonly state: "differs" }
  | { readonly state: "unknown" };

/** A revision, the branch HEAD names, and the node they were seen at. */
export interface Tip {
  readonly id: number;
  readonly revision: string;
  readonly branch: string;
}

/** What a target's reference was: each revision with the moment it was first seen there, the newest last. */
export interface Reference {
  readonly branch: string;
  readonly revisions: readonly (readonly [revision: string, from: number])[];
}

/** How many revisions of a reference are remembered. */
export const revisionsKept = 8;

/** How much of a revision is kept: 64 bits tell the revisions of one repository apart. */
const digitsKept = 16;

/**
 * The tip the others of a target are held against: that of the primary node, else the one a strict majority of the
 * nodes shares, else none.
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

/** The reference after a tip was seen there at a moment (epoch milliseconds). */
export function moveReference(reference: Reference | undefined, tip: Tip, at: number): Reference {
  const revision = tip.revision.slice(0, digitsKept);
  // Another branch is another history: what its predecessor had says nothing of it.
  if (reference?.branch !== tip.branch) return { branch: tip.branch, revisions: [[revision, at]] };
  const [current] = reference.revisions.at(-1) ?? [];
  if (current === revision) return reference;
  return {
    branch: tip.branch,
    revisions: [...reference.revisions, [revision, at] as const].slice(-revisionsKept),
  };
}

/** How a tip stands to a reference; unknown without either, and where HEAD names another branch. */
export function freshnessOf(tip: Omit<Tip, "id"> | undefined, reference: Reference | undefined): Freshness {
  if (tip === undefined || reference === undefined || tip.branch !== reference.branch)
    return { state: "unknown" };
  const revision = tip.revision.slice(0, digitsKept);
  const last = reference.revisions.findLastIndex(([one]) => one === revision);
  if (last < 0) return { state: "differs" };
  const next = reference.revisions[last + 1];
  return next === undefined ? { state: "in_sync" } : { state: "behind", behindSince: next[1] };
}
