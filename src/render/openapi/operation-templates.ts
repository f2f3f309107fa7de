import { networkRoot } from "../../hosts/contract.ts";
import { reportRoot } from "../report-documents.ts";
import { listTemplates } from "./list-templates.ts";
import type { OperationTemplate } from "./operation-template.ts";
import { schemaReference } from "./schemas.ts";

/** The media type of JSON documents. */
export const json = "application/json";
const targetPath = `/${networkRoot}/{system}/{project}/{target}`;

/** The operation of every path, those of the contract first. Linters expect paths without a slash at their end. */
export const operationTemplates: Readonly<Record<string, OperationTemplate>> = {
  [`/${networkRoot}`]: {
    tag: "Contract",
    id: "listSystems",
    summary: "The systems of the feed",
    description: "The names of all systems, to start from.",
    type: json,
    schema: schemaReference("SystemList"),
  },
  [`/${networkRoot}/{system}`]: {
    tag: "Contract",
    id: "getSystem",
    summary: "A system",
    description: "All of its projects with their targets and nodes, each with its status.",
    type: json,
    schema: schemaReference("System"),
  },
  [`/${networkRoot}/{system}/{project}`]: {
    tag: "Contract",
    id: "getProject",
    summary: "A project",
    description: "All of its targets with their nodes, each with its status.",
    type: json,
    schema: schemaReference("Project"),
  },
  [targetPath]: {
    tag: "Contract",
    id: "getTarget",
    summary: "A target",
    description: "All of its nodes, each with its status.",
    type: json,
    schema: schemaReference("Target"),
  },
  [`${targetPath}/{status}`]: {
    tag: "Contract",
    id: "getTargetByStatus",
    summary: "A target's nodes with one status",
    description: "The target with only its online or only its offline nodes. There may be none.",
    type: json,
    schema: schemaReference("Target"),
  },
  [`/${reportRoot}`]: {
    tag: "Report",
    id: "getHeartbeat",
    summary: "The heartbeat",
    description:
      "The time of the last run, the time when the feed expires, and the last observation of each node. It changes with every run.",
    type: json,
    schema: schemaReference("Heartbeat"),
  },
  [`/${reportRoot}/{system}`]: {
    tag: "Report",
    id: "getSystemReport",
    summary: "The targets of a system in numbers",
    description:
      "For each target how many nodes it has, and how many of them are online. The evidence is in the reports below.",
    type: json,
    schema: schemaReference("SystemReport"),
  },
  [`/${reportRoot}/{system}/{project}`]: {
    tag: "Report",
    id: "getProjectReport",
    summary: "The evidence for a project",
    description:
      "For each node the reason of its status, the time of its last change, its freshness and its uptime of 90 days. The reports of its targets have all of the evidence.",
    type: json,
    schema: schemaReference("ProjectReport"),
  },
  [`/${reportRoot}/{system}/{project}/{target}`]: {
    tag: "Report",
    id: "getTargetHistory",
    summary: "The evidence for a target, with its history",
    description: "All of the evidence for each node, with its days and its last transitions.",
    type: json,
    schema: schemaReference("TargetHistory"),
  },
  ...listTemplates,
  "/badge/{system}/{project}/{target}.svg": {
    tag: "Lists and badges",
    id: "getBadge",
    summary: "A badge of a target",
    description: "A picture with the number of its online nodes.",
    type: "image/svg+xml",
    schema: { type: "string", description: "SVG" },
  },
  "/badge/{system}/{project}/{target}.json": {
    tag: "Lists and badges",
    id: "getBadgeData",
    summary: "The badge as data",
    description: "The data for an endpoint badge of shields.io, which draws it in any style.",
    type: json,
    schema: schemaReference("Badge"),
  },
  "/feed.atom": {
    tag: "Feeds",
    id: "getAtomFeed",
    summary: "All changes, as Atom",
    description: "One entry for each status change, newest first.",
    type: "application/atom+xml",
    schema: { type: "string", description: "Atom (RFC 4287)" },
  },
  "/feed.json": {
    tag: "Feeds",
    id: "getJsonFeed",
    summary: "All changes, as JSON Feed",
    description: "The same entries.",
    type: json,
    schema: schemaReference("JsonFeed"),
  },
  "/feed/{system}/{project}.atom": {
    tag: "Feeds",
    id: "getProjectAtomFeed",
    summary: "The changes in a project, as Atom",
    description: "Only the entries of its targets.",
    type: "application/atom+xml",
    schema: { type: "string", description: "Atom (RFC 4287)" },
  },
  "/feed/{system}/{project}.json": {
    tag: "Feeds",
    id: "getProjectJsonFeed",
    summary: "The changes in a project, as JSON Feed",
    description: "The same entries.",
    type: json,
    schema: schemaReference("JsonFeed"),
  },
  "/metrics.txt": {
    tag: "Metrics",
    id: "getMetrics",
    summary: "Gauges for Prometheus",
    description:
      "The text format 0.0.4, with gauges only and without timestamps. Prometheus reads it as plain text. If a host sends another media type, Prometheus 3 needs `fallback_scrape_protocol: PrometheusText0.0.4`.",
    type: "text/plain",
    schema: { type: "string", description: "Prometheus text format" },
  },
  "/openapi.json": {
    tag: "Descriptions",
    id: "getOpenapi",
    summary: "This description",
    description:
      "The description of the feed for programs. It changes with the configuration and with mirrorfeed, not with a run.",
    type: json,
    schema: {
      type: "object",
      properties: { openapi: { type: "string", pattern: "^3\\.1\\." }, paths: { type: "object" } },
      required: ["openapi", "paths"],
    },
  },
  "/mirrors.schema.json": {
    tag: "Descriptions",
    id: "getConfigurationSchema",
    summary: "The JSON schema of mirrors.json, in draft 7",
    description: "Editors use it to complete and check the configuration of a feed.",
    type: json,
    schema: { type: "object", properties: { title: { const: "mirrors.json" } }, required: ["title"] },
  },
  "/mirrors.2020-12.schema.json": {
    tag: "Descriptions",
    id: "getConfigurationSchema202012",
    summary: "The JSON schema of mirrors.json, in draft 2020-12",
    description: "The same schema for tools that read the newer draft.",
    type: json,
    schema: { type: "object", properties: { title: { const: "mirrors.json" } }, required: ["title"] },
  },
  "/webhook.schema.json": {
    tag: "Descriptions",
    id: "getWebhookSchema",
    summary: "The JSON schema of messages to webhooks, in draft 2020-12",
    description: "Receivers of webhooks use it to check the body of a request.",
    type: json,
    schema: { type: "object", properties: { $schema: { type: "string" } }, required: ["$schema"] },
  },
  "/errors/{name}.json": {
    tag: "Descriptions",
    id: "getError",
    summary: "The body of an error",
    description: "The error documents, which hosts send as the bodies of errors.",
    type: json,
    schema: schemaReference("Error"),
  },
};
