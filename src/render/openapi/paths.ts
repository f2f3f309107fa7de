import { networkRoot } from "../../hosts/contract.ts";
import type { Capabilities } from "../../hosts/host.ts";
import { componentReference, type Operation, type Reference } from "./document.ts";
import type { Examples } from "./examples.ts";
import { json, type OperationPlan, plans } from "./plans.ts";
import { contractErrors, found, missing, orAsPage, redirects, refused } from "./responses.ts";

/** Every path of a site with its operation, by what its host can do. */
export function paths(capabilities: Capabilities, examples: Examples): Record<string, { get: Operation }> {
  return Object.fromEntries(
    Object.entries(plans).map(([path, plan]) => [
      path,
      { get: operation(path, plan, capabilities, examples) },
    ]),
  );
}

function operation(
  path: string,
  plan: OperationPlan,
  capabilities: Capabilities,
  examples: Examples,
): Operation {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const text = examples.documents.get(exampleFile(path, examples));
  const example: unknown = text !== undefined && plan.type === json ? JSON.parse(text) : text;
  const document = found(capabilities, plan.type, plan.schema, `${plan.summary}.`, example);
  const isContract = path.startsWith(`/${networkRoot}`);
  const asPage = isContract && capabilities.slashless === "page";
  return {
    tags: [plan.tag],
    operationId: plan.id,
    summary: plan.summary,
    description: plan.description,
    ...(names.length > 0 && { parameters: names.map(parameter) }),
    responses: {
      200: asPage ? orAsPage(document) : document,
      ...(isFile(path) || asPage ? {} : redirects(capabilities)),
      ...(isContract ? contractErrors(capabilities, names) : names.length > 0 ? missing() : refused()),
    },
  };
}

/** Whether a path names a file, which answers without a slash at the end only. */
function isFile(path: string): boolean {
  return /\.\w+$/.test(path);
}

/** The file of the example that answers a path. */
function exampleFile(path: string, { names }: Examples): string {
  const values: Readonly<Record<string, string>> = { ...names, status: "1", name: "target" };
  const place = path.slice(1).replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? name);
  return isFile(path) ? place : `${place}/index.json`;
}

function parameter(name: string): Reference {
  return componentReference("parameters", name);
}
