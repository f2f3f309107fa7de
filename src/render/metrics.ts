import { LazyFile, type SiteFile } from "../files/site-file.ts";
import { type Feed, type Node, nodesOf, targetsOf } from "../model/feed.ts";
import { type Gauge, metricsText, type Sample } from "./prometheus.ts";

/**
 * `/metrics.txt`, for Prometheus: beside the heartbeat the only document that changes with every run. A gauge is left
 * out of a node where nothing is known, and every status is where the prober was offline.
 */
export function renderMetrics(feed: Feed): SiteFile[] {
  return [new LazyFile("metrics.txt", () => metricsText([...feedGauges(feed), ...nodeGauges(feed)]))];
}

function feedGauges({ run, isKnown }: Feed): Gauge[] {
  const { generated_at, expires_at, prober, totals } = run;
  return [
    {
      name: "mirrorfeed_run_timestamp_seconds",
      help: "When the last run ended.",
      samples: one(seconds(generated_at)),
    },
    {
      name: "mirrorfeed_feed_expires_timestamp_seconds",
      help: "From when on the feed stands still, and its statuses prove nothing.",
      samples: one(seconds(expires_at)),
    },
    {
      name: "mirrorfeed_prober_online",
      help: "Whether the prober was itself online (1) or not (0); where it was not, there is no status.",
      samples: one(isKnown ? 1 : 0),
    },
    {
      name: "mirrorfeed_vantage_online",
      help: "Whether a vantage was itself online in the last run (1) or not (0).",
      samples: prober.vantages.map(({ vantage, online }) => ({ labels: { vantage }, value: online ? 1 : 0 })),
    },
    {
      name: "mirrorfeed_nodes",
      help: "How many nodes have a status.",
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
    valueOf: (node: Node) => number | undefined,
    labelsOf?: (node: Node) => Sample["labels"],
  ): Gauge => ({ name: `mirrorfeed_node_${name}`, help, samples: samplesOf(nodes, valueOf, labelsOf) });
  return [
    gauge(
      "info",
      "The name and the url of a node; always 1.",
      () => 1,
      ({ name, url }) => ({ name, url }),
    ),
    gauge("up", "Whether a node is online (1) or offline (0).", ({ status }) =>
      isKnown ? status : undefined,
    ),
    gauge("since_timestamp_seconds", "When a node's status became what it is.", ({ since }) =>
      seconds(since),
    ),
    gauge(
      "latency_seconds",
      "How long a node took to answer in the last run, where it answered as it should.",
      ({ observed: { code, latency_ms } }) =>
        code === "ok" && latency_ms !== undefined ? latency_ms / 1000 : undefined,
    ),
    gauge(
      "freshness",
      "How a node's content stands to its target's reference; 1 for what it is, the others are left out.",
      () => 1,
      ({ freshness }) => ({ freshness }),
    ),
    gauge(
      "behind_since_timestamp_seconds",
      "When the reference left the content of a node.",
      ({ behind_since }) => seconds(behind_since),
    ),
    gauge("tls_expires_timestamp_seconds", "When the certificate of a node expires.", ({ tls_expires_at }) =>
      seconds(tls_expires_at),
    ),
    gauge(
      "maintenance",
      "1 for a node in maintenance, which keeps its status; others are left out.",
      ({ maintenance }) => (maintenance === undefined ? undefined : 1),
    ),
  ];
}

/** Makes the samples one by one, since those of many nodes are large. */
function* samplesOf(
  nodes: readonly Node[],
  valueOf: (node: Node) => number | undefined,
  labelsOf: (node: Node) => Sample["labels"] = () => ({}),
): Generator<Sample> {
  for (const node of nodes) {
    const value = valueOf(node);
    if (value === undefined) continue;
    const { system, project, target } = node.target;
    const labels = { system, project, target, id: String(node.id), host: node.host, ...labelsOf(node) };
    yield { labels, value };
  }
}

function one(value: number): Sample[] {
  return [{ labels: {}, value }];
}

function seconds(timestamp: string): number;
function seconds(timestamp: string | undefined): number | undefined;
function seconds(timestamp: string | undefined): number | undefined {
  return timestamp === undefined ? undefined : Date.parse(timestamp) / 1000;
}
