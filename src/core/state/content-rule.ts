import { isoTimestamp, timestampIfAny } from "../base/text/timestamp.ts";
import type { FreshnessRule } from "../config/nodes.ts";
import { rank } from "../verdict/rank.ts";
import { behindSince, freshnessAt } from "./freshness.ts";
import type { NodeContent, Reference } from "./content-schema.ts";

interface RuledTarget {
  readonly reference: Reference | undefined;
  /** How many mirrors the target has besides its primary. Undefined without a primary. */
  readonly mirrors: number | undefined;
  /** Whether a mirror besides the primary is in sync, so that others have copied the reference's other refs, too. */
  readonly isFollowed: boolean;
}

/** Returns why content takes a node offline, if it does. `isSpared`: it only lacks content that no mirror has taken. */
export function wrongContent(
  { offlineAfterMs, states, codes }: FreshnessRule,
  content: NodeContent,
  { reference, mirrors = 0, isFollowed }: RuledTarget,
  at: number,
) {
  if (offlineAfterMs === undefined) return undefined;
  const { content_code, content_since } = content;
  const isDue = (since: number | undefined): boolean => since !== undefined && at - since >= offlineAfterMs;
  const code = codes.find((one) => one === content_code);
  if (code !== undefined && isDue(content_since)) return { code, isSpared: false };
  const state = states.find((one) => one === freshnessAt(content, at));
  if (state === "differs" && isDue(content_since)) return { code: state, isSpared: false };
  const since = behindSince(content);
  if (state !== "behind" || since === undefined || !isDue(since)) return undefined;
  // With two or more mirrors, content of the primary counts only once one of them has taken it: nobody is blamed for
  // not copying what nobody copied.
  const followed =
    reference === undefined || mirrors < 2
      ? since
      : reference.versions.find((one) => one.taken === true && one.since >= since)?.since;
  const counted = followed ?? (isFollowed && content.behind === undefined ? since : undefined);
  return counted === undefined || isDue(counted)
    ? { code: state, isSpared: counted === undefined }
    : undefined;
}

export interface AnsweringNode {
  readonly id: number;
  /** Whether the node would be online if its content were correct. */
  readonly isOnline: boolean;
  readonly isWrong: boolean;
  readonly content: NodeContent;
}

/** Returns the best node to keep online, unless none answers or one with correct content is online anyway. */
export function lastReachable(answering: readonly AnsweringNode[], at: number): number | undefined {
  if (answering.some(({ isOnline, isWrong }) => isOnline && !isWrong)) return undefined;
  const ranked = rank(
    answering.map(({ id, isOnline, isWrong, content }) => ({
      ...{ id, isOnline, isWrong },
      ...{ status: 1 as const, content_code: content.content_code, freshness: freshnessAt(content, at) },
      state: content.late === true ? ("behind" as const) : ("online" as const),
      behind_since: timestampIfAny(behindSince(content)),
    })),
    isoTimestamp(at),
  );
  const worth = ({ isOnline, isWrong }: Pick<AnsweringNode, "isOnline" | "isWrong">): number =>
    (isOnline ? 2 : 0) + (isWrong ? 0 : 1);
  return ranked.sort((one, other) => worth(other) - worth(one))[0]?.id;
}
