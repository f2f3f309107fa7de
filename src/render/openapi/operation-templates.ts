import { networkRoot } from "../../hosts/contract.ts";
import { reportRoot } from "../report-documents.ts";
import { listTemplates, type OperationTemplate } from "./list-templates.ts";
import { schemaReference } from "./schemas.ts";

const targetPath = `/${networkRoot}/{system}/{project}/{target}`;

/** Operations that the documentation shows together. */
interface OperationGroup {
  readonly name: string;
  readonly description: string;
  /** By their paths. Linters expect paths without a slash at their end. */
  readonly operations: Readonly<Record<string, OperationTemplate>>;
}

/** The operations of every path, those of the contract first. */
export const operationGroups: readonly OperationGroup[] = [
  {
    name: "Contract",
    description:
      "The statuses. These documents have no timestamps, and change only when one of their statuses does.",
    operations: {
      [`/${networkRoot}`]: {
        id: "listSystems",
        summary: "The systems of the feed",
        description: "The names of all systems, to start from.",
        schema: schemaReference("SystemList"),
      },
      [`/${networkRoot}/{system}`]: {
        id: "getSystem",
        summary: "A system",
        description: "All of its projects with their targets and nodes, each with its status.",
        schema: schemaReference("System"),
      },
      [`/${networkRoot}/{system}/{project}`]: {
        id: "getProject",
        summary: "A project",
        description: "All of its targets with their nodes, each with its status.",
        schema: schemaReference("Project"),
      },
      [targetPath]: {
        id: "getTarget",
        summary: "A target",
        description: "All of its nodes, each with its status.",
        schema: schemaReference("Target"),
      },
      [`${targetPath}/{status}`]: {
        id: "getTargetByStatus",
        summary: "A target's nodes with one status",
        description: "The target with only its online or only its offline nodes. There may be none.",
        schema: schemaReference("Target"),
      },
    },
  },
  {
    name: "Report",
    description:
      "The evidence behind the statuses. Only the heartbeat changes with every run. The other documents change with a status, a revision, a certificate, a maintenance or the day.",
    operations: {
      [`/${reportRoot}`]: {
        id: "getHeartbeat",
        summary: "The heartbeat",
        description:
          "The time of the last run, the time when the feed expires, and the last observation of each node. It changes with every run.",
        schema: schemaReference("Heartbeat"),
      },
      [`/${reportRoot}/{system}`]: {
        id: "getSystemReport",
        summary: "The targets of a system in numbers",
        description:
          "For each target how many nodes it has, and how many of them are online. The evidence is in the reports below.",
        schema: schemaReference("SystemReport"),
      },
      [`/${reportRoot}/{system}/{project}`]: {
        id: "getProjectReport",
        summary: "The evidence for a project",
        description:
          "For each node the reason of its status, the time of its last change, its freshness and its uptime of 90 days. The reports of its targets have all of the evidence.",
        schema: schemaReference("ProjectReport"),
      },
      [`/${reportRoot}/{system}/{project}/{target}`]: {
        id: "getTargetHistory",
        summary: "The evidence for a target, with its history",
        description: "All of the evidence for each node, with its days and its last transitions.",
        schema: schemaReference("TargetHistory"),
      },
    },
  },
  {
    name: "Lists and badges",
    description: "The statuses for scripts that read lines, and for other web pages.",
    operations: {
      ...listTemplates,
      "/badge/{system}/{project}/{target}.svg": {
        id: "getBadge",
        summary: "A badge of a target",
        description: "A picture with the number of its online nodes.",
        type: "image/svg+xml",
        schema: { type: "string", description: "SVG" },
      },
      "/badge/{system}/{project}/{target}.json": {
        id: "getBadgeData",
        summary: "The badge as data",
        description: "The data for an endpoint badge of shields.io, which draws it in any style.",
        schema: schemaReference("Badge"),
      },
    },
  },
  {
    name: "Feeds",
    description: "The changes of statuses, for feed readers.",
    operations: {
      "/feed.atom": {
        id: "getAtomFeed",
        summary: "All changes, as Atom",
        description: "One entry for each status change, newest first.",
        type: "application/atom+xml",
        schema: { type: "string", description: "Atom (RFC 4287)" },
      },
      "/feed.json": {
        id: "getJsonFeed",
        summary: "All changes, as JSON Feed",
        description: "The same entries.",
        schema: schemaReference("JsonFeed"),
      },
      "/feed/{system}/{project}.atom": {
        id: "getProjectAtomFeed",
        summary: "The changes in a project, as Atom",
        description: "Only the entries of its targets.",
        type: "application/atom+xml",
        schema: { type: "string", description: "Atom (RFC 4287)" },
      },
      "/feed/{system}/{project}.json": {
        id: "getProjectJsonFeed",
        summary: "The changes in a project, as JSON Feed",
        description: "The same entries.",
        schema: schemaReference("JsonFeed"),
      },
    },
  },
  {
    name: "Metrics",
    description: "The statuses for monitoring systems.",
    operations: {
      "/metrics.txt": {
        id: "getMetrics",
        summary: "Gauges for Prometheus",
        description:
          "The text format 0.0.4, with gauges only and without timestamps. Prometheus reads it as plain text. If a host sends another media type, Prometheus 3 needs `fallback_scrape_protocol: PrometheusText0.0.4`.",
        type: "text/plain",
        schema: { type: "string", description: "Prometheus text format" },
      },
    },
  },
  {
    name: "Descriptions",
    description: "Descriptions of the feed itself.",
    operations: {
      "/openapi.json": {
        id: "getOpenapi",
        summary: "This description",
        description:
          "The description of the feed for programs. It changes with the configuration and with mirrorfeed, not with a run.",
        schema: {
          type: "object",
          properties: { openapi: { type: "string", pattern: "^3\\.1\\." }, paths: { type: "object" } },
          required: ["openapi", "paths"],
        },
      },
      "/mirrors.schema.json": {
        id: "getConfigurationSchema",
        summary: "The JSON schema of mirrors.json, in draft 7",
        description: "Editors use it to complete and check the configuration of a feed.",
        schema: { type: "object", properties: { title: { const: "mirrors.json" } }, required: ["title"] },
      },
      "/mirrors.2020-12.schema.json": {
        id: "getConfigurationSchema202012",
        summary: "The JSON schema of mirrors.json, in draft 2020-12",
        description: "The same schema for tools that read the newer draft.",
        schema: { type: "object", properties: { title: { const: "mirrors.json" } }, required: ["title"] },
      },
      "/webhook.schema.json": {
        id: "getWebhookSchema",
        summary: "The JSON schema of messages to webhooks, in draft 2020-12",
        description: "Receivers of webhooks use it to check the body of a request.",
        schema: { type: "object", properties: { $schema: { type: "string" } }, required: ["$schema"] },
      },
      "/errors/{name}.json": {
        id: "getError",
        summary: "The body of an error",
        description: "The error documents, which hosts send as the bodies of errors.",
        schema: schemaReference("Error"),
      },
    },
  },
];
