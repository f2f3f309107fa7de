import type { SiteFile } from "../../core/base/files/site-file.ts";
import { group } from "../../core/base/text/group.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { type Feed, nodesOf, targetsOf } from "../../core/feed/feed.ts";

const help = {
  run_timestamp_seconds: "When the last run ended.",
  feed_expires_timestamp_seconds:
    "When the feed expires. After that, its statuses are too old to be trusted.",
  prober_online: "Whether the prober was online (1) or not (0). If not, mirrorfeed_node_up is absent.",
  vantage_online: "Whether a vantage, a location that probes, was online in the last run (1) or not (0).",
  notifications:
    "How many notifications are waiting to be sent (waiting), and how many of these because their channel failed (failing).",
  nodes: "The number of nodes in each state.",
  node_info: "The names, host and URL of a node; always 1. Join it to the other gauges by id.",
  node_state: "The state of a node, as shown on the pages; always 1.",
  node_up: "The status of a node in the API, 1 or 0, whatever its state.",
  node_since_timestamp_seconds: "When the status of a node last changed.",
  node_uptime_ratio:
    "The share of successful probes in the last 90 days including today, as shown on the pages.",
  node_mean_latency_seconds:
    "The mean latency of the last seven days, as shown on the pages. Absent for offline nodes.",
  node_last_latency_seconds: "How long a node with status 1 took to answer in the last run.",
  node_behind_since_timestamp_seconds: "When a node fell behind the reference.",
  node_tls_expires_timestamp_seconds: "When the certificate of a node expires.",
} as const;

type Gauge = keyof typeof help;
type Labels = Readonly<Record<string, string>>;
type Sample = readonly [gauge: Gauge, value: number | undefined, labels?: Labels];

/**
 * Renders `/metrics.txt` for Prometheus. Unknown values are left out. If the prober was offline, for example,
 * `mirrorfeed_node_up` is absent. A node's constant labels are only on the info gauge:
 * https://www.robustperception.io/how-to-have-labels-for-machine-roles
 */
export function renderMetrics(feed: Feed): SiteFile[] {
  const content = (): string => {
    const nodes = nodesOf(targetsOf(feed.systems));
    const samples = [...feedSamples(feed), ...nodes.flatMap((node) => nodeSamples(feed, node))];
    const byGauge = group(samples.map((sample) => [sample[0], sample] as const));
    return [...byGauge].map(([name, found]) => gaugeText(name, found)).join("");
  };
  return [{ path: "metrics.txt", content }];
}

function feedSamples({ run, isKnown, verdict }: Feed): Sample[] {
  const notifications = Object.entries<number>({ ...run.notifications });
  return [
    ["run_timestamp_seconds", secondsOf(run.generated_at)],
    ["feed_expires_timestamp_seconds", secondsOf(run.expires_at)],
    ["prober_online", Number(isKnown)],
    ...run.prober.vantages.map(({ vantage, online: isOnline }): Sample => {
      return ["vantage_online", Number(isOnline), { vantage }];
    }),
    ...notifications.map(([state, value]): Sample => ["notifications", value, { state }]),
    ...Object.entries(verdict.counts).map(([state, value]): Sample => ["nodes", value, { state }]),
  ];
}

function nodeSamples({ isKnown }: Feed, node: FeedNode): Sample[] {
  const { name, url, host, state, status, observed } = node;
  const { system, project, target } = node.target;
  const id = { id: String(node.id) };
  const isAnswered = status === 1 && observed.code === "ok";
  return [
    ["node_info", 1, { ...id, system, project, target, host, name, url }],
    ["node_state", 1, { ...id, state }],
    ["node_up", isKnown ? status : undefined, id],
    ["node_since_timestamp_seconds", secondsOf(node.since), id],
    ["node_uptime_ratio", node.uptime["90d"].ratio, id],
    ["node_mean_latency_seconds", toSeconds(node.mean_latency_ms), id],
    ["node_last_latency_seconds", isAnswered ? toSeconds(observed.latency_ms) : undefined, id],
    ["node_behind_since_timestamp_seconds", secondsOf(node.behind_since), id],
    ["node_tls_expires_timestamp_seconds", secondsOf(node.tls_expires_at), id],
  ];
}

function secondsOf(timestamp: string | undefined): number | undefined {
  return toSeconds(timestamp === undefined ? undefined : Date.parse(timestamp));
}

function toSeconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000;
}

/**
 * Renders a gauge in Prometheus text format 0.0.4, or an empty string if no value is known. Names end with the unit.
 * https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
function gaugeText(gauge: Gauge, samples: readonly Sample[]): string {
  const name = `mirrorfeed_${gauge}`;
  const lines = samples.map(([, value, labels = {}]) =>
    value === undefined ? "" : `${name}${labelText(labels)} ${value}\n`,
  );
  const text = lines.join("");
  return text && `# HELP ${name} ${help[gauge]}\n# TYPE ${name} gauge\n${text}`;
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replaceAll(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`,
  );
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}
