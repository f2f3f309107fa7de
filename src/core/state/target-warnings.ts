import type { Node } from "../config/nodes.ts";
import { type TargetWarning, targetWarning } from "../kinds/mirror-content.ts";
import type { Observation } from "../probe/observation.ts";

/** A node, and its good answer. */
export interface GoodAnswer {
  readonly node: Pick<Node, "primary">;
  readonly good: Pick<Observation, "content_code" | "unchecked">;
}

/**
 * Returns what the primary's answer says about the settings of its target or, if there is no answer of a primary, what
 * all answers of the target say.
 */
export function warningsOf(answers: readonly GoodAnswer[]): TargetWarning[] {
  const primary = answers.find(({ node }) => node.primary);
  const leading = primary === undefined ? answers : [primary];
  return targetWarning.options.filter(
    (warning) =>
      leading.length > 0 &&
      leading.every(({ good }) => good.content_code === warning || good.unchecked?.includes(warning)),
  );
}
