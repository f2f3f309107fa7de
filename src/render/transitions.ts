import { transitionsKept } from "../state/document.ts";
import type { ReportedSystem } from "./report.ts";
import type { NodeHistory } from "./report-schema.ts";

type Transition = NodeHistory["transitions"][number];

/** A change of a node's status, with the node and its place in the hierarchy. */
export interface NodeTransition extends Transition {
  readonly system: string;
  readonly project: string;
  readonly target: string;
  readonly node: NodeHistory;
}

/** The newest transitions of all these systems, the newest first; those of one moment in the order of the nodes. */
export function newestTransitions(systems: readonly ReportedSystem[], most: number): NodeTransition[] {
  const all = systems.flatMap(({ system, projects }) =>
    projects.flatMap(({ project, targets }) =>
      targets.flatMap(({ history: { target, network } }) =>
        network.flatMap((node) =>
          whole(node.transitions).map((one) => ({ ...one, system, project, target, node })),
        ),
      ),
    ),
  );
  return all.sort((left, right) => (left.at > right.at ? -1 : left.at < right.at ? 1 : 0)).slice(0, most);
}

/**
 * Those of which all is known that ever was. Where as many are there as are kept, the one before the last of them is
 * forgotten, and with it how long the status before it lasted.
 */
function whole(transitions: readonly Transition[]): readonly Transition[] {
  return transitions.length < transitionsKept ? transitions : transitions.slice(0, -1);
}
