import * as z from "../../core/base/zod.ts";
import {
  errorSchema,
  nodeSchema,
  projectSchema,
  systemListSchema,
  systemSchema,
  targetSchema,
} from "../../core/contract/network.ts";
import { codes, sentenceOf } from "../../core/kinds/kinds.ts";
import { heartbeatSchema } from "../../core/site/heartbeat-schema.ts";
import {
  nodeHistory,
  nodeReport,
  projectReportSchema,
  systemReportSchema,
  targetHistorySchema,
  transition,
} from "../../core/site/report-schema.ts";
import { badgeSchema } from "../badges/badge.ts";
import { jsonFeedSchema } from "../changes/change-feed-schema.ts";

/** JSON Schema draft 2020-12, the dialect of OpenAPI 3.1. */
export type Schema = z.core.JSONSchema.BaseSchema;

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

export function schemaReference(name: string) {
  return { $ref: `#/components/schemas/${name}` };
}

const openListNote = "Later versions can add values. Treat a value that you don't know as unknown.";

export function componentSchemas(): Record<string, Schema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(namedSchemas)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => schemaReference(id).$ref,
    override: ({ zodSchema, jsonSchema }) => {
      adapt(jsonSchema);
      if (zodSchema !== namedSchemas.Code) return;
      const meanings = codes.map((code) => `- \`${code}\`: ${sentenceOf(code)}`);
      jsonSchema.description = `${meanings.join("\n")}\n\n${openListNote}`;
    },
  });
  // Inside the OpenAPI document, schemas need neither a dialect nor an id of their own.
  for (const schema of Object.values(schemas)) {
    delete schema.$schema;
    delete schema.$id;
  }
  return schemas;
}

/** Opens objects and lists of texts, so that generated clients accept later feeds. Drops the patterns of formats. */
function adapt(schema: Schema): void {
  delete schema.additionalProperties;
  // Generated clients would drop the fields of an object that lists none.
  if (Object.keys(schema.properties ?? { any: true }).length === 0) delete schema.properties;
  if (schema.enum?.every((value) => typeof value === "string")) {
    schema.type = "string";
    schema.examples = schema.enum;
    schema.description = [schema.description, openListNote].filter(Boolean).join(" ");
    delete schema.enum;
  }
  if (schema.enum?.every(Number.isInteger)) schema.type = "integer";
  if (schema.format !== undefined) delete schema.pattern;
}
