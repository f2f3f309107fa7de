import type { NetworkNode } from "../config/nodes.ts";
import type { Config, Target } from "../config/schema.ts";
import type { Count } from "../state/counts.ts";
import type { Reference } from "../state/freshness.ts";
import { type Evidence, evidenceOf, referenceOf } from "./evidence.ts";
import { feedMoment, heartbeat, type ReportInput } from "./heartbeat.ts";
import { momentText } from "./moment.ts";
import type { Heartbeat, TargetHistory, TargetReport } from "./report-schema.ts";

export type { ReportInput };

/** All that is known of a feed at a moment: what the documents, pages, lists, badges and feeds are made from. */
export interface Report {
  readonly heartbeat: Heartbeat;
  readonly systems: readonly ReportedSystem[];
}

export interface ReportedSystem {
  readonly system: string;
  readonly projects: readonly ReportedProject[];
}

export interface ReportedProject {
  readonly project: string;
  readonly targets: readonly ReportedTarget[];
}

/** A target as the documents above it show it, and as its own does. */
export interface ReportedTarget {
  readonly report: TargetReport;
  readonly history: TargetHistory;
  /** What was counted today, which changes with every run, of each node in the order of the network. */
  readonly today: readonly Count[];
}

/**
 * The report of a configuration at the moment of a round. Of what it holds only the heartbeat and `today` change with
 * every run; the rest changes with a status, a revision, a certificate or a maintenance, and with the day. Throws where
 * a node of the configuration is not among the nodes.
 */
export function makeReport(config: Config, nodes: readonly NetworkNode[], input: ReportInput): Report {
  const { state } = input;
  const at = feedMoment(input);
  const evidence = new Map(nodes.map((node) => [node.id, evidenceOf(config, node, state, at)]));
  return {
    heartbeat: heartbeat(config, nodes, input),
    systems: config.systems.map(({ system, projects }) => ({
      system,
      projects: projects.map(({ project, targets }) => ({
        project,
        targets: targets.map((target) => {
          const reference = referenceOf(state, { system, project, target: target.target });
          return reportTarget(target, reference, evidence);
        }),
      })),
    })),
  };
}

function reportTarget(
  { target, primary, network }: Target,
  reference: Reference | undefined,
  evidence: ReadonlyMap<number, Evidence>,
): ReportedTarget {
  const found = network.map(({ id }) => {
    const one = evidence.get(id);
    if (one === undefined) throw new Error(`Node ${id} is not among the nodes of the report.`);
    return one;
  });
  const head = { target, primary, reference: reference && shown(reference) };
  return {
    report: { ...head, network: found.map(({ report }) => report) },
    history: { ...head, network: found.map(({ history }) => history) },
    today: found.map(({ today }) => today),
  };
}

function shown({ branch, revisions }: Reference): TargetReport["reference"] {
  const newest = revisions.at(-1);
  if (newest === undefined) return undefined;
  const [revision, since] = newest;
  return { revision, branch: branch || undefined, since: momentText(since) };
}
