import * as z from "zod";
import { codes, sentenceOf } from "../../kinds/kinds.ts";
import { badgeSchema } from "../badges/badge.ts";
import { jsonFeedSchema } from "../changes/change-feed-schema.ts";
import {
  errorSchema,
  nodeSchema,
  projectSchema,
  systemListSchema,
  systemSchema,
  targetSchema,
} from "../../contract/network.ts";
import { componentReference, type Reference, type Schema } from "./document.ts";
import {
  heartbeatSchema,
  projectReportSchema,
  systemReportSchema,
  targetHistorySchema,
} from "../report/report-schema.ts";

const targetReport = projectReportSchema.shape.targets.element;
const nodeReport = targetReport.shape.network.element;
const nodeHistory = targetHistorySchema.shape.network.element;
const transition = nodeHistory.shape.transitions.element;

/** The schemas with a name. All others are inlined. */
const named = {
  SystemList: systemListSchema,
  System: systemSchema,
  Project: projectSchema,
  Target: targetSchema,
  Node: nodeSchema,
  Error: errorSchema,
  Heartbeat: heartbeatSchema,
  SystemReport: systemReportSchema,
  ProjectReport: projectReportSchema,
  TargetReport: targetReport,
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

export type SchemaName = keyof typeof named;

const codesText = codes.map((code) => `- \`${code}\`: ${sentenceOf(code)}`).join("\n");

const openListNote = "The examples are all current values. Treat a value that you do not know as unknown.";

/** Returns the reference to a schema. */
export function schemaReference(name: SchemaName): Reference {
  return componentReference("schemas", name);
}

/** Returns the JSON schemas of all documents by name, generated from the zod schemas. */
export function componentSchemas(): Record<string, Schema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => componentReference("schemas", id).$ref,
    override: ({ zodSchema, jsonSchema }) => {
      simplify(jsonSchema);
      if (zodSchema === named.Code) jsonSchema.description = `${codesText}\n\n${openListNote}`;
    },
  });
  // A part of another document has no identity of its own.
  for (const schema of Object.values(schemas)) {
    delete schema.$schema;
    delete schema.$id;
  }
  return schemas;
}

/**
 * Removes what zod adds without use for a reader: the patterns of formats and the bounds of JavaScript's integers. Opens closed
 * objects and lists of values, so that clients of today accept later feeds.
 */
function simplify(schema: Schema): void {
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.enum?.every((value) => typeof value === "string")) {
    schema.type = "string";
    schema.examples = schema.enum;
    schema.description = [schema.description, openListNote].filter((text) => text !== undefined).join(" ");
    delete schema.enum;
  }
  if (schema.format !== undefined) delete schema.pattern;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.enum?.every(Number.isInteger)) schema.type = "integer";
}
