import type { SiteFile } from "../../core/base/files/site-file.ts";
import { type Feed, nodesOf, targetsOf } from "../../core/feed/feed.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";

/**
 * Renders `/metrics.txt` for Prometheus. Unknown values are left out. If the prober was offline, for example,
 * `mirrorfeed_node_up` is absent. A node's constant labels are only on the info gauge:
 * https://www.robustperception.io/how-to-have-labels-for-machine-roles
 */
export function renderMetrics(feed: Feed): SiteFile[] {
  return [{ path: "metrics.txt", content: () => [...feedGauges(feed), ...nodeGauges(feed)].join("") }];
}

function feedGauges({ run, isKnown, verdict }: Feed): string[] {
  const { generated_at, expires_at, prober, notifications } = run;
  return [
    gauge("run_timestamp_seconds", "When the last run ended.", [[{}, secondsOf(generated_at)]]),
    gauge(
      "feed_expires_timestamp_seconds",
      "When the feed expires. After that, its statuses are too old to be trusted.",
      [[{}, secondsOf(expires_at)]],
    ),
    gauge(
      "prober_online",
      "Whether the prober was online (1) or not (0). If not, mirrorfeed_node_up is absent.",
      [[{}, Number(isKnown)]],
    ),
    gauge(
      "vantage_online",
      "Whether a vantage, a location that probes, was online in the last run (1) or not (0).",
      prober.vantages.map(({ vantage, online: isOnline }) => [{ vantage }, Number(isOnline)]),
    ),
    gauge(
      "notifications",
      "How many notifications are waiting to be sent (waiting), and how many of these because their channel failed (failing).",
      Object.entries<number>({ ...notifications }).map(([state, value]) => [{ state }, value]),
    ),
    gauge(
      "nodes",
      "The number of nodes in each state.",
      Object.entries(verdict.counts).map(([state, value]) => [{ state }, value]),
    ),
  ];
}

function nodeGauges({ isKnown, systems }: Feed): string[] {
  const nodes = nodesOf(targetsOf(systems));
  const nodeGauge = (
    name: string,
    help: string,
    valueOf: (node: FeedNode) => number | undefined,
    labelsOf?: (node: FeedNode) => Labels,
  ): string =>
    gauge(
      `node_${name}`,
      help,
      nodes.map((node) => [{ id: String(node.id), ...labelsOf?.(node) }, valueOf(node)]),
    );
  return [
    nodeGauge(
      "info",
      "The names, host and URL of a node; always 1. Join it to the other gauges by id.",
      () => 1,
      ({ name, url, host, target: { system, project, target } }) => {
        return { system, project, target, host, name, url };
      },
    ),
    nodeGauge(
      "state",
      "The state of a node, as shown on the pages; always 1.",
      () => 1,
      ({ state }) => ({ state }),
    ),
    nodeGauge("up", "The status of a node in the API, 1 or 0, whatever its state.", ({ status }) =>
      isKnown ? status : undefined,
    ),
    nodeGauge("since_timestamp_seconds", "When the status of a node last changed.", ({ since }) =>
      secondsOf(since),
    ),
    nodeGauge(
      "uptime_ratio",
      "The share of successful probes in the last 90 days including today, as shown on the pages.",
      ({ uptime }) => uptime["90d"].ratio,
    ),
    nodeGauge(
      "mean_latency_seconds",
      "The mean latency of the last seven days, as shown on the pages. Absent for offline nodes.",
      ({ mean_latency_ms }) => toSeconds(mean_latency_ms),
    ),
    nodeGauge(
      "last_latency_seconds",
      "How long a node with status 1 took to answer in the last run.",
      ({ status, observed: { code, latency_ms } }) =>
        status === 1 && code === "ok" ? toSeconds(latency_ms) : undefined,
    ),
    nodeGauge(
      "behind_since_timestamp_seconds",
      "When a node fell behind the reference.",
      ({ behind_since }) => secondsOf(behind_since),
    ),
    nodeGauge(
      "tls_expires_timestamp_seconds",
      "When the certificate of a node expires.",
      ({ tls_expires_at }) => secondsOf(tls_expires_at),
    ),
  ];
}

function secondsOf(timestamp: string | undefined): number | undefined {
  return toSeconds(timestamp === undefined ? undefined : Date.parse(timestamp));
}

function toSeconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000;
}

type Labels = Readonly<Record<string, string>>;

/**
 * Renders a gauge in Prometheus text format 0.0.4, or an empty string if no value is known. Names end with the unit.
 * https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
function gauge(
  name: string,
  help: string,
  samples: readonly (readonly [labels: Labels, value: number | undefined])[],
): string {
  const lines = samples.map(([labels, value]) =>
    value === undefined ? "" : `mirrorfeed_${name}${labelText(labels)} ${value}\n`,
  );
  const text = lines.join("");
  return text && `# HELP mirrorfeed_${name} ${help}\n# TYPE mirrorfeed_${name} gauge\n${text}`;
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replaceAll(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`,
  );
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}
