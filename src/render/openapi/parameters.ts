import { nameLength, namePattern } from "../../config/name.ts";
import type { Config } from "../../config/schema.ts";
import { errorDocuments } from "../../contract.ts";
import type { Parameter, Schema } from "./document.ts";
import type { ExampleNames } from "./examples.ts";

/** Past this many names a list of them helps nobody, and the document would grow with the feed. */
const mostNames = 200;

/** What stands in braces in a path, by its name. */
export function componentParameters({ systems }: Config, example: ExampleNames) {
  const projects = systems.flatMap((system) => system.projects);
  const targets = projects.flatMap((project) => project.targets);
  return {
    system: {
      ...inPath("system", "The name of a system."),
      schema: oneOf(systems.map(({ system }) => system)),
      example: example.system,
    },
    project: {
      ...inPath("project", "The name of a project of the system."),
      schema: oneOf(projects.map(({ project }) => project)),
      example: example.project,
    },
    target: {
      ...inPath("target", "The name of a target of the project."),
      schema: oneOf(targets.map(({ target }) => target)),
      example: example.target,
    },
    status: {
      ...inPath("status", "1 for the nodes that are online, 0 for those that are offline."),
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

function oneOf(names: readonly string[]): Schema {
  const known = [...new Set(names)];
  if (known.length <= mostNames) return { type: "string", enum: known };
  return { type: "string", pattern: namePattern, maxLength: nameLength };
}
