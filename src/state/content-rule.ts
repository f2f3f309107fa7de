import type { FreshnessRule } from "../config/nodes.ts";
import { contentCodes, freshnessCodes } from "../kinds/mirror-content.ts";
import { type Freshness, freshnessOf } from "./freshness.ts";
import type { NodeContent, Reference } from "./schema.ts";

/** Content that takes a mirror offline under the operator's `freshness` rule. */
export interface WrongContent {
  readonly code: string;
  readonly freshness: Freshness;
  /** True if the content is wrong only because the primary has moved to content that no other mirror has. */
  readonly isSpared: boolean;
}

/** Returns why a node's content takes it offline at `at` (epoch milliseconds), or undefined if it does not. */
export function wrongContent(
  rule: FreshnessRule | undefined,
  content: NodeContent,
  reference: Reference | undefined,
  at: number,
): WrongContent | undefined {
  if (rule === undefined) return undefined;
  const { content_code, content_since } = content;
  const freshness = freshnessOf(content, reference);
  const { state } = freshness;
  const { stands_alone, unfollowed_since = 0 } = reference ?? {};
  const reasons = [
    { code: rule.codes.find((code) => code === content_code), since: content_since },
    {
      code: rule.states.find((one) => one === state),
      since: state === "behind" ? freshness.behindSince : content_since,
    },
  ].flatMap(({ code, since }): WrongContent[] => {
    if (code === undefined || since === undefined || at - since < rule.offlineAfterMs) return [];
    // An expired index is wrong no matter what the primary has, so its mirror is never spared.
    const isSpared = stands_alone === true && since >= unfollowed_since && code !== "expired";
    return [{ code, freshness, isSpared }];
  });
  return reasons.find(({ isSpared }) => !isSpared) ?? reasons[0];
}

export function isContentCode(code: string | undefined): boolean {
  return code !== undefined && (Object.hasOwn(contentCodes, code) || Object.hasOwn(freshnessCodes, code));
}

export interface AnsweringNode {
  readonly id: number;
  /** Whether the node would be online if its content were correct. */
  readonly isOnline: boolean;
  readonly wrong: WrongContent | undefined;
}

/**
 * Returns the id of the best node to keep online. Returns undefined if no node answers, or if a node with correct
 * content is online anyway. Nodes that would be online if their content were correct rank before the others. In each of
 * these two groups, nodes rank by content: correct, in sync but faulty, unknown, behind, and finally different. Of the
 * nodes that are behind, those that fell behind last rank first.
 */
export function lastReachable(answering: readonly AnsweringNode[]): number | undefined {
  if (answering.some(({ isOnline, wrong }) => isOnline && wrong === undefined)) return undefined;
  const [best] = [...answering].sort(
    (one, other) =>
      Number(other.isOnline) - Number(one.isOnline) ||
      rankOf(one.wrong) - rankOf(other.wrong) ||
      sinceOf(other.wrong) - sinceOf(one.wrong),
  );
  return best?.id;
}

function rankOf(wrong: WrongContent | undefined): number {
  return wrong === undefined
    ? -1
    : ["in_sync", "unknown", "behind", "differs"].indexOf(wrong.freshness.state);
}

function sinceOf(wrong: WrongContent | undefined): number {
  return wrong?.freshness.state === "behind" ? wrong.freshness.behindSince : 0;
}
