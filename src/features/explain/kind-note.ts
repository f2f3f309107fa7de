import { formatCount, formatList } from "../../core/base/text/count.ts";
import { group } from "../../core/base/text/group.ts";
import type { Node } from "../../core/config/nodes.ts";
import { defaultKind, kindNames } from "../../core/kinds/kinds.ts";
import type { Observation } from "../../core/probe/observation.ts";

interface ProbedNode {
  readonly node: Node;
  readonly observation: Observation | undefined;
}

/**
 * Returns a note about targets whose mirrors all answered, but not like Git repositories. `probe.kind` may be missing
 * for these.
 */
export function kindNote(probed: readonly ProbedNode[]): string[] {
  const targets = group(probed.map((each) => [each.node.place, each] as const));
  const isOtherKind = ({ node, observation }: ProbedNode): boolean =>
    node.settings.kind === defaultKind &&
    (observation?.code === "not_git" || observation?.http_status === 404);
  const [first, ...more] = [...targets].flatMap(([place, nodes]) =>
    nodes.every(isOtherKind) ? [place] : [],
  );
  if (first === undefined) return [];
  const others = more.length > 0 ? ` and ${formatCount(more.length, "more target")}` : "";
  const otherKinds = kindNames.filter((kind) => kind !== defaultKind);
  return [
    `${first}${others}: no mirror answered like a Git repository. If they aren't Git repositories, set probe.kind to ${formatList(otherKinds, "or")}.`,
  ];
}
