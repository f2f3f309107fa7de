import { jsonText } from "../contract.ts";
import type { SiteFile } from "../site-file.ts";
import type { Report } from "./report.ts";
import type { Heartbeat, ProjectReport, SystemReport, TargetHistory } from "./report-schema.ts";

/** The folder of the report: below it are the paths of the contract. */
export const reportRoot = "v1/report";

/** The report beside the contract: the heartbeat, and a document for each system, project and target. */
export function renderReport({ heartbeat, systems }: Report): SiteFile[] {
  return [
    file([], heartbeat),
    ...systems.flatMap(({ system, projects }) => {
      const reports = projects.map(({ project, targets }): ProjectReport => {
        return { project, targets: targets.map(({ report }) => report) };
      });
      return [
        file([system], { system, projects: reports }),
        ...reports.map((report) => file([system, report.project], report)),
        ...projects.flatMap(({ project, targets }) =>
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
