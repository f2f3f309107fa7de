import { group } from "../base/text/group.ts";
import { freshnessOf, gotAt } from "./freshness.ts";
import { shortened } from "./reference.ts";
import type { NodeContent, Reference } from "./schema.ts";

/** A mirror that answered in this run, other than the primary. */
export interface Follower {
  readonly before: NodeContent | undefined;
  readonly content: NodeContent;
}

/**
 * Returns whether other mirrors follow a primary, after a run at a time (epoch milliseconds). They do as soon as one of them
 * has taken its content, which is more than having had the same before: a primary may go back to what a stale mirror has.
 * One that nobody follows stands alone once most of the others, two at least, agreed on something else. It stands alone
 * until it is followed: mirrors that are away, or that move on one by one, prove nothing.
 */
export function followingAfter(
  before: Reference | undefined,
  after: Reference,
  mirrors: readonly Follower[],
  at: number,
): Pick<Reference, "unfollowed_since" | "stands_alone"> {
  const moved = newestOf(before) === newestOf(after) ? undefined : at;
  const since = before?.unfollowed_since ?? moved;
  const followers = { unfollowed_since: undefined, stands_alone: undefined };
  if (since === undefined) return followers;
  const agreed = agreedContent(mirrors, after);
  if (agreed !== undefined && isInSync(agreed, after)) return followers;
  const taken = mirrors.flatMap(({ before: former, content }) => {
    const got = keyOf(former) === keyOf(content) ? undefined : gotAt(content, after);
    return got === undefined || got < since ? [] : [got];
  });
  if (taken.length === 0)
    return { unfollowed_since: since, stands_alone: before?.stands_alone ?? (agreed && true) };
  const next = changesOf(after).find((time) => time > Math.max(...taken));
  return { unfollowed_since: next, stands_alone: undefined };
}

/** Returns the content that most mirrors have, if that is more than half of them and at least two. */
function agreedContent(mirrors: readonly Follower[], reference: Reference): NodeContent | undefined {
  const known = mirrors.map(({ content }) => content).filter(({ revision }) => revision !== undefined);
  const [newest] = reference.revisions.at(-1) ?? [];
  const groups = group(
    known.map((content) => {
      const { revision = "", branch } = content;
      // If HEAD is that of the primary, only their refs can differ.
      const isEqual = branch === reference.branch && shortened(revision) === newest;
      return [isEqual ? keyOf(content) : JSON.stringify([revision, branch]), content] as const;
    }),
  );
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

/** Returns when its revision or its refs changed, in order. */
function changesOf({ revisions, sets = [] }: Reference): number[] {
  return [...revisions, ...sets].map(([, time]) => time).sort((one, other) => one - other);
}
