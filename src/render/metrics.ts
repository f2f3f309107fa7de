import type { SiteFile } from "../site-file.ts";
import { type Gauge, metricsText, type Sample } from "./prometheus.ts";
import type { Report } from "./report.ts";
import type { Heartbeat, NodeReport } from "./report-schema.ts";

/** What is known of a node: its report, what the last run saw of it, and the labels that tell it from the others. */
interface Measured {
  readonly labels: Sample["labels"];
  readonly node: NodeReport;
  readonly seen: Heartbeat["nodes"][number] | undefined;
}

/**
 * `/metrics.txt`, for Prometheus: beside the heartbeat the only document that changes with every run. A gauge is left
 * out of a node where nothing is known, and every status is where the prober was offline.
 */
export function renderMetrics(report: Report): SiteFile[] {
  return [{ path: "metrics.txt", content: metricsText([...feedGauges(report), ...nodeGauges(report)]) }];
}

function feedGauges({ heartbeat }: Report): Gauge[] {
  const { generated_at, expires_at, prober, totals } = heartbeat;
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
      samples: one(prober.state === "online" ? 1 : 0),
    },
    {
      name: "mirrorfeed_vantage_online",
      help: "Whether a vantage was itself online in the last run (1) or not (0).",
      samples: prober.vantages.map(({ vantage, online }) => ({ labels: { vantage }, value: online ? 1 : 0 })),
    },
    {
      name: "mirrorfeed_nodes",
      help: "How many nodes have a status.",
      samples: isKnown(heartbeat)
        ? [
            { labels: { status: "online" }, value: totals.online },
            { labels: { status: "offline" }, value: totals.offline },
          ]
        : [],
    },
  ];
}

function nodeGauges(report: Report): Gauge[] {
  const measured = measuredNodes(report);
  const gauge = (name: string, help: string, valueOf: (one: Measured) => number | undefined): Gauge => ({
    name: `mirrorfeed_node_${name}`,
    help,
    samples: measured.flatMap((one) => {
      const value = valueOf(one);
      return value === undefined ? [] : [{ labels: one.labels, value }];
    }),
  });
  return [
    {
      name: "mirrorfeed_node_info",
      help: "The name and the url of a node; always 1.",
      samples: measured.map(({ labels, node: { name, url } }) => ({
        labels: { ...labels, name, url },
        value: 1,
      })),
    },
    gauge("up", "Whether a node is online (1) or offline (0).", ({ node }) =>
      isKnown(report.heartbeat) ? node.status : undefined,
    ),
    gauge("since_timestamp_seconds", "When a node's status became what it is.", ({ node }) =>
      seconds(node.since),
    ),
    gauge(
      "latency_seconds",
      "How long a node took to answer in the last run, where it answered as it should.",
      ({ seen }) =>
        seen?.code === "ok" && seen.latency_ms !== undefined ? seen.latency_ms / 1000 : undefined,
    ),
    {
      name: "mirrorfeed_node_freshness",
      help: "How a node's content stands to its target's reference; 1 for what it is, the others are left out.",
      samples: measured.map(({ labels, node }) => ({
        labels: { ...labels, freshness: node.freshness },
        value: 1,
      })),
    },
    gauge("behind_since_timestamp_seconds", "When the reference left the content of a node.", ({ node }) =>
      seconds(node.behind_since),
    ),
    gauge("tls_expires_timestamp_seconds", "When the certificate of a node expires.", ({ node }) =>
      seconds(node.tls_expires_at),
    ),
    gauge(
      "maintenance",
      "1 for a node in maintenance, which keeps its status; others are left out.",
      ({ node }) => (node.maintenance === undefined ? undefined : 1),
    ),
  ];
}

function measuredNodes({ heartbeat, systems }: Report): Measured[] {
  const seen = new Map(heartbeat.nodes.map((node) => [node.id, node]));
  return systems.flatMap(({ system, projects }) =>
    projects.flatMap(({ project, targets }) =>
      targets.flatMap(({ report: { target, network } }) =>
        network.map((node) => {
          const { host } = new URL(node.url);
          const labels = { system, project, target, id: String(node.id), host };
          return { labels, node, seen: seen.get(node.id) };
        }),
      ),
    ),
  );
}

function isKnown({ prober }: Heartbeat): boolean {
  return prober.state === "online";
}

function one(value: number): Sample[] {
  return [{ labels: {}, value }];
}

function seconds(moment: string): number;
function seconds(moment: string | undefined): number | undefined;
function seconds(moment: string | undefined): number | undefined {
  return moment === undefined ? undefined : Date.parse(moment) / 1000;
}
