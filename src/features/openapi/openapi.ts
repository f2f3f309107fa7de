import { nameLength, namePattern } from "../../core/base/text/name.ts";
import { errorDocuments, jsonText, networkRoot } from "../../core/contract/contract.ts";
import { type Feed, nodesOf, targetsOf } from "../../core/feed/feed.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import type { Capabilities } from "../hosts/host.ts";
import { capabilitiesOf } from "../hosts/host-registry.ts";
import {
  componentSchemas,
  operationGroups,
  type OperationRow,
  type Schema,
  schemaReference,
} from "./operations.ts";

/** A feed's OpenAPI document: https://spec.openapis.org/oas/v3.1.1 */
export type OpenapiDocument = ReturnType<typeof describeFeed>;

export type Operation = ReturnType<typeof describeOperation>;

export interface Response {
  readonly description: string;
  /** By media type. Example bodies other than JSON are strings. */
  readonly content?: Readonly<
    Record<
      string,
      { readonly schema: Schema; readonly examples?: Record<string, { readonly value: unknown }> }
    >
  >;
}

/**
 * Returns the OpenAPI document of a feed, with the responses that the feed's host can send. It changes only with the
 * configuration and the version of mirrorfeed, and doesn't grow with the feed. `examples` maps paths to documents.
 */
export function describeFeed(
  { site, url, systems }: Pick<Feed, "site" | "url" | "systems">,
  examples: ReadonlyMap<string, string>,
  { version, homepage }: { readonly version: string; readonly homepage?: string | undefined },
) {
  const capabilities = capabilitiesOf(site);
  const targets = targetsOf(systems);
  const groups = operationGroups(targets);
  const parameters = pathParameters(nodesOf(targets));
  const paths = groups.flatMap(([tag, , rows]) =>
    rows.map((row) => {
      const get = { tags: [tag], ...describeOperation(row, parameters, examples, capabilities) };
      return [row[0], { get }] as const;
    }),
  );
  return {
    openapi: "3.1.1",
    info: {
      title: site.title,
      summary: "Which of your mirrors are up and up to date, as static files.",
      description: descriptionOf(capabilities),
      license: { name: "MIT", identifier: "MIT" },
      version,
    },
    ...(homepage !== undefined && { externalDocs: { description: "mirrorfeed", url: homepage } }),
    // If the site's URL is unknown, this is relative to openapi.json: https://spec.openapis.org/oas/v3.1.1#server-object
    servers: [{ url: url ?? ".", description: "The feed." }],
    security: [],
    tags: groups.map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(paths),
    components: { schemas: componentSchemas() },
  };
}

type Parameter = ReturnType<typeof pathParameters>[number];

/** Returns path parameters. They allow any valid name, since generated clients outlive today's names. */
function pathParameters(nodes: readonly FeedNode[]) {
  const first = nodes[0]?.target;
  const country = nodes.find((node) => node.country !== undefined)?.country?.toLowerCase();
  const name: Schema = { type: "string", pattern: namePattern, maxLength: nameLength };
  const letters: Schema = { type: "string", pattern: "^[a-z]{2}$" };
  const error: Schema = { type: "string", enum: Object.keys(errorDocuments) };
  const described: [string, string, Schema, example: string | number | undefined][] = [
    ["system", "The name of a system.", name, first?.system],
    ["project", "The name of a project in the system.", name, first?.project],
    ["target", "The name of a target in the project.", name, first?.target],
    ["country", "A two-letter ISO 3166-1 country code, in lower case.", letters, country],
    ["status", "1 for online nodes, 0 for offline nodes.", { type: "integer", enum: [0, 1] }, 1],
    ["name", "The name of an error.", error, "target"],
  ];
  return described.map(([key, description, schema, example]) => {
    return { name: key, in: "path", required: true, description, schema, example };
  });
}

/** Returns a path with the examples of its parameters. */
export function examplePath(path: string, parameters: readonly Parameter[]): string {
  return parameters.reduce((filled, { name, example }) => filled.replace(`{${name}}`, `${example}`), path);
}

function describeOperation(
  [path, operationId, body, summary, description, names]: OperationRow,
  shared: readonly Parameter[],
  examples: ReadonlyMap<string, string>,
  capabilities: Capabilities,
) {
  const parameters = shared
    .filter(({ name }) => path.includes(`{${name}}`))
    .map((parameter) => ({ ...parameter, example: names?.[parameter.name] ?? parameter.example }));
  const hasSchema = !body.includes("/");
  const type = hasSchema ? "application/json" : body;
  const isJson = type === "application/json";
  const schema: Schema = hasSchema ? schemaReference(body) : { type: isJson ? "object" : "string" };
  const file = examplePath(path, parameters).slice(1).replace(/\/$/, "/index.json");
  const text = examples.get(file);
  const value: unknown = text !== undefined && isJson ? JSON.parse(text) : text;
  const content = { [type]: { schema, ...(text !== undefined && { examples: { example: { value } } }) } };
  const responses: Record<string, Response> = {
    200: { description: `${summary}.`, content },
    ...errorResponses(path, capabilities),
  };
  return { operationId, summary, ...(description !== undefined && { description }), parameters, responses };
}

function errorResponses(path: string, { errors, jsonTypes }: Capabilities): Record<string, Response> {
  // Every other document exists in every feed, so any error for it comes from the host itself.
  if (!path.includes("{") && !path.startsWith("/SHA256SUMS"))
    return { "4XX": { description: "An error of the host, such as 404 before the first run." } };
  const isJson = jsonTypes === "all";
  const error = (status: number, description: string): Record<string, Response> => {
    const examples = Object.entries(errorDocuments)
      .filter(([, { code }]) => code === status)
      .map(([name, body]) => [name, { value: isJson ? body : jsonText(body) }] as const);
    const schema: Schema = isJson
      ? schemaReference("Error")
      : { type: "string", description: "The error as JSON, sent as `text/html`." };
    const type = isJson ? "application/json" : "text/html";
    return {
      [status]: { description, content: { [type]: { schema, examples: Object.fromEntries(examples) } } },
    };
  };
  if (!path.startsWith(`/${networkRoot}`) || errors === "not-found")
    return error(404, "Nothing exists at this path.");
  return {
    ...error(403, "The feed has no such system, project or target. The error names the first unknown one."),
    ...(path.includes("{status}") && error(400, "The status is neither 0 nor 1.")),
  };
}

function descriptionOf({ errors, jsonTypes, slashless }: Capabilities): string {
  const type = jsonTypes === "all" ? "" : ", and sends error JSON as `text/html`";
  const limits = `An unknown name should get a 403, and an invalid status a 400. This host can't send these: it answers 404${type}.`;
  return [
    "mirrorfeed regularly probes every mirror in this feed and publishes the results as static files. There is no authentication, and all parameters are in the path. Any web page can read the responses.",
    "Use `GET` or `HEAD`. Errors are JSON, with the message in `error` and the HTTP status in `code`.",
    slashless === "direct"
      ? "Paths without a file extension work with and without the slash at the end."
      : "Paths without a file extension need the slash at the end. Without it, this host redirects, or sends the JSON as `text/html`.",
    ...(errors === "full" ? [] : [limits]),
  ].join("\n\n");
}
