import { errorDocuments, jsonText, networkRoot } from "./contract.ts";
import { type SiteFile, type TextFile } from "../base/files/site-file.ts";
import type {
  NodeDocument,
  ProjectDocument,
  Status,
  SystemDocument,
  TargetDocument,
} from "./network-schema.ts";

/** A system with what its documents publish. */
export interface NetworkSystem {
  readonly system: string;
  readonly projects: readonly NetworkProject[];
}

interface NetworkProject {
  readonly project: string;
  readonly targets: readonly NetworkTarget[];
}

interface NetworkTarget {
  readonly target: string;
  /** Its names from the system on, as in a path. */
  readonly place: string;
  readonly nodes: readonly NodeDocument[];
}

export type { NodeDocument, ProjectDocument, SystemDocument, TargetDocument };

/**
 * Returns the documents of the contract: the list of systems, and one for each system, project and target, and for each status
 * of a target. They are compact JSON without timestamps, so that a document changes only when one of its statuses does.
 */
export function renderNetwork({ systems }: { readonly systems: readonly NetworkSystem[] }): TextFile[] {
  return [
    file([], () => ({ systems: systems.map(({ system }) => system) })),
    ...systems.flatMap(({ system, projects }) => [
      file([system], (): SystemDocument => ({ system, projects: projects.map(projectDocument) })),
      ...projects.flatMap((project) => [
        file([system, project.project], () => projectDocument(project)),
        ...project.targets.flatMap(targetFiles),
      ]),
    ]),
  ];
}

/** Returns the document of a target, and the two with only its offline or online nodes. */
function targetFiles(target: NetworkTarget): TextFile[] {
  const withStatus = (wanted: Status): TextFile =>
    file([target.place, String(wanted)], () =>
      targetDocument({
        target: target.target,
        nodes: target.nodes.filter(({ status }) => status === wanted),
      }),
    );
  return [file([target.place], () => targetDocument(target)), withStatus(0), withStatus(1)];
}

function file(names: readonly string[], make: () => object): TextFile {
  return { path: [networkRoot, ...names, "index.json"].join("/"), content: () => jsonText(make()) };
}

function projectDocument({ project, targets }: NetworkProject): ProjectDocument {
  return { project, targets: targets.map(targetDocument) };
}

function targetDocument({ target, nodes }: Pick<NetworkTarget, "target" | "nodes">): TargetDocument {
  return { target, network: nodes.map(({ id, name, url, status }) => ({ id, name, url, status })) };
}

/** Returns the error documents, which hosts send as the bodies of errors. */
export function renderErrors(): SiteFile[] {
  return Object.entries(errorDocuments).map(([name, document]) => ({
    path: `errors/${name}.json`,
    content: jsonText(document),
  }));
}
