import { type SiteFile } from "../../base/files/site-file.ts";
import { type Feed, type FeedNode, nodesOf, targetsOf } from "../../feed/feed.ts";

/**
 * Returns `/metrics.txt` for Prometheus, which changes with every run. A node has no sample of an unknown value. If the prober
 * was offline, no node has a status. Only one gauge has the labels of a node that do not change:
 * https://www.robustperception.io/how-to-have-labels-for-machine-roles
 */
export function renderMetrics(feed: Feed): SiteFile[] {
  return [{ path: "metrics.txt", content: () => metricsText([...feedGauges(feed), ...nodeGauges(feed)]) }];
}

function feedGauges({ run, isKnown }: Feed): Gauge[] {
  const { generated_at, expires_at, prober, notifications, totals } = run;
  return [
    {
      name: "mirrorfeed_run_timestamp_seconds",
      help: "When the last run ended.",
      samples: singleSample(toSeconds(generated_at)),
    },
    {
      name: "mirrorfeed_feed_expires_timestamp_seconds",
      help: "When the feed expires: from then on its statuses are too old to be trusted.",
      samples: singleSample(toSeconds(expires_at)),
    },
    {
      name: "mirrorfeed_prober_online",
      help: "Whether the prober was online (1) or not (0). If it was not, there are no statuses.",
      samples: singleSample(isKnown ? 1 : 0),
    },
    {
      name: "mirrorfeed_vantage_online",
      help: "Whether a vantage was online in the last run (1) or not (0).",
      samples: prober.vantages.map(({ vantage, online }) => ({ labels: { vantage }, value: online ? 1 : 0 })),
    },
    {
      name: "mirrorfeed_messages",
      help: "The number of messages that wait to be sent, of those that failed before, and of those given up in the last week.",
      samples:
        notifications === undefined
          ? []
          : Object.entries(notifications).map(([state, value]: [string, number]) => ({
              labels: { state },
              value,
            })),
    },
    {
      name: "mirrorfeed_nodes",
      help: "The number of nodes with a status.",
      samples: isKnown
        ? [
            { labels: { status: "online" }, value: totals.online },
            { labels: { status: "offline" }, value: totals.offline },
          ]
        : [],
    },
  ];
}

function nodeGauges({ isKnown, systems }: Feed): Gauge[] {
  const nodes = nodesOf(targetsOf(systems));
  const gauge = (
    name: string,
    help: string,
    valueOf: (node: FeedNode) => number | undefined,
    labelsOf?: (node: FeedNode) => Sample["labels"],
  ): Gauge => ({ name: `mirrorfeed_node_${name}`, help, samples: samplesOf(nodes, valueOf, labelsOf) });
  return [
    gauge(
      "info",
      "What the id of a node stands for; always 1. Join it to the other gauges by id.",
      () => 1,
      ({ name, url, host, target: { system, project, target } }) => {
        return { system, project, target, host, name, url };
      },
    ),
    gauge("up", "Whether a node is online (1) or offline (0).", ({ status }) =>
      isKnown ? status : undefined,
    ),
    gauge("since_timestamp_seconds", "When the status of a node last changed.", ({ since }) =>
      toSeconds(since),
    ),
    gauge(
      "latency_seconds",
      "How long a reachable node took to answer in the last run.",
      ({ observed: { code, latency_ms } }) =>
        code === "ok" && latency_ms !== undefined ? latency_ms / 1000 : undefined,
    ),
    gauge(
      "freshness",
      "The freshness of a node; always 1.",
      () => 1,
      ({ freshness }) => ({ freshness }),
    ),
    gauge(
      "behind_since_timestamp_seconds",
      "When the reference moved on from the content of a node.",
      ({ behind_since }) => toSeconds(behind_since),
    ),
    gauge("tls_expires_timestamp_seconds", "When the certificate of a node expires.", ({ tls_expires_at }) =>
      toSeconds(tls_expires_at),
    ),
    gauge("maintenance", "1 for each node in maintenance, whose status stays unchanged.", ({ maintenance }) =>
      maintenance === undefined ? undefined : 1,
    ),
  ];
}

/** Yields the samples one by one, since those of many nodes need much memory. */
function* samplesOf(
  nodes: readonly FeedNode[],
  valueOf: (node: FeedNode) => number | undefined,
  labelsOf: (node: FeedNode) => Sample["labels"] = () => ({}),
): Generator<Sample> {
  for (const node of nodes) {
    const value = valueOf(node);
    if (value === undefined) continue;
    yield { labels: { id: String(node.id), ...labelsOf(node) }, value };
  }
}

function singleSample(value: number): Sample[] {
  return [{ labels: {}, value }];
}

function toSeconds(timestamp: string): number;
function toSeconds(timestamp: string | undefined): number | undefined;
function toSeconds(timestamp: string | undefined): number | undefined {
  return timestamp === undefined ? undefined : Date.parse(timestamp) / 1000;
}

/** A metric that can go up and down. Its name ends with its unit, and `help` is one line. */
export interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly samples: Iterable<Sample>;
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/**
 * Returns gauges in the text format of Prometheus, version 0.0.4, without timestamps and without gauges that have no sample.
 * https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
export function metricsText(gauges: readonly Gauge[]): string {
  const texts = gauges.map(({ name, help, samples }) => {
    const lines = Array.from(samples, ({ labels, value }) => `${name}${labelText(labels)} ${value}\n`);
    return lines.length === 0 ? "" : `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join("")}`;
  });
  return texts.join("");
}

function labelText(labels: Sample["labels"]): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll(/[\\"\n]/g, (character) => (character === "\n" ? "\\n" : `\\${character}`));
}
