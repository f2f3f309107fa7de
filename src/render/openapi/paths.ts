import type { NetworkNode } from "../../config/nodes.ts";
import { networkRoot } from "../../hosts/contract.ts";
import type { Capabilities } from "../../hosts/host.ts";
import { componentReference, type Operation, type Reference } from "./document.ts";
import type { Examples } from "./examples.ts";
import type { OperationTemplate } from "./list-templates.ts";
import { operationGroups } from "./operation-templates.ts";
import {
  contractErrorResponses,
  documentResponse,
  missing,
  withHtmlForm,
  redirectResponses,
  hostErrorResponses,
} from "./responses.ts";

/** Returns every path of a site of these nodes with its operation, which depends on the capabilities of the host. */
export function paths(
  nodes: readonly NetworkNode[],
  capabilities: Capabilities,
  examples: Examples,
): Record<string, { get: Operation }> {
  return Object.fromEntries(
    operationGroups.flatMap(({ name, operations }) =>
      Object.entries(operations)
        .filter(([, { isIn = () => true }]) => isIn(nodes))
        .map(([path, plan]) => [path, { get: operation(path, name, plan, capabilities, examples) }]),
    ),
  );
}

function operation(
  path: string,
  group: string,
  { id, summary, description, type = "application/json", schema }: OperationTemplate,
  capabilities: Capabilities,
  examples: Examples,
): Operation {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const text = examples.documents.get(exampleFile(path, examples));
  const example: unknown = text !== undefined && type === "application/json" ? JSON.parse(text) : text;
  const document = documentResponse(capabilities, type, schema, `${summary}.`, example);
  const isContract = path.startsWith(`/${networkRoot}`);
  const asPage = isContract && capabilities.slashless === "page";
  return {
    tags: [group],
    operationId: id,
    summary,
    description,
    ...(names.length > 0 && { parameters: names.map(parameter) }),
    responses: {
      200: asPage ? withHtmlForm(document) : document,
      ...(isFile(path) || asPage ? {} : redirectResponses(capabilities)),
      ...(isContract
        ? contractErrorResponses(capabilities, names)
        : names.length > 0
          ? missing()
          : hostErrorResponses()),
    },
  };
}

/** Returns whether a path names a file, which has no form with a slash at its end. */
function isFile(path: string): boolean {
  return /\.\w+$/.test(path);
}

/** Returns the example file of a path. */
function exampleFile(path: string, { names }: Examples): string {
  const values: Readonly<Record<string, string>> = { ...names, status: "1", name: "target" };
  const filled = path.slice(1).replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? name);
  return isFile(path) ? filled : `${filled}/index.json`;
}

function parameter(name: string): Reference {
  return componentReference("parameters", name);
}
