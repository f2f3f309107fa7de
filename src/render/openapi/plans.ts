import { networkRoot } from "../../hosts/contract.ts";
import { reportRoot } from "../report-documents.ts";
import type { Schema } from "./document.ts";
import { schemaReference } from "./schemas.ts";

/** The groups of operations, in the order they are shown in. */
export const tags = [
  {
    name: "Contract",
    description:
      "The statuses. These documents hold no moment in time, and change only when one of their statuses does.",
  },
  {
    name: "Report",
    description:
      "The evidence beside the statuses. Only the heartbeat changes with every run; the others change with a status, a revision, a certificate or the day.",
  },
  {
    name: "Lists and badges",
    description: "The same for programs that read lines, and for other people's pages.",
  },
  { name: "Feeds", description: "The changes of statuses, for feed readers." },
  { name: "Metrics", description: "The feed for a monitoring system." },
  { name: "Descriptions", description: "What describes the feed itself." },
] as const;

type Tag = (typeof tags)[number]["name"];

/** An operation before its host is known: what it is, and what it gives. */
export interface OperationPlan {
  readonly tag: Tag;
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly type: string;
  readonly schema: Schema;
}

/** The media type of documents. */
export const json = "application/json";
const aTarget = `/${networkRoot}/{system}/{project}/{target}`;

/** What every path of a site gives; the contract's come first. Linters expect paths without a slash at the end. */
export const plans: Readonly<Record<string, OperationPlan>> = {
  [`/${networkRoot}`]: {
    tag: "Contract",
    id: "listSystems",
    summary: "The systems of the feed",
    description: "The names to begin with.",
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
  [aTarget]: {
    tag: "Contract",
    id: "getTarget",
    summary: "A target",
    description: "All of its nodes, each with its status.",
    type: json,
    schema: schemaReference("Target"),
  },
  [`${aTarget}/{status}`]: {
    tag: "Contract",
    id: "getTargetByStatus",
    summary: "A target's nodes with one status",
    description:
      "The target with the nodes that are online, or with those that are offline; there may be none.",
    type: json,
    schema: schemaReference("Target"),
  },
  [`/${reportRoot}`]: {
    tag: "Report",
    id: "getHeartbeat",
    summary: "The heartbeat",
    description:
      "When the feed was made, until when it may be trusted, and what the last run saw of each node. It changes with every run.",
    type: json,
    schema: schemaReference("Heartbeat"),
  },
  [`/${reportRoot}/{system}`]: {
    tag: "Report",
    id: "getSystemReport",
    summary: "The evidence for a system",
    description: "The reports of all of its projects.",
    type: json,
    schema: schemaReference("SystemReport"),
  },
  [`/${reportRoot}/{system}/{project}`]: {
    tag: "Report",
    id: "getProjectReport",
    summary: "The evidence for a project",
    description: "For each node why it has its status and since when, its freshness, and its uptime.",
    type: json,
    schema: schemaReference("ProjectReport"),
  },
  [`/${reportRoot}/{system}/{project}/{target}`]: {
    tag: "Report",
    id: "getTargetHistory",
    summary: "The evidence for a target, with its history",
    description: "What its project's report has of it, and for each node its days and its last transitions.",
    type: json,
    schema: schemaReference("TargetHistory"),
  },
  "/mirrorlist/{system}/{project}/{target}.txt": {
    tag: "Lists and badges",
    id: "getMirrorlist",
    summary: "The urls of a target, best first",
    description:
      "A url a line: the nodes that are online before those that are offline, those in maintenance after the others, those in sync before those behind, then by latency. Offline nodes stand last and are never left out, so the list is never empty.",
    type: "text/plain",
    schema: { type: "string", description: "Lines", pattern: "^(?:https?://[^\\s]+\\n)+$" },
  },
  "/badge/{system}/{project}/{target}.svg": {
    tag: "Lists and badges",
    id: "getBadge",
    summary: "A badge of a target",
    description: "A picture that says how many of its nodes are online.",
    type: "image/svg+xml",
    schema: { type: "string", description: "SVG" },
  },
  "/badge/{system}/{project}/{target}.json": {
    tag: "Lists and badges",
    id: "getBadgeData",
    summary: "The badge as data",
    description: "What an endpoint badge of shields.io is drawn from, to have it in another style.",
    type: json,
    schema: schemaReference("Badge"),
  },
  "/feed.atom": {
    tag: "Feeds",
    id: "getAtomFeed",
    summary: "All changes, as Atom",
    description: "An entry for each change of a status, the newest first.",
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
    description: "The entries of its targets alone.",
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
      "The text format 0.0.4, with gauges only and without timestamps. Prometheus reads it as plain text; where a host sends another type, version 3 needs `fallback_scrape_protocol: PrometheusText0.0.4`.",
    type: "text/plain",
    schema: { type: "string", description: "Prometheus text format" },
  },
  "/openapi.json": {
    tag: "Descriptions",
    id: "getOpenapi",
    summary: "This description",
    description:
      "For programs; it changes with the configuration of the feed and with mirrorfeed, not with a run.",
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
    description: "Editors complete and check the configuration of a feed with it.",
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
  "/errors/{name}.json": {
    tag: "Descriptions",
    id: "getError",
    summary: "The body of an error",
    description: "What hosts answer errors with, as documents that are there.",
    type: json,
    schema: schemaReference("Error"),
  },
};
