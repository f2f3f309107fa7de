import type { NetworkNode } from "../config/nodes.ts";
import type { Config, Target } from "../config/schema.ts";
import { jsonText } from "../contract.ts";
import type { SiteFile } from "../site-file.ts";
import type { Reference } from "../state/freshness.ts";
import { type Evidence, evidenceOf, referenceOf } from "./evidence.ts";
import { feedMoment, heartbeat, type ReportInput } from "./heartbeat.ts";
import { momentText } from "./moment.ts";
import type { Heartbeat, ProjectReport, SystemReport, TargetHistory, TargetReport } from "./report-schema.ts";

export type { ReportInput };

/** The folder of the report: below it are the paths of the contract. */
export const reportRoot = "v1/report";

/** A target as the documents above it show it, and as its own does. */
interface ReportedTarget {
  readonly report: TargetReport;
  readonly history: TargetHistory;
}

/**
 * The report beside the contract: the heartbeat, and a document for each system, project and target with the evidence
 * for its statuses. The heartbeat changes with every run; the others change with a status, a revision, a certificate
 * or a maintenance of theirs, and with the day. Throws where a node of the configuration is not among the nodes.
 */
export function renderReport(config: Config, nodes: readonly NetworkNode[], input: ReportInput): SiteFile[] {
  const { state } = input;
  const at = feedMoment(input);
  const evidence = new Map(nodes.map((node) => [node.id, evidenceOf(config, node, state, at)]));
  return [
    file([], heartbeat(config, nodes, input)),
    ...config.systems.flatMap(({ system, projects }) => {
      const reported = projects.map(({ project, targets }) => ({
        project,
        targets: targets.map((target) => {
          const reference = referenceOf(state, { system, project, target: target.target });
          return reportTarget(target, reference, evidence);
        }),
      }));
      const reports = reported.map(({ project, targets }): ProjectReport => {
        return { project, targets: targets.map(({ report }) => report) };
      });
      return [
        file([system], { system, projects: reports }),
        ...reports.map((report) => file([system, report.project], report)),
        ...reported.flatMap(({ project, targets }) =>
          targets.map(({ history }) => file([system, project, history.target], history)),
        ),
      ];
    }),
  ];
}

function file(
  names: readonly string[],
  document: Heartbeat | SystemReport | ProjectReport | TargetHistory,
): SiteFile {
  return { path: [reportRoot, ...names, "index.json"].join("/"), content: jsonText(document) };
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
  };
}

function shown({ branch, revisions }: Reference): TargetReport["reference"] {
  const [revision, since] = revisions.at(-1) ?? [];
  if (revision === undefined || since === undefined) return undefined;
  return { revision, branch: branch || undefined, since: momentText(since) };
}
