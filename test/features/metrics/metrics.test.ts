import { textOf } from "../../support/text-of.ts";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { listNodes } from "../../../src/core/config/nodes.ts";
import { renderMetrics } from "../../../src/features/metrics/metrics.ts";
import { type Feed, nodesOf, targetsOf } from "../../../src/core/feed/feed.ts";
import { describeWith, findProgram } from "../../support/requirement.ts";
import { projectConfig, type Seen } from "../../support/rounds.ts";
import { configOf, except, hour, noon, play, roundsArbitrary, step } from "../../support/playing.ts";
import { loadDocument } from "../../support/document.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { trials } from "../../support/trials.ts";

const one = "1".repeat(40);

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

/** Fails if the text contains anything that the format's grammar doesn't allow. */
function samplesOf(text: string): Sample[] {
  const gauges = [...text.matchAll(/# HELP ([a-z_]+) \S[^\\\n]*\n# TYPE \1 gauge\n((?:\1[{ ].*\n)+)/g)];
  expect(gauges.map(([gauge]) => gauge).join("")).toBe(text);
  expect(new Set(gauges.map(([, name]) => name)).size).toBe(gauges.length);
  return gauges.flatMap(([, name = "", lines = ""]) =>
    lines.split(/\n(?!$)/).map((line) => {
      const sample = /^\w+(?:\{((?:[a-z_]+="(?:[^"\\]|\\[\\"n])*",?)+)\})? (\d+(?:\.\d+)?)$/.exec(
        line.trim(),
      );
      expect(sample, line).not.toBeNull();
      return { name, labels: labelsOf(sample?.[1] ?? ""), value: Number(sample?.[2]) };
    }),
  );
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

function byNode(samples: readonly Sample[], name: string): [id: number, value: number][] {
  return samples
    .filter((sample) => sample.name === `mirrorfeed_node_${name}`)
    .map(({ labels, value }) => [Number(labels["id"]), value]);
}

test("the document has the run, the feed and each node", () => {
  const nodes = [
    { id: 1, url: "https://m1.example.org:8443/a/b", name: 'The "first" \\ \u2665' },
    { id: 2, url: "https://m2.example.org/a/b" },
  ];
  const [from, to] = ["2026-03-10T14:00:00Z", "2026-03-10T15:00:00Z"];
  const maintenance = [{ scope: 2, from, to, reason: "new disks" }];
  const config = projectConfig([{ target: "t", primary: 1, network: nodes }], { maintenance });
  const content = { revision: one, branch: "main", tls_expires_at: "2026-09-01T00:00:00Z" };
  const moved = { ...content, revision: "2".repeat(40) };
  const played = play(config, [
    { at: noon, vantages: except({ 1: content, 2: content }) },
    { at: noon + hour, vantages: except({ 1: { ...moved, latency_ms: 1500 }, 2: "timeout" }) },
    { at: noon + 2 * hour + 500, vantages: except({ 1: { ...moved, latency_ms: 7 }, 2: "timeout" }) },
  ]);
  const samples = metricsOf(played.feed).replaceAll(/^#.*\n/gm, "");
  expect(samples.trimEnd().split("\n")).toEqual([
    "mirrorfeed_run_timestamp_seconds 1773151200.5",
    "mirrorfeed_feed_expires_timestamp_seconds 1773156600.5",
    "mirrorfeed_prober_online 1",
    'mirrorfeed_vantage_online{vantage="default"} 1',
    'mirrorfeed_nodes{state="offline"} 0',
    'mirrorfeed_nodes{state="wrong"} 0',
    'mirrorfeed_nodes{state="differs"} 0',
    'mirrorfeed_nodes{state="behind"} 0',
    'mirrorfeed_nodes{state="maintenance"} 1',
    'mirrorfeed_nodes{state="unknown"} 0',
    'mirrorfeed_nodes{state="online"} 1',
    String.raw`mirrorfeed_node_info{id="1",system="s",project="p",target="t",host="m1.example.org:8443",name="The \"first\" \\ ♥",url="https://m1.example.org:8443/a/b"} 1`,
    'mirrorfeed_node_info{id="2",system="s",project="p",target="t",host="m2.example.org",name="m2.example.org/a/b",url="https://m2.example.org/a/b"} 1',
    'mirrorfeed_node_state{id="1",state="online"} 1',
    'mirrorfeed_node_state{id="2",state="maintenance"} 1',
    'mirrorfeed_node_up{id="1"} 1',
    'mirrorfeed_node_up{id="2"} 0',
    'mirrorfeed_node_since_timestamp_seconds{id="1"} 1773144000',
    'mirrorfeed_node_since_timestamp_seconds{id="2"} 1773147600',
    'mirrorfeed_node_uptime_ratio{id="1"} 1',
    'mirrorfeed_node_uptime_ratio{id="2"} 0.5',
    'mirrorfeed_node_last_latency_seconds{id="1"} 0.007',
    'mirrorfeed_node_tls_expires_timestamp_seconds{id="1"} 1788220800',
    'mirrorfeed_node_tls_expires_timestamp_seconds{id="2"} 1788220800',
  ]);
  const { feed } = step(config, played, { at: noon + 24 * hour, vantages: except({ 2: "timeout" }) });
  expect(byNode(samplesOf(metricsOf(feed)), "mean_latency_seconds")).toEqual([[1, 0.52]]);
});

test("no node has a status if the prober was offline", () => {
  const config = configOf();
  const samples = samplesOf(metricsOf(play(config, [{ at: noon, vantages: { eu: () => "dns" } }]).feed));
  const names = new Set(samples.map(({ name }) => name.replace("mirrorfeed_", "")));
  expect([...names].join(" ")).toBe(
    "run_timestamp_seconds feed_expires_timestamp_seconds prober_online vantage_online nodes node_info node_state",
  );
  expect(samples.filter(({ name }) => /_online$/.test(name)).map(({ value }) => value)).toEqual([0, 0]);
});

test("the last latency is that of the last run, and absent without a measured good response", () => {
  const config = configOf();
  const first = play(config, [{ at: noon, vantages: except({ 1: { latency_ms: 20 } }) }]);
  const seen: Record<number, Seen> = { 2: "timeout", 3: undefined, 4: { latency_ms: 0 } };
  const { feed } = step(config, first, { at: noon + hour, vantages: except(seen) });
  const latencies = (shown: Feed) => byNode(samplesOf(metricsOf(shown)), "last_latency_seconds");
  expect(latencies(feed).map(([id]) => id)).toEqual([1, 4, 5, 6, 7, 8, 9]);
  expect(latencies(feed).slice(0, 2)).toEqual([
    [1, (50 + ((noon + hour) % 7)) / 1000],
    [4, 0],
  ]);
  const unseen = except({ 2: { latency_ms: undefined } });
  const unmeasured = step(config, first, { at: noon + hour, vantages: unseen });
  expect(latencies(unmeasured.feed).map(([id]) => id)).toEqual([1, 3, 4, 5, 6, 7, 8, 9]);
});

test("quotes, backslashes and line ends in a label are escaped", () => {
  const name = 'a"b"\\n\nc';
  const { feed } = play(configOf(), [{ at: noon }]);
  Object.assign(nodesOf(targetsOf(feed.systems))[1] ?? {}, { name });
  const text = metricsOf(feed);
  expect(text).toContain(String.raw`,name="a\"b\"\\n\nc",`);
  expect(samplesOf(text).find(({ labels }) => labels["name"] === name)?.labels["id"]).toBe("2");
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

describeWith("promtool", promtool !== undefined, "promtool", () => {
  function run(parameters: readonly string[], input = "") {
    const { status, stdout, stderr } = spawnSync(promtool ?? "", parameters, { input, encoding: "utf8" });
    return { status, output: stdout + stderr };
  }
  const check = (text: string) => run(["check", "metrics"], text);

  test("accepts all metrics, and finds an error", () => {
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

  test("reads the expressions of documents.md, which name real metrics", () => {
    const words = loadDocument(".github/docs/documents.md").text.replaceAll(/\s+/g, " ");
    const found = words.matchAll(/`([^`]* > mirrorfeed_\w+|mirrorfeed_\w+\{[^`]*)`/g);
    const expressions = [...found].map(([, one = ""]) => one);
    expect(expressions).toHaveLength(3);
    const rules = expressions.map((expr, index) => ({ record: `found_${index}`, expr }));
    const file = join(temporaryFolder(), "rules.yml");
    writeFileSync(file, JSON.stringify({ groups: [{ name: "documents", rules }] }));
    expect(run(["check", "rules", file])).toMatchObject({ status: 0 });
    const source = metricsOf(play(configOf(), [{ at: noon }]).feed);
    for (const [gauge] of expressions.join(" ").matchAll(/mirrorfeed_\w+/g))
      expect(source).toContain(`\n${gauge}`);
  });
});
