import type { SiteFile } from "../../core/base/files/site-file.ts";
import { type Feed, nodesOf, targetsOf } from "../../core/feed/feed.ts";

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

const nodeHelp = {
  info: "The names, host and URL of a node; always 1. Join it to the other gauges by id.",
  state: "The state of a node, as shown on the pages; always 1.",
  up: "The status of a node in the API, 1 or 0, whatever its state.",
  since_timestamp_seconds: "When the status of a node last changed.",
  uptime_ratio: "The share of successful probes in the last 90 days including today, as shown on the pages.",
  mean_latency_seconds:
    "The mean latency of the last seven days, as shown on the pages. Absent for offline nodes.",
  last_latency_seconds: "How long a node with status 1 took to answer in the last run.",
  behind_since_timestamp_seconds: "When a node fell behind the reference.",
  tls_expires_timestamp_seconds: "When the certificate of a node expires.",
};

function nodeGauges({ isKnown, systems }: Feed): string[] {
  const nodes = nodesOf(targetsOf(systems)).map((node) => {
    const { id, name, url, host, state, status, observed } = node;
    const { system, project, target } = node.target;
    const values: Readonly<Record<string, number | undefined>> = {
      info: 1,
      state: 1,
      up: isKnown ? status : undefined,
      since_timestamp_seconds: secondsOf(node.since),
      uptime_ratio: node.uptime["90d"].ratio,
      mean_latency_seconds: toSeconds(node.mean_latency_ms),
      last_latency_seconds:
        status === 1 && observed.code === "ok" ? toSeconds(observed.latency_ms) : undefined,
      behind_since_timestamp_seconds: secondsOf(node.behind_since),
      tls_expires_timestamp_seconds: secondsOf(node.tls_expires_at),
    } satisfies Record<keyof typeof nodeHelp, number | undefined>;
    const labels: Readonly<Record<string, Labels>> = {
      info: { system, project, target, host, name, url },
      state: { state },
    };
    return { id: String(id), values, labels };
  });
  return Object.entries(nodeHelp).map(([name, help]) =>
    gauge(
      `node_${name}`,
      help,
      nodes.map(({ id, values, labels }) => [{ id, ...labels[name] }, values[name]]),
    ),
  );
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
