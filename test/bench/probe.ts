import { readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import process from "node:process";
import { z } from "zod";
import { feedOf, type Mix, mirrorUrls, namedUrls } from "./mirrors.ts";
import { type Origins, startOrigins } from "./origins.ts";
import { measure, pairs } from "./pairs.ts";
import { probeByCurl, type Probed } from "./peers.ts";
import { scratchFolder } from "./scratch.ts";
import { comparisonRow, measurementRow, megabytes, type Row, seconds } from "./table.ts";

const results = z.object({ observations: z.array(z.object({ code: z.string() })) });

const parallel = 128;
const timeoutMs = 4000;

/** Probes of `mirrorfeed probe`, a whole process, beside curl, on the same origins; their verdicts must agree. */
export async function probeRows(sizes: readonly number[]): Promise<Row[]> {
  const origins = await startOrigins();
  const folder = await scratchFolder();
  const row: Row[] = [];
  try {
    for (const size of sizes) {
      row.push(...(await beside(size, origins, folder)));
      row.push(await silent(size, origins, folder));
    }
    row.push(await oneHost(origins, folder), await secured(origins, folder), await resolved(origins, folder));
  } finally {
    await rm(folder, { recursive: true });
    await origins.close();
  }
  return row;
}

async function beside(size: number, origins: Origins, folder: string): Promise<Row[]> {
  const urls = mirrorUrls(size, "mixed", origins);
  const measured = await pairs(
    size > 2000 ? 5 : 7,
    () => probe(urls, folder, { concurrency: parallel, attempts: 1, timeoutMs: 10_000 }),
    () => probeByCurl(urls, { parallel }, folder),
  );
  for (const [ours, theirs] of measured)
    if (ours.reachable !== theirs.reachable)
      throw new Error(`Of ${size} mirrors ours found ${ours.reachable} reachable, curl ${theirs.reachable}.`);
  const title = `probe ${size} mirrors at distinct hosts`;
  return [
    comparisonRow({
      what: `${title}, CPU`,
      peer: "curl --parallel",
      ...(size >= 10_000 ? { goal: 2.5 } : {}),
      values: measured.map(([ours, theirs]) => [ours.cpuMs, theirs.cpuMs]),
      show: seconds,
    }),
    comparisonRow({
      what: `${title}, wall`,
      peer: "curl --parallel",
      values: measured.map(([ours, theirs]) => [ours.wallMs, theirs.wallMs]),
      show: seconds,
    }),
    measurementRow({
      what: `${title}, memory`,
      ...(size >= 10_000 ? { goal: 150 } : {}),
      values: measured.map(([ours]) => ours.rssMb),
      show: megabytes,
    }),
  ];
}

async function silent(size: number, origins: Origins, folder: string): Promise<Row> {
  const urls = mirrorUrls(size, "some-silent" satisfies Mix, origins);
  const probed = await times(3, () => probe(urls, folder, { timeoutMs, attempts: 1 }));
  return measurementRow({
    what: `probe ${size} mirrors, 5 % silent, wall in timeouts (T = ${timeoutMs / 1000} s)`,
    goal: size > 2000 ? 1.25 : 1.1,
    values: probed.map(({ wallMs }) => wallMs / timeoutMs),
    show: (value) => `${value.toFixed(2)} T`,
  });
}

async function oneHost(origins: Origins, folder: string): Promise<Row> {
  const urls = Array.from({ length: 50 }, (_, index) => `http://127.0.0.1:${origins.silent}/a/${index}`);
  const probed = await times(3, () => probe(urls, folder, { timeoutMs, attempts: 1 }));
  return measurementRow({
    what: "probe 50 silent mirrors at one host, all of them asked, wall",
    goal: 2,
    values: probed.map(({ wallMs }) => wallMs / timeoutMs),
    show: (value) => `${value.toFixed(2)} T`,
  });
}

async function secured(origins: Origins, folder: string): Promise<Row> {
  const urls = namedUrls(1000, "https", origins);
  const names = ["--dns", origins.names];
  const environment = { NODE_EXTRA_CA_CERTS: origins.certificate };
  const resolveAll = urls.map((url, index) => {
    const { hostname, port } = new URL(url);
    return `resolve = "${hostname}:${port}:127.1.${index >> 8}.${index & 255}"\n`;
  });
  const file = join(folder, "resolve");
  await writeFile(file, resolveAll.join(""));
  const measured = await pairs(
    5,
    () => probe(urls, folder, { attempts: 1 }, names, environment),
    () => probeByCurl(urls, { parallel, args: ["--cacert", origins.certificate, "-K", file] }, folder),
  );
  return comparisonRow({
    what: "probe 1,000 hosts with TLS, CPU",
    peer: "curl --cacert with one certificate",
    goal: 1.2,
    values: measured.map(([ours, theirs]) => [ours.cpuMs, theirs.cpuMs]),
    show: seconds,
  });
}

async function resolved(origins: Origins, folder: string): Promise<Row> {
  const urls = namedUrls(1000, "http", origins);
  const slow = await times(3, () => probe(urls, folder, { attempts: 1 }, ["--dns", origins.slowNames]));
  const quick = await times(3, () => probe(urls, folder, { attempts: 1 }, ["--dns", origins.names]));
  return measurementRow({
    what: "1,000 names at 20 ms each, wall beyond that of the same run with instant names",
    goal: 1000,
    values: slow.map(({ wallMs }, index) => Math.max(0, wallMs - (quick[index]?.wallMs ?? 0))),
    show: seconds,
  });
}

async function probe(
  urls: readonly string[],
  folder: string,
  settings: object,
  more: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<Probed> {
  const config = join(folder, "mirrors.json");
  const file = join(folder, "results.json");
  await writeFile(config, feedOf(urls, settings));
  const usage = await measure({
    program: process.execPath,
    args: [resolve("dist/cli.js"), "probe", "--config", config, "--results", file, ...more],
    environment,
  });
  const { observations } = results.parse(JSON.parse(await readFile(file, "utf8")));
  return { ...usage, reachable: observations.filter(({ code }) => code === "ok").length };
}

async function times<Value>(count: number, act: () => Promise<Value>): Promise<Value[]> {
  const values: Value[] = [];
  while (values.length < count) values.push(await act());
  return values;
}
