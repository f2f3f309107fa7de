import { networkRoot, reportRoot } from "../../core/contract/contract.ts";
import { group } from "../../core/base/text/group.ts";
import type { Target } from "../../core/feed/feed.ts";
import { countriesOf, type TargetList, targetLists } from "../lists/lists.ts";
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
import { jsonFeedSchema } from "../changes/change-entries.ts";

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

/**
 * `body` is the schema of a JSON document, or the media type of a document without a schema here. Hosts answer each path
 * directly: folders end with a slash, to which some hosts would redirect. `names` are those in the path of a target that
 * has the document. They are absent if every target has it.
 */
export type OperationRow = readonly [
  ...[path: string, id: string, body: string, summary: string, description?: string],
  names?: Readonly<Partial<Record<string, string>>>,
];

const contract = `/${networkRoot}`;
const report = `/${reportRoot}`;
const project = "{system}/{project}";
const target = `${project}/{target}`;
const json = "application/json";
const text = "text/plain";
const file = "*/*"; // Hosts send these files with different types.

/** Needs the targets, because they decide which mirror lists exist. */
export function operationGroups(
  targets: readonly Target[],
): (readonly [name: string, description: string, rows: readonly OperationRow[]])[] {
  return [
    [
      "Contract",
      "The statuses of all nodes. A system, project or target includes everything below it. These documents have no timestamps and change only when a status does.",
      statuses,
    ],
    [
      "Report",
      "The evidence behind the states. The heartbeat changes with every run. The other documents change once a day, and when a state, revision, certificate, maintenance or rounded uptime changes.",
      evidence,
    ],
    [
      "Lists and badges",
      "Mirror lists for scripts and other tools, and badges for web pages.",
      [...listRows(targets), ...badges],
    ],
    ["Feeds", "Changes for feed readers, newest first, and planned maintenance for calendars.", feeds],
    [
      "Monitoring",
      "The statuses for Prometheus, and the states for programs that read Atlassian Statuspage's API, documented at https://metastatuspage.com/api.",
      monitoring,
    ],
    ["Descriptions", "The client, and descriptions of the feed. A run doesn't change them.", descriptions],
    ["Signature", "Only signed feeds have these files, which change with every run.", signature],
  ];
}

const statuses: readonly OperationRow[] = [
  [`${contract}/`, "listSystems", "SystemList", "The names of all systems"],
  [`${contract}/{system}/`, "getSystem", "System", "A system"],
  [`${contract}/${project}/`, "getProject", "Project", "A project"],
  [`${contract}/${target}/`, "getTarget", "Target", "A target"],
  [`${contract}/${target}/{status}/`, "getTargetByStatus", "Target", "A target's online or offline nodes"],
];

const evidence: readonly OperationRow[] = [
  [`${report}/`, "getHeartbeat", "Heartbeat", "The time of the last run, and each node's last observation"],
  [`${report}/{system}/`, "getSystemReport", "SystemReport", "The states of a system's targets"],
  [`${report}/${project}/`, "getProjectReport", "ProjectReport", "The evidence for a project's nodes"],
  [`${report}/${target}/`, "getTargetHistory", "TargetHistory", "A target's days and latest status changes"],
];

const badges: readonly OperationRow[] = [
  [`/badge/${target}.svg`, "getBadge", "image/svg+xml", "A target's badge"],
  [`/badge/${target}.json`, "getBadgeData", "Badge", "Badge data for shields.io"],
];

const atom = "application/atom+xml";

const feeds: readonly OperationRow[] = [
  ["/feed.atom", "getAtomFeed", atom, "All changes, as Atom"],
  ["/feed.json", "getJsonFeed", "JsonFeed", "All changes, as JSON Feed"],
  [`/feed/${project}.atom`, "getProjectAtomFeed", atom, "A project's changes, as Atom"],
  [`/feed/${project}.json`, "getProjectJsonFeed", "JsonFeed", "A project's changes, as JSON Feed"],
  ["/maintenance.ics", "getMaintenance", "text/calendar", "Announced maintenance, as a calendar"],
];

const monitoring: readonly OperationRow[] = [
  [
    "/metrics.txt",
    "getMetrics",
    text,
    "Gauges for Prometheus",
    "Prometheus text format 0.0.4. Unless the host sends it as `text/plain`, Prometheus 3 needs `fallback_scrape_protocol: PrometheusText0.0.4`.",
  ],
  ["/api/v2/status.json", "getStatuspageStatus", json, "The state of the feed, as on Statuspage"],
  ["/api/v2/summary.json", "getStatuspageSummary", json, "The states of all targets, as on Statuspage"],
];

const configSchema = "The JSON schema of mirrors.json, in draft";

const descriptions: readonly OperationRow[] = [
  ["/client.js", "getClient", file, "The JavaScript client"],
  ["/openapi.json", "getOpenapi", json, "This reference as OpenAPI"],
  ["/mirrors.schema.json", "getConfigurationSchema", json, `${configSchema} 7`],
  ["/mirrors.2020-12.schema.json", "getConfigurationSchema202012", json, `${configSchema} 2020-12`],
  ["/webhook.schema.json", "getWebhookSchema", json, "The JSON schema of webhook notifications"],
  ["/errors/{name}.json", "getError", "Error", "The body of an error"],
];

const signature: readonly OperationRow[] = [
  ["/SHA256SUMS", "getDigests", file, "The SHA-256 digests of the feed's documents"],
  ["/SHA256SUMS.minisig", "getSignature", file, "The signature of the digests, by minisign"],
];

/** Returns one row for each path of a list, with the names of the first target that has it. */
function listRows(targets: readonly Target[]): OperationRow[] {
  // A target with lists for one country has them for all.
  const countries = countriesOf(targets).slice(0, 1);
  const rows = targets.flatMap((one) => targetLists(one, countries).map((list) => listRow(one, list)));
  return [...group(rows.map((row) => [row[0], row])).values()].map(([first]) => first);
}

const urlList = {
  title: "The URLs of a target, best first",
  description:
    "One URL per line: online nodes first, then by maintenance, freshness and latency. Offline nodes come last but are listed, so the list is never empty.",
  type: text,
};

function listRow(one: Target, { list, extension, nodes: [first], country }: TargetList): OperationRow {
  const names = { system: one.system, project: one.project, target: one.target };
  const { title, description, type } = list ?? urlList;
  const id = list === undefined ? "Mirrorlist" : capitalize(first?.kind ?? "") + capitalize(extension);
  const name = `${target}.${extension}`;
  if (country === undefined) return [`/mirrorlist/${name}`, `get${id}`, type, title, description, names];
  const ofCountry =
    "The same list, with nodes in the country ahead of equally good ones elsewhere. Not published for targets whose nodes have no country.";
  return [`/country/{country}/${name}`, `getCountry${id}`, type, `${title}, for a country`, ofCountry, names];
}

function capitalize(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
