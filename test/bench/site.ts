import { cp, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fingerprint, listNodes } from "../../src/core/config/nodes.ts";
import type { Config } from "../../src/core/config/config-schema.ts";
import { validateConfig } from "../../src/core/config/validate.ts";
import { renderNetwork, type Status } from "../../src/core/contract/network.ts";
import type { Feed } from "../../src/core/feed/feed.ts";
import { formatResults } from "../../src/core/probe/results.ts";
import { writeSite } from "../../src/core/site/write.ts";
import { addCounts, type Count, nothing, type PackedCounts } from "../../src/core/state/counts.ts";
import type { Round } from "../../src/core/state/round.ts";
import { feedWith } from "../support/feed-with.ts";
import { type Command, installed, measure, mirrorfeed, pairs, type Usage, withFolder } from "./measure.ts";
import { comparison, type Row } from "./table.ts";
import { dayMs, hourMs } from "../../src/core/base/text/time.ts";
import { formatState } from "../support/stored.ts";
import { advanceState, resolveRound } from "../../src/app/advance-feed.ts";

const runsADay = 48;
/** How many different histories there are. Several nodes have the same history. */
const histories = 500;

/**
 * Compares building a site of this many targets, each of 4 nodes, with Hugo and Eleventy writing as many files. Also measures
 * a site ten times as large, but not with Hugo and Eleventy.
 */
export async function siteRows(targets: number): Promise<Row[]> {
  return [
    ...(await withFolder((folder) => besideGenerators(targets, folder))),
    ...(await withFolder((folder) => buildRows(targets * 10, folder))),
    await withFolder((folder) => changedRow(targets * 10, folder)),
  ];
}

/** Returns a feed of targets with 4 nodes each and 90 days of counts. Each host has one node of every target. */
export function siteFeed(targets: number): {
  config: Config;
  feed: Feed;
  after: ReturnType<typeof advanceState>;
} {
  const config = configOf(targets);
  const nodes = listNodes(config);
  const round = roundOf(config, 90);
  const after = advanceState(config, nodes, round, undefined);
  const today = Math.floor(round.at / dayMs);
  const days = Array.from({ length: histories }, (_, seed) =>
    packed(today, 91, (back) => countsOfDay(seed, back)),
  );
  const hours = packed(Math.floor(round.at / hourMs), 48, () => ({ ok: runsADay / 24 }));
  for (const { nodes: tallies } of Object.values(after.state?.vantages ?? {}))
    Object.values(tallies).forEach((tally, index) => {
      tally.from = round.at - 91 * dayMs;
      tally.hours = hours;
      tally.days = days[index % histories] ?? "";
    });
  return { config, feed: resolveRound(config, nodes, round, after), after };
}

function configOf(targets: number): Config {
  const list = Array.from({ length: targets }, (_, target) => ({
    target: `t${target}`,
    network: [0, 1, 2, 3].map((node) => ({
      id: target * 4 + node + 1,
      url: `https://m${node}.example.org/group/t${target}`,
    })),
  }));
  const systems = [{ system: "bench", projects: [{ project: "mirrors", targets: list }] }];
  return validateConfig(JSON.stringify({ systems }), "the benchmark");
}

/** Returns a round at noon, `day` days after 2026-01-01, in which every node was online. */
function roundOf(config: Config, day: number): Round {
  const at = Date.UTC(2026, 0, 1 + day, 12);
  const seen = { code: "ok" as const, attempts: 1, checked_at: new Date(at).toISOString() };
  const revision = "a".repeat(40);
  const observations = new Map(
    listNodes(config).map(({ id }) => [id, { id, ...seen, latency_ms: 40 + (id % 90), revision }]),
  );
  const vantages = [{ name: "default", controls: [], observations, missingShards: [] }];
  return { run: `r${day}`, at, vantages };
}

/** Packs the counts of as many hours or days up to and including the last one. */
function packed(last: number, length: number, countsOf: (back: number) => Partial<Count>): PackedCounts {
  let all: PackedCounts = "";
  for (let back = length - 1; back >= 0; back -= 1)
    all = addCounts(all, new Map([[last - back, { ...nothing, ...countsOf(back) }]]), length);
  return all;
}

/** Returns the counts of a day. Some runs fail on one day in fifty, and latencies vary. */
function countsOfDay(seed: number, back: number): Partial<Count> {
  const chance = ((seed * 7919 + back * 104_729) % 1000) / 1000;
  const failed = chance < 0.02 ? Math.floor(chance * 2400) : 0;
  const latencyMin = 40 + (seed % 200) + Math.floor(chance * 20);
  const ok = runsADay - failed;
  const latencyMax = latencyMin + 30 + Math.floor(chance * 40);
  return { ok, failed, latencySum: ok * (latencyMin + 15), latencyMin, latencyMax };
}

interface Generator {
  readonly command: Command;
  readonly out: string;
}

/** Prepares `mirrorfeed build`, which evaluates a round and writes the whole site. */
export async function prepareBuild(config: Config, day: number, folder: string): Promise<Generator> {
  const { run, at, vantages } = roundOf(config, day);
  const timestamp = new Date(at).toISOString();
  const mirrors = join(folder, "mirrors.json");
  const results = join(folder, "results.json");
  const out = join(folder, "site");
  await writeFile(mirrors, JSON.stringify({ systems: config.systems }));
  await writeFile(
    results,
    formatResults({
      ...{ schema: 1, run, vantage: "default", shard: { index: 1, count: 1 } },
      config: fingerprint(listNodes(config)),
      ...{ prober: "mirrorfeed", started_at: timestamp, finished_at: timestamp, controls: [] },
      observations: [...(vantages[0]?.observations.values() ?? [])],
    }),
  );
  const options = ["--config", mirrors, "--results", results, "--out", out];
  return { command: mirrorfeed("build", ...options, "--state", join(folder, "state.json")), out };
}

async function generate({ command, out }: Generator): Promise<Usage & { readonly files: number }> {
  await rm(out, { recursive: true, force: true });
  return { ...(await measure(command)), files: (await filesBelow(out)).length };
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Compares a full build with Hugo and Eleventy, which write as many files. Each of their files is a list of four mirrors. */
async function besideGenerators(targets: number, folder: string): Promise<Row[]> {
  const own = await prepareBuild(configOf(targets), 0, folder);
  const build = async () => {
    await rm(join(folder, "state.json"), { force: true });
    return generate(own);
  };
  const { files } = await build();
  const what = `the whole site of ${targets} targets: ${files} files`;
  const peers = [
    ["hugo", prepareHugo, 1.2],
    ["eleventy", prepareEleventy, 1],
  ] as const;
  const rows: Row[] = [];
  for (const [peer, prepare, goal] of peers) {
    const program = installed(peer);
    if (program === undefined) {
      rows.push({ what, unit: "seconds", own: [], peer });
      continue;
    }
    const theirs = await prepare(join(folder, peer), program, files);
    const measured = await pairs(5, build, () => generate(theirs));
    const written = measured.map(([, usage]) => usage.files);
    if (written.some((count) => count < files)) throw new Error(`${peer} wrote only ${written.join(", ")}.`);
    rows.push(comparison(`${what}, wall`, "wallMs", peer, measured, goal));
    rows.push(comparison(`${what}, CPU`, "cpuMs", peer, measured, goal));
  }
  return rows;
}

async function buildRows(targets: number, folder: string): Promise<Row[]> {
  const { config, after } = siteFeed(targets);
  if (after.state === undefined) throw new Error("A good round leaves a state.");
  const { command, out } = await prepareBuild(config, 91, folder);
  await writeFile(join(folder, "state.json"), formatState(after.state));
  const { rssMb, wallMs } = await measure(command);
  const sizes = await Promise.all((await filesBelow(out)).map(async (file) => (await stat(file)).size));
  const title = `build at ${targets} targets of 4 nodes and 90 days`;
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return [
    { what: `peak memory of ${title}`, unit: "megabytes", own: [rssMb], goal: 800 },
    { what: `files of ${title}`, unit: "megabytes", own: [bytes / 1e6], goal: 260 },
    { what: `${title}, wall`, unit: "seconds", own: [wallMs], goal: 20_000 },
  ];
}

/**
 * Renders and writes the contract's files in this process, and compares the time with that of copying the same files with cp.
 */
async function changedRow(targets: number, folder: string): Promise<Row> {
  const config = configOf(targets);
  const online = new Map<number, Status>(listNodes(config).map(({ id }) => [id, 1]));
  const [out, copy] = [join(folder, "site"), join(folder, "copy")];
  writeSite(out, renderNetwork(feedWith(config, online)));
  let turn = 0;
  const measured = await pairs(
    5,
    () => {
      turn += 1;
      const statuses = new Map(online);
      for (let id = turn; id <= online.size; id += 400) statuses.set(id, 0);
      const started = performance.now();
      writeSite(out, renderNetwork(feedWith(config, statuses)));
      return Promise.resolve(performance.now() - started);
    },
    async () => {
      await rm(copy, { recursive: true, force: true });
      return (await measure({ program: "cp", args: ["-r", out, copy] })).wallMs;
    },
  );
  return {
    what: `render and write the contract, ${targets} targets, 1 % changed`,
    unit: "seconds",
    own: measured.map(([own]) => own),
    peer: "cp -r",
    theirs: measured.map(([, theirs]) => theirs),
    goal: 0.65,
  };
}

/** A list of mirrors, as one page of a site generator. */
function pageOf(index: number): object {
  const network = [1, 2, 3, 4].map((number) => {
    const name = `m${number}.example.org/group/t${index}`;
    return { id: index * 4 + number, name, url: `https://${name}`, status: 1 };
  });
  return { title: `t${index}`, network };
}

/** https://gohugo.io/templates/output-formats/: every page is JSON, and nothing but pages is generated. */
async function prepareHugo(folder: string, program: string, files: number): Promise<Generator> {
  const disableKinds = ["home", "section", "taxonomy", "term", "RSS", "sitemap", "404"];
  const layouts = join(folder, "layouts/_default");
  for (const made of [join(folder, "content"), layouts]) await mkdir(made, { recursive: true });
  await writeFile(join(folder, "config.json"), JSON.stringify({ disableKinds, outputs: { page: ["json"] } }));
  await writeFile(join(layouts, "single.json"), '{{ dict "network" .Params.network | jsonify }}\n');
  for (let index = 0; index < files; index += 1)
    await writeFile(join(folder, `content/t${index}.md`), `${JSON.stringify(pageOf(index), null, 2)}\n`);
  return { command: { program, args: ["--quiet", "--source", folder] }, out: join(folder, "public") };
}

/** https://www.11ty.dev/docs/pages-from-data/: one template creates a page for each entry. */
async function prepareEleventy(folder: string, program: string, files: number): Promise<Generator> {
  const [input, out] = [join(folder, "in"), join(folder, "out")];
  await mkdir(join(input, "_data"), { recursive: true });
  const pages = Array.from({ length: files }, (_, index) => pageOf(index));
  await writeFile(join(input, "_data/pages.json"), JSON.stringify(pages));
  await cp("test/bench/page.11ty.cjs", join(input, "page.11ty.cjs"));
  return { command: { program, args: ["--quiet", `--input=${input}`, `--output=${out}`] }, out };
}
