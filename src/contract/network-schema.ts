import * as z from "zod";

/** The status of a node, in every document. */
export const status = z.literal([0, 1]).describe("1: online, reachable. 0: offline, unreachable.");

export type Status = z.infer<typeof status>;

/** A network node: one mirror. */
export const nodeSchema = z
  .strictObject({
    id: z.int().min(1).describe("The number of the node, unique in the feed and permanent."),
    name: z
      .string()
      .min(1)
      .describe("The label of the node. By default it is the host and the path of the URL."),
    url: z.string().meta({ format: "uri", description: "The full URL of the mirror." }),
    status,
  })
  .meta({ title: "network node" });

export const targetSchema = z
  .strictObject({
    target: z.string().describe("The name of the target."),
    network: z.array(nodeSchema).describe("Its nodes, in the order of the feed's configuration."),
  })
  .meta({ title: "target" });

export const projectSchema = z
  .strictObject({
    project: z.string().describe("The name of the project."),
    targets: z.array(targetSchema).describe("All of its targets."),
  })
  .meta({ title: "project" });

export const systemSchema = z
  .strictObject({
    system: z.string().describe("The name of the system."),
    projects: z.array(projectSchema).describe("All of its projects."),
  })
  .meta({ title: "system" });

/** The root document of the contract. */
export const systemListSchema = z
  .strictObject({ systems: z.array(z.string()).describe("The names of all systems of the feed.") })
  .meta({ title: "list of systems" });

export const errorSchema = z
  .strictObject({
    error: z.string().describe("The error message."),
    code: z.int().min(400).max(499).describe("The HTTP status of the response."),
  })
  .meta({ title: "error" });

export type NodeDocument = z.infer<typeof nodeSchema>;
export type TargetDocument = z.infer<typeof targetSchema>;
export type ProjectDocument = z.infer<typeof projectSchema>;
export type SystemDocument = z.infer<typeof systemSchema>;
