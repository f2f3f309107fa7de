import { networkRoot, reportRoot } from "../../core/contract/contract.ts";
import type { Target } from "../../core/feed/feed.ts";
import { countriesOf, type TargetList, targetLists } from "../lists/lists.ts";
import type { SchemaName } from "./components.ts";

/** An operation without its responses, which depend on the host. */
export interface OperationPlan {
  readonly id: string;
  readonly summary: string;
  /** Absent if the summary and the group's description say everything. */
  readonly description?: string;
  /** Absent for text, and for JSON that is documented elsewhere. */
  readonly schema?: SchemaName;
  /** The media type. Absent for JSON. */
  readonly type?: string;
  /** The names in the path of a target that has the document. Absent if every target has it. */
  readonly names?: Readonly<Partial<Record<string, string>>>;
}

/** The keys are paths, which have no trailing slash, as linters expect. */
type OperationPlans = Readonly<Record<string, OperationPlan>>;

const contract = `/${networkRoot}`;
const report = `/${reportRoot}`;
const project = "{system}/{project}";
const target = `${project}/{target}`;

/** Needs the targets, because they decide which mirror lists exist. */
export function operationGroups(
  targets: readonly Target[],
): (readonly [name: string, description: string, OperationPlans])[] {
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
      { ...lists(targets), ...badges },
    ],
    ["Feeds", "Changes for feed readers, newest first.", feeds],
    ["Metrics", "The statuses for monitoring systems.", metrics],
    [
      "Statuspage",
      "The states for programs that read Atlassian Statuspage's API, documented at https://metastatuspage.com/api.",
      statuspage,
    ],
    ["Descriptions", "Descriptions of the feed itself. A run doesn't change them.", descriptions],
  ];
}

const statuses: OperationPlans = {
  [contract]: { id: "listSystems", summary: "The names of all systems", schema: "SystemList" },
  [`${contract}/{system}`]: { id: "getSystem", summary: "A system", schema: "System" },
  [`${contract}/${project}`]: { id: "getProject", summary: "A project", schema: "Project" },
  [`${contract}/${target}`]: { id: "getTarget", summary: "A target", schema: "Target" },
  [`${contract}/${target}/{status}`]: {
    id: "getTargetByStatus",
    summary: "A target with only its online or offline nodes",
    description: "The list of nodes can be empty.",
    schema: "Target",
  },
};

const evidence: OperationPlans = {
  [report]: {
    id: "getHeartbeat",
    summary: "The heartbeat",
    description: "The time of the last run, when the feed expires, and the last observation of each node.",
    schema: "Heartbeat",
  },
  [`${report}/{system}`]: {
    id: "getSystemReport",
    summary: "The states and node counts of a system's targets",
    schema: "SystemReport",
  },
  [`${report}/${project}`]: {
    id: "getProjectReport",
    summary: "The evidence for a project",
    description: "Each node's state, code, last change, freshness, mean latency and uptime over 90 days.",
    schema: "ProjectReport",
  },
  [`${report}/${target}`]: {
    id: "getTargetHistory",
    summary: "The evidence for a target, with its history",
    description: "All evidence for each node, with its daily counts and latest status changes.",
    schema: "TargetHistory",
  },
};

const urlList = {
  title: "The URLs of a target, best first",
  description:
    "One URL per line: online nodes first, then by maintenance, freshness and latency. Offline nodes come last but are listed, so the list is never empty.",
  type: "text/plain",
};

function lists(targets: readonly Target[]): OperationPlans {
  const plans: Record<string, OperationPlan> = {};
  // A target with lists for one country has them for all.
  const countries = countriesOf(targets).slice(0, 1);
  for (const one of targets) {
    const names = { system: one.system, project: one.project, target: one.target };
    for (const list of targetLists(one, countries)) {
      const folder = list.country === undefined ? "mirrorlist" : "country/{country}";
      plans[`/${folder}/${target}.${list.extension}`] ??= { ...listPlan(list), names };
    }
  }
  return plans;
}

function listPlan({ list, extension, nodes: [first], country }: TargetList): OperationPlan {
  const { title, description, type } = list ?? urlList;
  const id = list === undefined ? "Mirrorlist" : capitalize(first?.kind ?? "") + capitalize(extension);
  const format = type === "application/json" ? {} : { type };
  if (country === undefined) return { id: `get${id}`, summary: title, description, ...format };
  return {
    id: `getCountry${id}`,
    summary: `${title}, for a country`,
    description:
      "The same list, with nodes in the country ahead of equally good ones elsewhere. Not published for targets whose nodes have no country.",
    ...format,
  };
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

const badges: OperationPlans = {
  [`/badge/${target}.svg`]: { id: "getBadge", summary: "A target's badge", type: "image/svg+xml" },
  [`/badge/${target}.json`]: { id: "getBadgeData", summary: "Badge data for shields.io", schema: "Badge" },
};

const atom = "application/atom+xml";

const feeds: OperationPlans = {
  "/feed.atom": { id: "getAtomFeed", summary: "All changes, as Atom", type: atom },
  "/feed.json": { id: "getJsonFeed", summary: "All changes, as JSON Feed", schema: "JsonFeed" },
  [`/feed/${project}.atom`]: {
    id: "getProjectAtomFeed",
    summary: "A project's changes, as Atom",
    type: atom,
  },
  [`/feed/${project}.json`]: {
    id: "getProjectJsonFeed",
    summary: "A project's changes, as JSON Feed",
    schema: "JsonFeed",
  },
};

const metrics: OperationPlans = {
  "/metrics.txt": {
    id: "getMetrics",
    summary: "Gauges for Prometheus",
    description:
      "Prometheus text format 0.0.4. Unless the host sends it as `text/plain`, Prometheus 3 needs `fallback_scrape_protocol: PrometheusText0.0.4`.",
    type: "text/plain",
  },
};

const statuspage: OperationPlans = {
  "/api/v2/status.json": { id: "getStatuspageStatus", summary: "The state of the feed" },
  "/api/v2/summary.json": {
    id: "getStatuspageSummary",
    summary: "The state of each target, with incidents and maintenance",
  },
};

const configSchema = "The JSON schema of mirrors.json";

const descriptions: OperationPlans = {
  "/openapi.json": { id: "getOpenapi", summary: "This reference as OpenAPI" },
  "/mirrors.schema.json": { id: "getConfigurationSchema", summary: `${configSchema}, in draft 7` },
  "/mirrors.2020-12.schema.json": {
    id: "getConfigurationSchema202012",
    summary: `${configSchema}, in draft 2020-12`,
  },
  "/webhook.schema.json": { id: "getWebhookSchema", summary: "The JSON schema of webhook notifications" },
  "/errors/{name}.json": { id: "getError", summary: "The body of an error", schema: "Error" },
};
