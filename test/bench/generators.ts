import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import process from "node:process";
import { fingerprint, listNodes } from "../../src/config/nodes.ts";
import type { Config } from "../../src/config/schema.ts";
import { formatResults } from "../../src/probe/results.ts";
import { feedOfSize, roundOf } from "./feed.ts";
import { installed } from "./installed.ts";
import { type Command, measure, pairs, type Usage } from "./pairs.ts";
import { scratchFolder } from "./scratch.ts";
import { comparisonRow, measurementRow, megabytes, missingRow, type Row, seconds } from "./table.ts";

/**
 * Compares mirrorfeed with site generators that write as many files, each one list of four mirrors as JSON: the contract
 * alone, and `mirrorfeed build`, which decides and writes the whole site. Every run begins without a site.
 */
export async function generatorRows(targets: number): Promise<Row[]> {
  const folder = await scratchFolder();
  try {
    const config = feedOfSize(targets, 4);
    const mirrors = join(folder, "mirrors.json");
    await writeFile(mirrors, JSON.stringify({ systems: config.systems }));
    return [
      ...(await besideGenerators(`the contract of ${targets} targets`, contractOf(folder, mirrors), folder)),
      ...(await besideGenerators(
        `the whole site of ${targets} targets`,
        await siteOf(folder, mirrors, config),
        folder,
      )),
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Measures the memory of `mirrorfeed build`, for a feed without a state. */
export async function buildMemoryRows(targets: number): Promise<Row[]> {
  const folder = await scratchFolder();
  try {
    const config = feedOfSize(targets, 4);
    const mirrors = join(folder, "mirrors.json");
    await writeFile(mirrors, JSON.stringify({ systems: config.systems }));
    const { command, out } = await siteOf(folder, mirrors, config);
    const values: number[] = [];
    while (values.length < 3) {
      await rm(out, { recursive: true, force: true });
      const state = join(folder, "state.json");
      await rm(state, { force: true });
      const args = [...command.args, "--state", state];
      values.push((await measure({ ...command, args })).rssMb);
    }
    const goal = targets >= 10_000 ? 400 : undefined;
    const what = `peak memory of build at ${targets} targets of 4 nodes`;
    return [measurementRow({ what, ...(goal === undefined ? {} : { goal }), values, show: megabytes })];
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function besideGenerators(title: string, own: Generator, folder: string): Promise<Row[]> {
  const { files } = await generate(own);
  const rows: Row[] = [];
  for (const [name, prepare] of Object.entries({ hugo: prepareHugo, eleventy: prepareEleventy })) {
    const what = `${title}: ${files} files`;
    const program = installed(name);
    if (program === undefined) {
      rows.push(missingRow(what, name));
      continue;
    }
    const place = join(folder, name);
    const theirs = await prepare(place, program, files);
    const measured = await pairs(
      5,
      () => generate(own),
      () => generate(theirs),
    );
    await rm(place, { recursive: true });
    const written = measured.map(([, peer]) => peer.files);
    if (written.some((count) => count < files)) throw new Error(`${name} wrote only ${written.join(", ")}.`);
    for (const [unit, key] of [
      ["wall", "wallMs"],
      ["CPU", "cpuMs"],
    ] as const) {
      const values = measured.map(([own, peer]) => [own[key], peer[key]] as const);
      rows.push(comparisonRow({ what: `${what}, ${unit}`, peer: name, values, show: seconds }));
    }
  }
  return rows;
}

interface Generator {
  readonly command: Command;
  readonly out: string;
}

async function generate({ command, out }: Generator): Promise<Usage & { readonly files: number }> {
  await rm(out, { recursive: true, force: true });
  const usage = await measure(command);
  const entries = await readdir(out, { recursive: true, withFileTypes: true });
  return { ...usage, files: entries.filter((entry) => entry.isFile()).length };
}

function contractOf(folder: string, mirrors: string): Generator {
  const out = join(folder, "contract");
  const script = join(import.meta.dirname, "contract-process.mjs");
  return { command: { program: process.execPath, args: [script, mirrors, out] }, out };
}

async function siteOf(folder: string, mirrors: string, config: Config): Promise<Generator> {
  const { run, at, vantages } = roundOf(config);
  const results = join(folder, "results.json");
  const out = join(folder, "site");
  const timestamp = new Date(at).toISOString();
  await writeFile(
    results,
    formatResults({
      schema: 1,
      run,
      vantage: "default",
      shard: { index: 1, count: 1 },
      config: fingerprint(listNodes(config)),
      prober: "mirrorfeed",
      started_at: timestamp,
      finished_at: timestamp,
      controls: [],
      observations: [...(vantages[0]?.observations.values() ?? [])],
    }),
  );
  const args = ["build", "--config", mirrors, "--results", results, "--out", out];
  return { command: { program: process.execPath, args: [resolve("dist/cli.js"), ...args] }, out };
}

/** One list of mirrors, as a page of a site generator. */
function pageOf(index: number): object {
  const network = [1, 2, 3, 4].map((number) => ({
    id: index * 4 + number,
    name: `m${number}.example.org/group/t${index}`,
    url: `https://m${number}.example.org/group/t${index}`,
    status: 1,
  }));
  return { title: `t${index}`, network };
}

/** https://gohugo.io/templates/output-formats/: every page is JSON, and nothing but the pages is made. */
async function prepareHugo(folder: string, program: string, files: number): Promise<Generator> {
  const kinds = ["home", "section", "taxonomy", "term", "RSS", "sitemap", "404"];
  const out = join(folder, "public");
  await mkdir(join(folder, "content"), { recursive: true });
  await mkdir(join(folder, "layouts/_default"), { recursive: true });
  const settings = { disableKinds: kinds, outputs: { page: ["json"] } };
  await writeFile(join(folder, "config.json"), JSON.stringify(settings));
  await writeFile(
    join(folder, "layouts/_default/single.json"),
    '{{ dict "network" .Params.network | jsonify }}\n',
  );
  for (let index = 0; index < files; index += 1)
    await writeFile(join(folder, `content/t${index}.md`), `${JSON.stringify(pageOf(index), null, 2)}\n`);
  return { command: { program, args: ["--quiet", "--source", folder] }, out };
}

/** https://www.11ty.dev/docs/pages-from-data/: one template makes a page of each entry. */
async function prepareEleventy(folder: string, program: string, files: number): Promise<Generator> {
  const out = join(folder, "out");
  await mkdir(join(folder, "in/_data"), { recursive: true });
  const pages = Array.from({ length: files }, (_, index) => pageOf(index));
  await writeFile(join(folder, "in/_data/pages.json"), JSON.stringify(pages));
  await writeFile(
    join(folder, "in/page.11ty.cjs"),
    `module.exports = class {
  data() {
    return {
      pagination: { data: "pages", size: 1, alias: "one", addAllPagesToCollections: false },
      permalink: ({ one }) => one.title + "/index.json",
    };
  }
  render({ one }) {
    return JSON.stringify({ network: one.network });
  }
};
`,
  );
  const args = ["--quiet", `--input=${join(folder, "in")}`, `--output=${out}`];
  return { command: { program, args }, out };
}
