import type { NetworkNode } from "../../config/nodes.ts";
import { nameLength, namePattern } from "../../text/name.ts";
import { errorDocuments } from "../../hosts/contract.ts";
import type { Parameter, Schema } from "./document.ts";
import type { ExampleNames } from "./examples.ts";

/** Any valid name, not only those of the feed: generated clients are used longer than today's names. */
const name: Schema = { type: "string", pattern: namePattern, maxLength: nameLength };

/** Returns the path parameters of a feed of these nodes by name. */
export function componentParameters(nodes: readonly NetworkNode[], example: ExampleNames) {
  const country = nodes.find((node) => node.country !== undefined)?.country;
  return {
    system: {
      ...inPath("system", "The name of a system."),
      schema: name,
      example: example.system,
    },
    project: {
      ...inPath("project", "The name of a project of the system."),
      schema: name,
      example: example.project,
    },
    target: {
      ...inPath("target", "The name of a target of the project."),
      schema: name,
      example: example.target,
    },
    ...(country !== undefined && {
      country: {
        ...inPath("country", "Two lower-case letters of ISO 3166-1."),
        schema: { type: "string" as const, pattern: "^[a-z]{2}$" },
        example: country.toLowerCase(),
      },
    }),
    status: {
      ...inPath("status", "1 for the online nodes, 0 for the offline nodes."),
      schema: { type: "integer", enum: [0, 1] },
      example: 1,
    },
    name: {
      ...inPath("name", "The name of an error."),
      schema: { type: "string", enum: Object.keys(errorDocuments) },
      example: "target",
    },
  } satisfies Record<string, Parameter>;
}

function inPath(name: string, description: string) {
  return { name, in: "path", required: true, description } as const;
}
