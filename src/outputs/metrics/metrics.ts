import type { SiteFile } from "../../base/files/site-file.ts";
import { type Feed, type FeedNode, nodesOf, targetsOf } from "../../feed/feed.ts";

/**
 * Returns `/metrics.txt` for Prometheus, which changes with every run. A node has no sample of an unknown value. If the prober
 * was offline, no node has a status. Only one gauge has the labels of a node that do not change:
 * https://www.robustperception.io/how-to-have-labels-for-machine-roles
 */
export function renderMetrics(feed: Feed): SiteFile[] {
  return [{ path: "metrics.txt", content: () => [...feedGauges(feed), ...nodeGauges(feed)].join("") }];
}

function feedGauges({ run, isKnown }: Feed): string[] {
  const { generated_at, expires_at, prober, notifications, totals } = run;
  const { online, offline } = isKnown ? totals : {};
  return [
    gauge("run_timestamp_seconds", "When the last run ended.", [[{}, toSeconds(generated_at)]]),
    gauge(
      "feed_expires_timestamp_seconds",
      "When the feed expires: from then on its statuses are too old to be trusted.",
      [[{}, toSeconds(expires_at)]],
    ),
    gauge(
      "prober_online",
      "Whether the prober was online (1) or not (0). If it was not, there are no statuses.",
      [[{}, Number(isKnown)]],
    ),
    gauge(
      "vantage_online",
      "Whether a vantage was online in the last run (1) or not (0).",
      prober.vantages.map(({ vantage, online: isOnline }) => [{ vantage }, Number(isOnline)]),
    ),
    gauge(
      "messages",
      "The number of messages that wait to be sent, of those that failed before, and of those given up in the last week.",
      Object.entries<number>({ ...notifications }).map(([state, value]) => [{ state }, value]),
    ),
    gauge("nodes", "The number of nodes with a status.", [
      [{ status: "online" }, online],
      [{ status: "offline" }, offline],
    ]),
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
      "What the id of a node stands for; always 1. Join it to the other gauges by id.",
      () => 1,
      ({ name, url, host, target: { system, project, target } }) => {
        return { system, project, target, host, name, url };
      },
    ),
    nodeGauge("up", "Whether a node is online (1) or offline (0).", ({ status }) =>
      isKnown ? status : undefined,
    ),
    nodeGauge("since_timestamp_seconds", "When the status of a node last changed.", ({ since }) =>
      toSeconds(since),
    ),
    nodeGauge(
      "latency_seconds",
      "How long a reachable node took to answer in the last run.",
      ({ observed: { code, latency_ms } }) =>
        code === "ok" && latency_ms !== undefined ? latency_ms / 1000 : undefined,
    ),
    nodeGauge(
      "freshness",
      "The freshness of a node; always 1.",
      () => 1,
      ({ freshness }) => ({ freshness }),
    ),
    nodeGauge(
      "behind_since_timestamp_seconds",
      "When the reference moved on from the content of a node.",
      ({ behind_since }) => toSeconds(behind_since),
    ),
    nodeGauge(
      "tls_expires_timestamp_seconds",
      "When the certificate of a node expires.",
      ({ tls_expires_at }) => toSeconds(tls_expires_at),
    ),
    nodeGauge(
      "maintenance",
      "1 for each node in maintenance, whose status stays unchanged.",
      ({ maintenance }) => (maintenance === undefined ? undefined : 1),
    ),
  ];
}

function toSeconds(timestamp: string | undefined): number | undefined {
  return timestamp === undefined ? undefined : Date.parse(timestamp) / 1000;
}

type Labels = Readonly<Record<string, string>>;

/**
 * Returns a gauge in the text format of Prometheus, version 0.0.4, without timestamps; nothing if no value is known. Its name
 * ends with its unit. https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
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
