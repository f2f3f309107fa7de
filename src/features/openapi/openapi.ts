import { nameLength, namePattern } from "../../core/base/text/name.ts";
import { errorDocuments } from "../../core/contract/contract.ts";
import { type Feed, nodesOf, targetsOf } from "../../core/feed/feed.ts";
import type { Capabilities } from "../hosts/host.ts";
import { capabilitiesOf } from "../hosts/host-registry.ts";
import {
  componentReference,
  componentResponses,
  componentSchemas,
  type Content,
  responsesOf,
  type Schema,
  schemaReference,
} from "./components.ts";
import { operationGroups, type OperationPlan } from "./operations.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";

export type OpenapiDocument = ReturnType<typeof describeFeed>;

export type Operation = OpenapiDocument["paths"][string]["get"];

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
  const parameters = componentParameters(nodesOf(targets));

  const operationOf = (path: string, tag: string, plan: OperationPlan) => {
    const { id, summary, description, schema, type, names: own } = plan;
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    const exampleOf = (name: string) => own?.[name] ?? parameters[name]?.example;
    const file = path.slice(1).replaceAll(/\{(\w+)\}/g, (_, name: string) => `${exampleOf(name)}`);
    const text = examples.get(file) ?? examples.get(`${file}/index.json`);
    const value: unknown = text !== undefined && type === undefined ? JSON.parse(text) : text;
    const content: Content = {
      schema:
        schema === undefined ? { type: type === undefined ? "object" : "string" } : schemaReference(schema),
      ...(value !== undefined && { examples: { example: { value } } }),
    };
    return {
      tags: [tag],
      operationId: id,
      summary,
      ...(description !== undefined && { description }),
      ...(names.length > 0 && {
        parameters: names.map((name) => {
          const shared = parameters[name];
          return shared === undefined || shared.example === exampleOf(name)
            ? componentReference("parameters", name)
            : { ...shared, example: exampleOf(name) };
        }),
      }),
      responses: responsesOf(path, `${summary}.`, { [type ?? "application/json"]: content }, capabilities),
    };
  };
  const paths = Object.fromEntries(
    groups.flatMap(([tag, , plans]) =>
      Object.entries(plans).map(([path, plan]) => [path, { get: operationOf(path, tag, plan) }] as const),
    ),
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
    paths,
    components: {
      schemas: componentSchemas(),
      parameters: referenced("parameters", parameters, paths),
      responses: referenced("responses", componentResponses(capabilities), paths),
    },
  };
}

/** Returns path parameters by name. They allow any valid name, since generated clients outlive today's names. */
function componentParameters(nodes: readonly FeedNode[]) {
  const first = nodes[0]?.target;
  const country = nodes.find((node) => node.country !== undefined)?.country?.toLowerCase();
  const name: Schema = { type: "string", pattern: namePattern, maxLength: nameLength };
  const letters: Schema = { type: "string", pattern: "^[a-z]{2}$" };
  const error: Schema = { type: "string", enum: Object.keys(errorDocuments) };
  const described: (readonly [string, string, Schema, example: string | number | undefined])[] = [
    ["system", "The name of a system.", name, first?.system],
    ["project", "The name of a project in the system.", name, first?.project],
    ["target", "The name of a target in the project.", name, first?.target],
    ["country", "A two-letter ISO 3166-1 country code, in lower case.", letters, country],
    ["status", "1 for online nodes, 0 for offline nodes.", { type: "integer", enum: [0, 1] }, 1],
    ["name", "The name of an error.", error, "target"],
  ];
  return Object.fromEntries(
    described.map(([key, description, schema, example]) => {
      return [key, { name: key, in: "path", required: true, description, schema, example }] as const;
    }),
  );
}

/** Returns only the components that `users` refers to. */
function referenced<Component>(
  kind: Parameters<typeof componentReference>[0],
  components: Readonly<Record<string, Component>>,
  users: unknown,
): Record<string, Component> {
  const text = JSON.stringify(users);
  return Object.fromEntries(
    Object.entries(components).filter(([name]) => text.includes(`"${componentReference(kind, name).$ref}"`)),
  );
}

const slashSentences = {
  direct: "Paths without a file extension work with and without a trailing slash.",
  redirect: "Paths without a file extension work with a trailing slash. Without one, the host redirects.",
  page: "Paths without a file extension work with a trailing slash. Without one, `/v1/network` and the paths below it return the same JSON, but as `text/html`. Other paths redirect.",
};

const limits = "An unknown name should get a 403, and an invalid status a 400. This host can't send these:";

function descriptionOf({ forbidden, badRequest, jsonTypes, slashless }: Capabilities): string {
  const isFull = forbidden === "full" && badRequest === "full";
  const type = jsonTypes === "all" ? "" : ", and sends error JSON as `text/html`";
  return [
    "mirrorfeed regularly probes every mirror in this feed and publishes the results as static files. There is no authentication, and all parameters are in the path. Any web page can read the responses.",
    "Use `GET` or `HEAD`. Errors are JSON, with the message in `error` and the HTTP status in `code`.",
    slashSentences[slashless],
    ...(isFull ? [] : [`${limits} it answers 404${type}.`]),
  ].join("\n\n");
}
