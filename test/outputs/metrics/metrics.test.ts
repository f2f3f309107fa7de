import { textOf } from "../../support/text-of.ts";
import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listNodes } from "../../../src/config/nodes.ts";
import { validateConfig } from "../../../src/config/validate.ts";
import { renderMetrics } from "../../../src/outputs/metrics/metrics.ts";
import { type Feed, type FeedNode, nodesOf, targetsOf } from "../../../src/feed/feed.ts";
import { describeWith, findProgram } from "../../support/requirement.ts";
import type { Seen } from "../../support/rounds.ts";
import { configOf, except, hour, noon, play, roundsArbitrary, step } from "../../support/playing.ts";
import { trials } from "../../support/trials.ts";

const one = "1".repeat(40);

/** Returns the text of the metrics. */
function metricsOf(feed: Feed): string {
  const [file, ...others] = renderMetrics(feed);
  expect(others).toEqual([]);
  expect(file?.path).toBe("metrics.txt");
  return textOf(file);
}

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Parses the samples by the grammar of the format. Throws if a line is invalid or in the wrong place. */
function samplesOf(text: string): Sample[] {
  if (!text.endsWith("\n")) throw new Error("the last line does not end");
  const described = new Set<string>();
  let current = "";
  return text
    .slice(0, -1)
    .split("\n")
    .flatMap((line, index, lines): Sample[] => {
      const help = /^# HELP (?<name>[a-z_]+) \S[^\\]*$/.exec(line)?.groups?.["name"];
      if (help !== undefined) {
        if (described.has(help)) throw new Error(`${help} has two HELP lines`);
        described.add(help);
        current = help;
        if (lines[index + 1] !== `# TYPE ${help} gauge`) throw new Error(`${help} is not a gauge`);
        return [];
      }
      if (line === `# TYPE ${current} gauge`) return [];
      const label = String.raw`[a-z_]+="(?:[^"\\]|\\[\\"n])*"`;
      const sample = new RegExp(
        `^(?<name>[a-z_]+)(?:\\{(?<labels>${label}(?:,${label})*)\\})? (?<value>\\S+)$`,
      );
      const { name, labels, value } = sample.exec(line)?.groups ?? {};
      if (name !== current || !/^\d+(?:\.\d+)?$/.test(value ?? "")) throw new Error(`not a sample: ${line}`);
      return [{ name, labels: labelsOf(labels ?? ""), value: Number(value) }];
    });
}

function labelsOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)];
  return Object.fromEntries(
    pairs.map(([, name = "", value = ""]) => [
      name,
      value.replaceAll(/\\(.)/g, (_, character: string) => (character === "n" ? "\n" : character)),
    ]),
  );
}

/** Returns the values of a gauge, by the id of the node. */
function byNode(samples: readonly Sample[], name: string): [id: number, value: number][] {
  return samples
    .filter((sample) => sample.name === `mirrorfeed_node_${name}`)
    .map(({ labels, value }) => [Number(labels["id"]), value]);
}

test("the document has the run, the feed and each node", () => {
  const config = validateConfig(
    JSON.stringify({
      systems: [
        {
          system: "s",
          projects: [
            {
              project: "p",
              targets: [
                {
                  target: "t",
                  primary: 1,
                  network: [
                    { id: 1, url: "https://m1.example.org:8443/a/b", name: 'The "first" \\ \u2665' },
                    { id: 2, url: "https://m2.example.org/a/b" },
                  ],
                },
              ],
            },
          ],
        },
      ],
      maintenance: [
        { scope: 2, from: "2026-03-10T14:00:00Z", to: "2026-03-10T15:00:00Z", reason: "new disks" },
      ],
    }),
    "mirrors.json",
  );
  const content = { revision: one, branch: "main", tls_expires_at: "2026-09-01T00:00:00Z" };
  const { feed } = play(config, [
    { at: noon, vantages: except({ 1: content, 2: content }) },
    {
      at: noon + hour,
      vantages: except({ 1: { ...content, revision: "2".repeat(40), latency_ms: 1500 }, 2: "timeout" }),
    },
    {
      at: noon + 2 * hour + 500,
      vantages: except({ 1: { ...content, revision: "2".repeat(40), latency_ms: 7 }, 2: "timeout" }),
    },
  ]);
  const [node1, node2] = ['id="1"', 'id="2"'];
  expect(metricsOf(feed)).toBe(
    [
      "# HELP mirrorfeed_run_timestamp_seconds When the last run ended.",
      "# TYPE mirrorfeed_run_timestamp_seconds gauge",
      "mirrorfeed_run_timestamp_seconds 1773151200.5",
      "# HELP mirrorfeed_feed_expires_timestamp_seconds When the feed expires: from then on its statuses are too old to be trusted.",
      "# TYPE mirrorfeed_feed_expires_timestamp_seconds gauge",
      "mirrorfeed_feed_expires_timestamp_seconds 1773156600.5",
      "# HELP mirrorfeed_prober_online Whether the prober was online (1) or not (0). If it was not, there are no statuses.",
      "# TYPE mirrorfeed_prober_online gauge",
      "mirrorfeed_prober_online 1",
      "# HELP mirrorfeed_vantage_online Whether a vantage was online in the last run (1) or not (0).",
      "# TYPE mirrorfeed_vantage_online gauge",
      'mirrorfeed_vantage_online{vantage="default"} 1',
      "# HELP mirrorfeed_nodes The number of nodes with a status.",
      "# TYPE mirrorfeed_nodes gauge",
      'mirrorfeed_nodes{status="online"} 1',
      'mirrorfeed_nodes{status="offline"} 1',
      "# HELP mirrorfeed_node_info What the id of a node stands for; always 1. Join it to the other gauges by id.",
      "# TYPE mirrorfeed_node_info gauge",
      String.raw`mirrorfeed_node_info{${node1},system="s",project="p",target="t",host="m1.example.org:8443",name="The \"first\" \\ ♥",url="https://m1.example.org:8443/a/b"} 1`,
      `mirrorfeed_node_info{${node2},system="s",project="p",target="t",host="m2.example.org",name="m2.example.org/a/b",url="https://m2.example.org/a/b"} 1`,
      "# HELP mirrorfeed_node_up Whether a node is online (1) or offline (0).",
      "# TYPE mirrorfeed_node_up gauge",
      `mirrorfeed_node_up{${node1}} 1`,
      `mirrorfeed_node_up{${node2}} 0`,
      "# HELP mirrorfeed_node_since_timestamp_seconds When the status of a node last changed.",
      "# TYPE mirrorfeed_node_since_timestamp_seconds gauge",
      `mirrorfeed_node_since_timestamp_seconds{${node1}} 1773144000`,
      `mirrorfeed_node_since_timestamp_seconds{${node2}} 1773147600`,
      "# HELP mirrorfeed_node_latency_seconds How long a reachable node took to answer in the last run.",
      "# TYPE mirrorfeed_node_latency_seconds gauge",
      `mirrorfeed_node_latency_seconds{${node1}} 0.007`,
      "# HELP mirrorfeed_node_freshness The freshness of a node; always 1.",
      "# TYPE mirrorfeed_node_freshness gauge",
      `mirrorfeed_node_freshness{${node1},freshness="in_sync"} 1`,
      `mirrorfeed_node_freshness{${node2},freshness="behind"} 1`,
      "# HELP mirrorfeed_node_behind_since_timestamp_seconds When the reference moved on from the content of a node.",
      "# TYPE mirrorfeed_node_behind_since_timestamp_seconds gauge",
      `mirrorfeed_node_behind_since_timestamp_seconds{${node2}} 1773147600`,
      "# HELP mirrorfeed_node_tls_expires_timestamp_seconds When the certificate of a node expires.",
      "# TYPE mirrorfeed_node_tls_expires_timestamp_seconds gauge",
      `mirrorfeed_node_tls_expires_timestamp_seconds{${node1}} 1788220800`,
      `mirrorfeed_node_tls_expires_timestamp_seconds{${node2}} 1788220800`,
      "# HELP mirrorfeed_node_maintenance 1 for each node in maintenance, whose status stays unchanged.",
      "# TYPE mirrorfeed_node_maintenance gauge",
      `mirrorfeed_node_maintenance{${node2}} 1`,
      "",
    ].join("\n"),
  );
});

test("no node has a status if the prober was offline", () => {
  const config = configOf();
  const samples = samplesOf(metricsOf(play(config, [{ at: noon, vantages: { eu: () => "dns" } }]).feed));
  expect([...new Set(samples.map(({ name }) => name))]).toEqual([
    "mirrorfeed_run_timestamp_seconds",
    "mirrorfeed_feed_expires_timestamp_seconds",
    "mirrorfeed_prober_online",
    "mirrorfeed_vantage_online",
    "mirrorfeed_node_info",
    "mirrorfeed_node_freshness",
  ]);
  expect(samples.filter(({ name }) => /_online$/.test(name)).map(({ value }) => value)).toEqual([0, 0]);
});

test("a latency is that of the last run, and absent without a good response", () => {
  const config = configOf();
  const first = play(config, [{ at: noon, vantages: except({ 1: { latency_ms: 20 } }) }]);
  const seen: Record<number, Seen> = { 2: "timeout", 3: undefined, 4: { latency_ms: 0 } };
  const { feed } = step(config, first, { at: noon + hour, vantages: except(seen) });
  const latencies = byNode(samplesOf(metricsOf(feed)), "latency_seconds");
  expect(latencies.map(([id]) => id)).toEqual([1, 4, 5, 6, 7, 8, 9]);
  expect(latencies[0]).toEqual([1, (50 + ((noon + hour) % 7)) / 1000]);
  expect(latencies[1]).toEqual([4, 0]);
});

test("a latency is absent if a good response was not measured", () => {
  const { feed } = play(configOf(), [{ at: noon }]);
  const unmeasured = (node: FeedNode): FeedNode =>
    node.id === 2 ? { ...node, observed: { ...node.observed, latency_ms: undefined } } : node;
  const systems = feed.systems.map(({ system, projects }) => ({
    system,
    projects: projects.map((project) => ({
      ...project,
      targets: project.targets.map((target) => ({ ...target, nodes: target.nodes.map(unmeasured) })),
    })),
  }));
  const samples = samplesOf(metricsOf({ ...feed, systems }));
  expect(byNode(samples, "latency_seconds").map(([id]) => id)).toEqual([1, 3, 4, 5, 6, 7, 8, 9]);
});

test("for any feed, the text keeps the format, has each series once and agrees with the report", () => {
  fc.assert(
    fc.property(roundsArbitrary, ({ config, rounds }) => {
      const { feed } = play(config, rounds);
      const samples = samplesOf(metricsOf(feed));
      const series = samples.map(({ name, labels }) => JSON.stringify([name, labels]));
      expect(new Set(series).size).toBe(series.length);
      const isOnline = feed.run.prober.state === "online";
      const expected = nodesOf(targetsOf(feed.systems)).map(({ id, status }) => [id, status]);
      expect(byNode(samples, "up")).toEqual(isOnline ? expected : []);
      const infos = samples.filter(({ name }) => name === "mirrorfeed_node_info");
      expect(infos.map(({ labels }) => labels)).toEqual(
        listNodes(config).map(({ id, name, url, host, system, project, target }) => {
          return { system, project, target, id: String(id), host, name, url };
        }),
      );
    }),
    { numRuns: trials(15) },
  );
});

const promtool = findProgram("promtool");

describeWith("promtool", promtool !== undefined, "promtool check metrics", () => {
  /** Returns the exit code and the output of promtool. */
  function check(text: string): { status: number | null; output: string } {
    const { status, stdout, stderr } = spawnSync(promtool ?? "", ["check", "metrics"], {
      input: text,
      encoding: "utf8",
    });
    return { status, output: stdout + stderr };
  }

  test("accepts all of them, and finds an error", () => {
    fc.assert(
      fc.property(roundsArbitrary, ({ config, rounds }) => {
        expect(check(metricsOf(play(config, rounds).feed))).toEqual({ status: 0, output: "" });
      }),
      { numRuns: trials(5) },
    );
    const text = metricsOf(play(configOf(), [{ at: noon }]).feed);
    expect(check(text)).toEqual({ status: 0, output: "" });
    expect(check(text.replaceAll("_seconds", "_milliseconds")).output).toMatch(/use base unit "seconds"/);
    expect(check(text.slice(0, -4)).status).toBe(1);
  });
});

describe("what changes", () => {
  test("in a run without a transition are the timestamps of the run, and latencies", () => {
    const config = configOf();
    const before = play(config, [{ at: noon }]);
    const after = step(config, before, { at: noon + hour + 1 });
    const lines = metricsOf(before.feed).split("\n");
    const changed = metricsOf(after.feed)
      .split("\n")
      .filter((line) => !lines.includes(line))
      .map((line) => line.replace(/[{ ].*/, ""));
    expect([...new Set(changed)]).toEqual([
      "mirrorfeed_run_timestamp_seconds",
      "mirrorfeed_feed_expires_timestamp_seconds",
      "mirrorfeed_node_latency_seconds",
    ]);
  });
});
