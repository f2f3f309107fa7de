import type { Node } from "../config/nodes.ts";
import { type TargetWarning, targetWarning } from "../kinds/mirror-content.ts";
import type { Observation } from "../probe/observation.ts";

interface GoodAnswer {
  readonly node: Pick<Node, "primary">;
  readonly good: Pick<Observation, "content_code" | "unchecked">;
}

/** Returns what the primary's answer says about its target's settings or, without one, what all answers say. */
export function warningsOf(answers: readonly GoodAnswer[]): TargetWarning[] {
  const primary = answers.find(({ node }) => node.primary);
  const leading = primary === undefined ? answers : [primary];
  // A target has expired if nothing shows that a mirror has not.
  const isExpired =
    leading.some(({ good }) => good.content_code === "expired") &&
    answers.every(({ good }) => good.content_code !== undefined);
  return targetWarning.options.filter(
    (warning) =>
      (warning === "expired" && isExpired) ||
      (leading.length > 0 && leading.every(({ good }) => good.unchecked?.includes(warning))),
  );
}
