import type { Config, Project, System, Target } from "../config/schema.ts";
import { nodeName } from "../config/nodes.ts";
import type { Status } from "../state/verdict.ts";
import { jsonText, networkRoot } from "../contract.ts";
import type { SiteFile } from "../site-file.ts";
import type { NodeDocument, ProjectDocument, SystemDocument, TargetDocument } from "./network-schema.ts";

export type { NodeDocument, ProjectDocument, SystemDocument, TargetDocument };

/**
 * The documents of the contract: one for the list of systems, each system, project and target, and each status of a
 * target. Compact JSON without a moment in it, so that a document changes only when one of its statuses does. Throws
 * where a node of the configuration has no status.
 */
export function renderNetwork(config: Config, statuses: ReadonlyMap<number, Status>): SiteFile[] {
  const systems = config.systems.map((system) => systemDocument(system, statuses));
  return [
    file([], { systems: systems.map(({ system }) => system) }),
    ...systems.flatMap((system) => [
      file([system.system], system),
      ...system.projects.flatMap((project) => projectFiles(system, project)),
    ]),
  ];
}

/** The nodes of a target that have one status, under the target's name. */
function withStatus({ target, network }: TargetDocument, status: Status): TargetDocument {
  return { target, network: network.filter((node) => node.status === status) };
}

function projectFiles({ system }: SystemDocument, project: ProjectDocument): SiteFile[] {
  const path = [system, project.project];
  const targets = project.targets.flatMap((target) => {
    const here = [...path, target.target];
    return [
      file(here, target),
      file([...here, "0"], withStatus(target, 0)),
      file([...here, "1"], withStatus(target, 1)),
    ];
  });
  return [file(path, project), ...targets];
}

function file(names: readonly string[], document: object): SiteFile {
  return { path: [networkRoot, ...names, "index.json"].join("/"), content: jsonText(document) };
}

function systemDocument({ system, projects }: System, statuses: ReadonlyMap<number, Status>): SystemDocument {
  return { system, projects: projects.map((project) => projectDocument(project, statuses)) };
}

function projectDocument(
  { project, targets }: Project,
  statuses: ReadonlyMap<number, Status>,
): ProjectDocument {
  return { project, targets: targets.map((target) => targetDocument(target, statuses)) };
}

function targetDocument({ target, network }: Target, statuses: ReadonlyMap<number, Status>): TargetDocument {
  return {
    target,
    network: network.map(({ id, name, url }) => {
      const status = statuses.get(id);
      if (status === undefined) throw new Error(`No status was decided for node ${id}.`);
      return { id, name: name ?? nodeName(url), url, status };
    }),
  };
}
