import { networkRoot, reportRoot } from "../../core/contract/contract.ts";
import type { Target } from "../../core/feed/feed.ts";
import { countriesOf, type TargetList, targetLists } from "../lists/lists.ts";
import type { SchemaName } from "./components.ts";

/** An operation without its responses, which depend on the host. */
export interface OperationPlan {
  readonly id: string;
  readonly summary: string;
  /** Absent for text, and for JSON that is documented elsewhere. */
  readonly schema?: SchemaName | undefined;
  /** The media type. Absent for JSON. */
  readonly type?: string | undefined;
  /** Absent if the summary and the group's description say everything. */
  readonly description?: string | undefined;
  /** The names in the path of a target that has the document. Absent if every target has it. */
  readonly names?: Readonly<Partial<Record<string, string>>>;
}

/** The keys are paths, which have no trailing slash, as linters expect. */
type OperationPlans = Readonly<Record<string, OperationPlan>>;

function json(id: string, summary: string, schema?: SchemaName, description?: string): OperationPlan {
  return { id, summary, schema, description };
}

function text(type: string, id: string, summary: string, description?: string): OperationPlan {
  return { id, summary, type, description };
}

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
    ["Feeds", "Changes for feed readers, newest first, and planned maintenance for calendars.", feeds],
    [
      "Monitoring",
      "The statuses for Prometheus, and the states for programs that read Atlassian Statuspage's API, documented at https://metastatuspage.com/api.",
      monitoring,
    ],
    ["Descriptions", "Descriptions of the feed itself. A run doesn't change them.", descriptions],
  ];
}

const statuses: OperationPlans = {
  [contract]: json("listSystems", "The names of all systems", "SystemList"),
  [`${contract}/{system}`]: json("getSystem", "A system", "System"),
  [`${contract}/${project}`]: json("getProject", "A project", "Project"),
  [`${contract}/${target}`]: json("getTarget", "A target", "Target"),
  [`${contract}/${target}/{status}`]: json(
    "getTargetByStatus",
    "A target with only its online or offline nodes, if any",
    "Target",
  ),
};

const evidence: OperationPlans = {
  [report]: json(
    "getHeartbeat",
    "The heartbeat",
    "Heartbeat",
    "The time of the last run, when the feed expires, and the last observation of each node.",
  ),
  [`${report}/{system}`]: json(
    "getSystemReport",
    "The states and node counts of a system's targets",
    "SystemReport",
  ),
  [`${report}/${project}`]: json(
    "getProjectReport",
    "The evidence for a project",
    "ProjectReport",
    "Each node's state, code, last change, freshness, mean latency and uptime over 90 days.",
  ),
  [`${report}/${target}`]: json(
    "getTargetHistory",
    "The evidence for a target, with daily counts and the latest status changes",
    "TargetHistory",
  ),
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
  [`/badge/${target}.svg`]: text("image/svg+xml", "getBadge", "A target's badge"),
  [`/badge/${target}.json`]: json("getBadgeData", "Badge data for shields.io", "Badge"),
};

const atom = "application/atom+xml";

const feeds: OperationPlans = {
  "/feed.atom": text(atom, "getAtomFeed", "All changes, as Atom"),
  "/feed.json": json("getJsonFeed", "All changes, as JSON Feed", "JsonFeed"),
  [`/feed/${project}.atom`]: text(atom, "getProjectAtomFeed", "A project's changes, as Atom"),
  [`/feed/${project}.json`]: json("getProjectJsonFeed", "A project's changes, as JSON Feed", "JsonFeed"),
  "/maintenance.ics": text("text/calendar", "getMaintenance", "Announced maintenance, as a calendar"),
};

const monitoring: OperationPlans = {
  "/metrics.txt": text(
    "text/plain",
    "getMetrics",
    "Gauges for Prometheus",
    "Prometheus text format 0.0.4. Unless the host sends it as `text/plain`, Prometheus 3 needs `fallback_scrape_protocol: PrometheusText0.0.4`.",
  ),
  "/api/v2/status.json": json("getStatuspageStatus", "The state of the feed, as on Statuspage"),
  "/api/v2/summary.json": json("getStatuspageSummary", "The states of all targets, as on Statuspage"),
};

const configSchema = "The JSON schema of mirrors.json, in draft";

const descriptions: OperationPlans = {
  "/openapi.json": json("getOpenapi", "This reference as OpenAPI"),
  "/mirrors.schema.json": json("getConfigurationSchema", `${configSchema} 7`),
  "/mirrors.2020-12.schema.json": json("getConfigurationSchema202012", `${configSchema} 2020-12`),
  "/webhook.schema.json": json("getWebhookSchema", "The JSON schema of webhook notifications"),
  "/errors/{name}.json": json("getError", "The body of an error", "Error"),
};
