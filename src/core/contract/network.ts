import * as z from "../base/zod.ts";
import type { SiteFile, TextFile } from "../base/files/site-file.ts";
import {
  documentPath,
  errorDocuments,
  errorPath,
  type FeedNames,
  jsonText,
  networkRoot,
} from "./contract.ts";

export const status = z.literal([0, 1]).describe("1: online, reachable. 0: offline, unreachable.");

export type Status = z.infer<typeof status>;

/** A network node: one mirror. */
export const nodeSchema = z
  .strictObject({
    id: z.int().min(1).describe("The node's number, unique in the feed and permanent."),
    name: z.string().min(1).describe("The node's display name. Defaults to the host and path of the URL."),
    url: z.string().meta({ format: "uri", description: "The mirror's full URL." }),
    status,
  })
  .meta({ title: "network node" });

export const targetSchema = z
  .strictObject({
    target: z.string().describe("The name of the target."),
    network: z.array(nodeSchema).describe("The target's nodes, in the order of the feed's configuration."),
  })
  .meta({ title: "target" });

export const projectSchema = z
  .strictObject({
    project: z.string().describe("The name of the project."),
    targets: z.array(targetSchema).describe("All targets of the project."),
  })
  .meta({ title: "project" });

export const systemSchema = z
  .strictObject({
    system: z.string().describe("The name of the system."),
    projects: z.array(projectSchema).describe("All projects of the system."),
  })
  .meta({ title: "system" });

export const systemListSchema = z
  .strictObject({ systems: z.array(z.string()).describe("The names of all systems of the feed.") })
  .meta({ title: "list of systems" });

export const errorSchema = z
  .strictObject({
    error: z.string().describe("The error message."),
    code: z.int().min(400).max(499).describe("The HTTP status of the response."),
  })
  .meta({ title: "error" });

interface Target {
  readonly target: string;
  readonly nodes: readonly z.infer<typeof nodeSchema>[];
}

type Project = FeedNames<Target>[number]["projects"][number];

/**
 * Returns the contract's documents: the list of systems, and one document for each system, project, target and status
 * within a target. They have no timestamps, so a document changes only when one of its statuses does.
 */
export function renderNetwork({ systems }: { readonly systems: FeedNames<Target> }): TextFile[] {
  const file = (names: readonly string[], document: () => object): TextFile => ({
    path: documentPath(networkRoot, ...names),
    content: () => jsonText(document()),
  });
  return [
    file([], () => ({ systems: systems.map(({ system }) => system) })),
    ...systems.flatMap(({ system, projects }) => [
      file([system], () => ({ system, projects: projects.map(projectDocument) })),
      ...projects.flatMap((project) => [
        file([system, project.project], () => projectDocument(project)),
        ...project.targets.flatMap((target) => {
          const names = [system, project.project, target.target];
          return [
            file(names, () => targetDocument(target)),
            ...[0, 1].map((wanted) =>
              file([...names, String(wanted)], () => {
                const nodes = target.nodes.filter((node) => node.status === wanted);
                return targetDocument({ ...target, nodes });
              }),
            ),
          ];
        }),
      ]),
    ]),
  ];
}

function projectDocument({ project, targets }: Project): z.infer<typeof projectSchema> {
  return { project, targets: targets.map(targetDocument) };
}

function targetDocument({ target, nodes }: Target): z.infer<typeof targetSchema> {
  return { target, network: nodes.map(({ id, name, url, status }) => ({ id, name, url, status })) };
}

/** Returns the documents that hosts send as error bodies. */
export function renderErrors(): SiteFile[] {
  return Object.entries(errorDocuments).map(([name, document]) => ({
    path: errorPath(name),
    content: jsonText(document),
  }));
}
