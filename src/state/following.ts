import { group } from "../base/text/group.ts";
import { freshnessOf, gotAt } from "./freshness.ts";
import { shortened } from "./reference.ts";
import type { NodeContent, Reference } from "./schema.ts";

/** A mirror that answered in this run, other than the primary. */
export interface Follower {
  readonly before: NodeContent | undefined;
  readonly content: NodeContent;
}

export interface Following {
  readonly after: Reference;
  /**
   * Takes the time when a mirror began to differ, and returns the time from which this difference counts against the
   * mirror (both in epoch milliseconds).
   */
  readonly countedSince: (time: number) => number;
}

/**
 * Records whether the other mirrors follow the primary after a run at `at` (epoch milliseconds).
 *
 * The primary is followed once one mirror takes its content or most mirrors have it. A mirror that already had this
 * content is no follower, because a primary may go back to content that a stale mirror still has. The primary is no
 * longer followed if it moves, or if most mirrors move to content that it never had.
 *
 * A primary without followers stands alone once most other mirrors (at least two) agree on different content. It stands
 * alone until it is followed again: mirrors that become unreachable, or move on one by one, do not end this. While the
 * primary stood alone, it may have had content that no mirror took. No mirror is ever blamed for lacking such content.
 */
export function followingAfter(
  before: Reference | undefined,
  after: Reference,
  mirrors: readonly Follower[],
  at: number,
): Following {
  const changes = changesOf(after);
  const agreed = agreedContent(mirrors, after);
  const hasLeft = agreed !== undefined && gotAt(agreed, after) === undefined;
  const hasMoved = newestOf(before) !== newestOf(after);
  const since = before?.unfollowed_since ?? (hasMoved || hasLeft ? at : undefined);
  const taken =
    agreed !== undefined && isInSync(agreed, after)
      ? [Math.max(since ?? 0, ...changes)]
      : mirrors.flatMap(({ before: former, content }) =>
          keyOf(former) === keyOf(content) ? [] : (gotAt(content, after) ?? []),
        );
  const followed = Math.max(...taken);
  const isFollowed = since !== undefined && followed >= since;
  const unfollowed_since = isFollowed ? changes.find((time) => time > followed) : since;
  const stands_alone =
    unfollowed_since === undefined ? undefined : (before?.stands_alone ?? (agreed && true));
  const countedSince = (time: number): number =>
    isFollowed && before?.stands_alone === true && time >= since ? Math.max(time, followed) : time;
  const counted = (history: Reference["revisions"]): Reference["revisions"] =>
    history.map(([value, time]) => [value, countedSince(time)]);
  const revisions = counted(after.revisions);
  const sets = after.sets && counted(after.sets);
  return { after: { ...after, revisions, sets, unfollowed_since, stands_alone }, countedSince };
}

/** Returns the content that more than half of the mirrors (at least two) have. */
function agreedContent(mirrors: readonly Follower[], reference: Reference): NodeContent | undefined {
  const [newest] = reference.revisions.at(-1) ?? [];
  const known = mirrors.flatMap(({ content }) => {
    const { revision, branch, refs_unread } = content;
    if (revision === undefined) return [];
    // A mirror with the primary's HEAD can differ only in its refs.
    const isEqual = branch === reference.branch && shortened(revision) === newest;
    if (isEqual && refs_unread === "unread") return [];
    return [[isEqual ? keyOf(content) : JSON.stringify([revision, branch]), content] as const];
  });
  const groups = group(known);
  return [...groups.values()].find(({ length }) => length >= 2 && length * 2 > known.length)?.[0];
}

function isInSync(content: NodeContent, reference: Reference): boolean {
  return freshnessOf({ ...content, content_code: undefined }, reference).state === "in_sync";
}

function keyOf({ revision, branch, refs }: NodeContent = {}): string {
  return JSON.stringify([revision, branch, refs]);
}

function newestOf(reference: Reference | undefined): string {
  return JSON.stringify([reference?.branch, reference?.revisions.at(-1)?.[0], reference?.sets?.at(-1)?.[0]]);
}

/** Returns the times at which the reference's revision or refs changed, in ascending order. */
function changesOf({ revisions, sets = [] }: Reference): number[] {
  return [...revisions, ...sets].map(([, time]) => time).sort((one, other) => one - other);
}
