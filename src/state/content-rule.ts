import type { FreshnessRule } from "../config/nodes.ts";
import { contentCodes, freshnessCodes } from "../kinds/mirror-content.ts";
import { type Freshness, freshnessOf } from "./freshness.ts";
import type { NodeContent, Reference } from "./schema.ts";

/** Content that makes a mirror offline by the operator's rule. */
export interface WrongContent {
  readonly code: string;
  readonly freshness: Freshness;
}

/** Returns why a node's content makes it offline at a time (epoch milliseconds), or undefined if it does not. */
export function wrongContent(
  rule: FreshnessRule | undefined,
  content: NodeContent,
  reference: Reference | undefined,
  at: number,
): WrongContent | undefined {
  if (rule === undefined) return undefined;
  const { content_code, content_since } = content;
  const isOld = (since = Infinity): boolean => at - since >= rule.offlineAfterMs;
  const freshness = freshnessOf(content, reference);
  const { state } = freshness;
  if (rule.codes.some((code) => code === content_code) && isOld(content_since))
    return { code: content_code ?? state, freshness };
  const since = state === "behind" ? freshness.behindSince : content_since;
  const isRuled = rule.states.some((one) => one === state) && isOld(since);
  return isRuled ? { code: state, freshness } : undefined;
}

export function isContentCode(code: string | undefined): boolean {
  return code !== undefined && (Object.hasOwn(contentCodes, code) || Object.hasOwn(freshnessCodes, code));
}

/** A node of a target, as far as the rule needs it. */
export interface RuledNode {
  readonly id: number;
  /** Whether it would be online if its content were right. */
  readonly isOnline: boolean;
  readonly wrong: WrongContent | undefined;
}

/**
 * Returns the id of the node that stays online though its content is wrong: the best one, if its target would have no
 * other; undefined if it has another. The least wrong is in sync with something wrong in itself, then comes behind, the
 * newest first, then differing.
 */
export function lastReachable(nodes: readonly RuledNode[]): number | undefined {
  if (nodes.some(({ isOnline, wrong }) => isOnline && wrong === undefined)) return undefined;
  const [best] = nodes
    .flatMap(({ id, isOnline, wrong }) => (wrong === undefined ? [] : [{ id, isOnline, ...wrong }]))
    .sort(
      (one, other) =>
        Number(other.isOnline) - Number(one.isOnline) ||
        rankOf(one.freshness) - rankOf(other.freshness) ||
        sinceOf(other.freshness) - sinceOf(one.freshness),
    );
  return best?.id;
}

function rankOf({ state }: Freshness): number {
  return ["in_sync", "unknown", "behind", "differs"].indexOf(state);
}

function sinceOf(freshness: Freshness): number {
  return freshness.state === "behind" ? freshness.behindSince : 0;
}
