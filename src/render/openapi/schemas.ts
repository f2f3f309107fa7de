import * as z from "zod";
import { codeSentences } from "../../sentences.ts";
import { badgeSchema } from "../badge-schema.ts";
import { jsonFeedSchema } from "../feed-schema.ts";
import {
  errorSchema,
  nodeSchema,
  projectSchema,
  systemListSchema,
  systemSchema,
  targetSchema,
} from "../network-schema.ts";
import { componentReference, type Reference, type Schema } from "./document.ts";
import {
  heartbeatSchema,
  projectReportSchema,
  systemReportSchema,
  targetHistorySchema,
} from "../report-schema.ts";

const targetReport = projectReportSchema.shape.targets.element;
const nodeReport = targetReport.shape.network.element;
const nodeHistory = targetHistorySchema.shape.network.element;
const transition = nodeHistory.shape.transitions.element;

/** Every schema that has a name; what is inside of one and has none stands there in full. */
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
  Uptime: nodeReport.shape.uptime.shape["24h"],
  Days: nodeHistory.shape.days.unwrap(),
  Transition: transition,
  Code: transition.shape.code,
  Badge: badgeSchema,
  JsonFeed: jsonFeedSchema,
  JsonFeedItem: jsonFeedSchema.shape.items.element,
};

export type SchemaName = keyof typeof named;

const codesText = Object.entries(codeSentences)
  .map(([code, sentence]) => `- \`${code}\`: ${sentence}`)
  .join("\n");

/** A schema by its name. */
export function schemaReference(name: SchemaName): Reference {
  return componentReference("schemas", name);
}

/** The JSON schemas of all documents by their names, as the zod schemas have them that render and parse. */
export function componentSchemas(): Record<string, Schema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => componentReference("schemas", id).$ref,
    override: ({ zodSchema, jsonSchema }) => {
      simplify(jsonSchema);
      if (zodSchema === named.Code) jsonSchema.description = codesText;
    },
  });
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, withoutPlace(schema)]));
}

/** What zod adds that says nothing to a reader: a format's pattern, and the bounds of JavaScript's integers. */
function simplify(schema: Schema): void {
  if (schema.format !== undefined) delete schema.pattern;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.enum?.every(Number.isInteger)) schema.type = "integer";
}

/** The dialect and the place are those of the OpenAPI document. */
function withoutPlace(schema: Schema): Schema {
  const bare = { ...schema };
  delete bare.$schema;
  delete bare.$id;
  return bare;
}
