import * as z from "zod";
import { errorDocuments, jsonText, networkRoot } from "../../core/contract/contract.ts";
import {
  errorSchema,
  nodeSchema,
  projectSchema,
  systemListSchema,
  systemSchema,
  targetSchema,
} from "../../core/contract/network.ts";
import type { Capabilities } from "../hosts/host.ts";
import { codes, sentenceOf } from "../../core/kinds/kinds.ts";
import { badgeSchema } from "../badges/badge.ts";
import { jsonFeedSchema } from "../changes/change-feed-schema.ts";
import { heartbeatSchema } from "../../core/site/heartbeat-schema.ts";
import {
  nodeHistory,
  nodeReport,
  projectReportSchema,
  systemReportSchema,
  targetHistorySchema,
  transition,
} from "../../core/site/report-schema.ts";

// The components of a feed's OpenAPI document: https://spec.openapis.org/oas/v3.1.1

/** JSON Schema draft 2020-12, the dialect of OpenAPI 3.1. */
export type Schema = z.core.JSONSchema.BaseSchema;

export type Reference = Readonly<Record<"$ref", string>>;

export interface Content {
  readonly schema: Schema;
  /** Example bodies by name. Bodies other than JSON are strings. */
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface Response {
  readonly description: string;
  /** By media type. */
  readonly content?: Readonly<Record<string, Content>>;
}

/** By HTTP status. */
export type Responses = Readonly<Record<string, Response | Reference>>;

export function componentReference(kind: "schemas" | "parameters" | "responses", name: string): Reference {
  return { $ref: `#/components/${kind}/${name}` };
}

export function componentName($ref: string): string {
  return $ref.slice($ref.lastIndexOf("/") + 1);
}

/** Schemas that become components. All others are inlined. */
const namedSchemas = {
  SystemList: systemListSchema,
  System: systemSchema,
  Project: projectSchema,
  Target: targetSchema,
  Node: nodeSchema,
  Error: errorSchema,
  Heartbeat: heartbeatSchema,
  SystemReport: systemReportSchema,
  ProjectReport: projectReportSchema,
  TargetReport: projectReportSchema.shape.targets.element,
  NodeReport: nodeReport,
  TargetHistory: targetHistorySchema,
  NodeHistory: nodeHistory,
  Uptime: nodeReport.shape.uptime.shape["90d"],
  Days: nodeHistory.shape.days.unwrap(),
  Transition: transition,
  Code: transition.shape.code,
  Badge: badgeSchema,
  JsonFeed: jsonFeedSchema,
  JsonFeedItem: jsonFeedSchema.shape.items.element,
};

export type SchemaName = keyof typeof namedSchemas;

export function schemaReference(name: SchemaName): Reference {
  return componentReference("schemas", name);
}

const openListNote = "Later versions can add values. Treat a value that you don't know as unknown.";

export function componentSchemas(): Record<string, Schema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(namedSchemas)) registry.add(schema, { id });
  const codesText = codes.map((code) => `- \`${code}\`: ${sentenceOf(code)}`).join("\n");
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => componentReference("schemas", id).$ref,
    override: ({ zodSchema, jsonSchema }) => {
      simplify(jsonSchema);
      if (zodSchema === namedSchemas.Code) jsonSchema.description = `${codesText}\n\n${openListNote}`;
    },
  });
  // Inside the OpenAPI document, schemas need neither a dialect nor an id of their own.
  for (const schema of Object.values(schemas)) {
    delete schema.$schema;
    delete schema.$id;
  }
  return schemas;
}

/**
 * Removes keywords that zod adds without need: the patterns of known formats, and the limits of safe integers. Also
 * opens objects and enums, so that generated clients accept later feeds and keep the fields of an object without any.
 */
function simplify(schema: Schema): void {
  delete schema.additionalProperties;
  if (Object.keys(schema.properties ?? { any: true }).length === 0) delete schema.properties;
  if (schema.enum?.every((value) => typeof value === "string")) {
    schema.type = "string";
    schema.examples = schema.enum;
    schema.description =
      schema.description === undefined ? openListNote : `${schema.description} ${openListNote}`;
    delete schema.enum;
  }
  if (schema.format !== undefined) delete schema.pattern;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.enum?.every(Number.isInteger)) schema.type = "integer";
}

/** Returns the redirects and errors that many operations share. */
export function componentResponses(capabilities: Capabilities): Record<string, Response> {
  const isJson = capabilities.jsonTypes === "all";
  const schema: Schema = isJson
    ? schemaReference("Error")
    : { type: "string", description: "The error as JSON, sent as `text/html`." };
  const error = (status: number, description: string): Response => {
    const examples = Object.entries(errorDocuments)
      .filter(([, { code }]) => code === status)
      .map(([name, body]) => [name, { value: isJson ? body : jsonText(body) }] as const);
    return {
      description,
      content: {
        [isJson ? "application/json" : "text/html"]: { schema, examples: Object.fromEntries(examples) },
      },
    };
  };
  return {
    WithSlash: { description: "The host redirects to the path with a trailing slash." },
    InvalidStatus: error(400, "The status is neither 0 nor 1."),
    UnknownName: error(
      403,
      "The feed has no such system, project or target. The error names the first unknown one.",
    ),
    NotFound: error(404, "Nothing exists at this path."),
    MethodNotAllowed:
      capabilities.methodNotAllowed === "full"
        ? error(405, "The method is neither GET nor HEAD.")
        : { description: "The method is neither GET nor HEAD. The host decides the body." },
    Refused: {
      description: "An error from the host itself, for example before the feed is first published.",
    },
  };
}

export function responsesOf(
  path: string,
  description: string,
  content: Readonly<Record<string, Content>>,
  capabilities: Capabilities,
): Responses {
  const { forbidden, badRequest, methodNotAllowed, slashless } = capabilities;
  const isContract = path.startsWith(`/${networkRoot}`);
  const hasNames = path.includes("{");
  const isFile = /\.\w+$/.test(path);
  const isPage = isContract && slashless === "page";
  const missing = { 404: "NotFound" };
  const names = {
    ...(!isFile && !isPage && slashless !== "direct" && { 301: "WithSlash" }),
    ...(hasNames && (isContract && forbidden === "full" ? { 403: "UnknownName" } : missing)),
    ...(path.includes("{status}") && (badRequest === "full" ? { 400: "InvalidStatus" } : missing)),
    ...(isContract && methodNotAllowed !== "other" && { 405: "MethodNotAllowed" }),
    // A document at a fixed path always exists, so any error comes from the host itself.
    ...(!hasNames && (!isContract || methodNotAllowed === "other") && { "4XX": "Refused" }),
  };
  const page: Schema = {
    type: "string",
    description: "The same JSON, if the path has no trailing slash. `<`, `>` and `&` are escaped.",
  };
  return {
    200: {
      description,
      content: { ...content, ...(isPage && { "text/html": { schema: page } }) },
    },
    ...Object.fromEntries(
      Object.entries(names).map(([status, name]) => [status, componentReference("responses", name)]),
    ),
  };
}
