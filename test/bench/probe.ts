import { readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import process from "node:process";
import * as z from "zod";
import { freePort } from "../support/loopback.ts";
import { feedOf, type Mix, mirrorUrls, namedUrls } from "./mirrors.ts";
import { type Origins, startOrigins } from "./origins.ts";
import { measure, pairs, type Usage } from "./pairs.ts";
import { installed } from "./installed.ts";
import {
  probeByBareSockets,
  probeByBlackbox,
  probeByCheckHttp,
  probeByCurl,
  probeByLinkinator,
  type Probed,
} from "./peers.ts";
import { scratchFolder } from "./scratch.ts";
import { comparisonRow, measurementRow, megabytes, missingRow, type Row, seconds } from "./table.ts";

const results = z.object({ observations: z.array(z.object({ code: z.string() })) });

const parallel = 128;
/** The default of mirrors.json. */
const timeoutMs = 10_000;

/** Probes of `mirrorfeed probe`, a whole process, beside curl, on the same origins; their verdicts must agree. */
export async function probeRows(sizes: readonly number[]): Promise<Row[]> {
  const origins = await startOrigins();
  const folder = await scratchFolder();
  const rows: Row[] = [];
  try {
    for (const size of sizes) {
      if (size < 1000 || size > 10_000) continue;
      rows.push(...(await beside(size, origins, folder)), await silent(size, origins, folder));
      if (size === 1000) rows.push(await secondRun(size, origins, folder));
    }
    rows.push(
      await small(origins, folder),
      ...(await besideCheckers(origins, folder)),
      await growth(sizes, origins, folder),
    );
    rows.push(
      await oneHost(origins, folder),
      await secured({ hosts: 1000, goal: 1.6 }, origins, folder),
      await secured({ hosts: 16 }, origins, folder),
      await resolved(origins, folder),
    );
  } finally {
    await rm(folder, { recursive: true });
    await origins.close();
  }
  return rows;
}

async function beside(size: number, origins: Origins, folder: string): Promise<Row[]> {
  const urls = mirrorUrls(size, "mixed", origins);
  const measured = await pairs(
    size > 2000 ? 5 : 7,
    () => probe(urls, folder, { concurrency: parallel, attempts: 1, timeout: `${timeoutMs}ms` }),
    () => probeByCurl(urls, { parallel }, folder),
  );
  compareVerdicts(measured, "curl");
  const bare = await pairs(
    5,
    () => probeByBareSockets(urls, parallel, folder),
    () => probeByCurl(urls, { parallel }, folder),
  );
  const title = `probe ${size} mirrors at distinct hosts`;
  return [
    comparisonRow({
      what: `${title}, CPU`,
      peer: "curl --parallel",
      ...(size >= 10_000 ? { goal: 2.5 } : {}),
      values: measured.map(([own, theirs]) => [own.cpuMs, theirs.cpuMs]),
      show: seconds,
    }),
    comparisonRow({
      what: "the same by sockets of Node alone, which follow no redirects",
      peer: "curl --parallel",
      values: bare.map(([sockets, theirs]) => [sockets.cpuMs, theirs.cpuMs]),
      show: seconds,
    }),
    comparisonRow({
      what: `${title}, wall`,
      peer: "curl --parallel",
      values: measured.map(([own, theirs]) => [own.wallMs, theirs.wallMs]),
      show: seconds,
    }),
    measurementRow({
      what: `${title}, CPU of start-up and mirrors.json in it`,
      values: (await times(5, () => validate(folder))).map(({ cpuMs }) => cpuMs),
      show: seconds,
    }),
    measurementRow({
      what: `${title}, memory`,
      ...(size >= 10_000 ? { goal: 150 } : {}),
      values: measured.map(([own]) => own.rssMb),
      show: megabytes,
    }),
  ];
}

/** Checkers that others use, which take a process or a server of their own. */
async function besideCheckers(origins: Origins, folder: string): Promise<Row[]> {
  const urls = mirrorUrls(1000, "mixed", origins);
  const port = await freePort("0.0.0.0");
  const peers: [string, (program: string) => Promise<Probed>][] = [
    ["prometheus-blackbox-exporter", (program) => probeByBlackbox(program, urls, port, folder)],
    ["linkinator", (program) => probeByLinkinator(program, urls)],
    ["check_http", (program) => probeByCheckHttp(program, urls, folder)],
  ];
  const rows: Row[] = [];
  for (const [peer, probeByPeer] of peers) {
    const what = "probe 1000 mirrors at distinct hosts, CPU";
    const program = installed(peer);
    if (program === undefined) {
      rows.push(missingRow(what, peer));
      continue;
    }
    const measured = await pairs(
      5,
      () => probe(urls, folder, { concurrency: parallel, attempts: 1, timeout: `${timeoutMs}ms` }),
      () => probeByPeer(program),
    );
    compareVerdicts(measured, peer);
    const values = measured.map(([own, theirs]) => [own.cpuMs, theirs.cpuMs] as const);
    rows.push(comparisonRow({ what, peer, values, show: seconds }));
  }
  return rows;
}

/** What a mirror costs as feeds grow. */
async function growth(sizes: readonly number[], origins: Origins, folder: string): Promise<Row> {
  const parts: string[] = [];
  for (const size of sizes) {
    const { cpuMs, rssMb } = await probe(mirrorUrls(size, "mixed", origins), folder, { attempts: 1 });
    parts.push(`${size}: ${Math.round((cpuMs * 1000) / size)} µs, ${megabytes(rssMb)}`);
  }
  return {
    what: "probe, CPU a mirror and memory, as feeds grow",
    goal: "linear",
    own: parts.join("; "),
    peer: "",
    ratio: "",
    isMet: undefined,
  };
}

function compareVerdicts(measured: readonly (readonly [Probed, Probed])[], peer: string): void {
  for (const [own, theirs] of measured)
    if (own.reachable !== theirs.reachable)
      throw new Error(`mirrorfeed found ${own.reachable} mirrors reachable, ${peer} ${theirs.reachable}.`);
}

async function silent(size: number, origins: Origins, folder: string): Promise<Row> {
  const urls = mirrorUrls(size, "some-silent" satisfies Mix, origins);
  const probed = await times(3, () => probe(urls, folder, { timeout: `${timeoutMs}ms`, attempts: 1 }));
  return measurementRow({
    what: `probe ${size} mirrors, 5 % silent, wall in timeouts (T = ${timeoutMs / 1000} s)`,
    goal: size > 2000 ? 1.25 : 1.1,
    values: probed.map(({ wallMs }) => wallMs / timeoutMs),
    show: (value) => `${value.toFixed(2)} T`,
  });
}

/** A run that knows from the one before which mirrors are silent. */
async function secondRun(size: number, origins: Origins, folder: string): Promise<Row> {
  const config = join(folder, "mirrors.json");
  const timeout = 4000;
  const settings = { timeout: `${timeout}ms`, attempts: 1, concurrency: 24, perHost: 8 };
  await writeFile(config, feedOf(mirrorUrls(size, "some-silent" satisfies Mix, origins), settings));
  const places = ["--out", join(folder, "site"), "--state", join(folder, "state.json")];
  const run = (): Promise<Usage> =>
    measure({
      program: process.execPath,
      args: [resolve("dist/cli.js"), "run", "--json", "--config", config, ...places],
    });
  await run();
  const runs = await times(3, run);
  return measurementRow({
    what: `run of ${size} mirrors, 5 % silent as in the run before, wall in timeouts (T = ${timeout / 1000} s)`,
    goal: 1.25,
    values: runs.map(({ wallMs }) => wallMs / timeout),
    show: (value) => `${value.toFixed(2)} T`,
  });
}

async function small(origins: Origins, folder: string): Promise<Row> {
  const urls = mirrorUrls(44, "all-good", origins);
  const probed = await times(7, () => probe(urls, folder, { attempts: 1 }));
  return measurementRow({
    what: "probe 44 mirrors at distinct hosts, CPU",
    values: probed.map(({ cpuMs }) => cpuMs),
    show: seconds,
  });
}

async function oneHost(origins: Origins, folder: string): Promise<Row> {
  const urls = Array.from({ length: 50 }, (_, index) => `http://127.0.0.1:${origins.silent}/a/${index}`);
  const probed = await times(3, () => probe(urls, folder, { timeout: `${timeoutMs}ms`, attempts: 1 }));
  return measurementRow({
    what: "probe 50 silent mirrors at one host, all of them asked, wall",
    goal: 2,
    values: probed.map(({ wallMs }) => wallMs / timeoutMs),
    show: (value) => `${value.toFixed(2)} T`,
  });
}

/** 1,000 mirrors, at this many hosts. Each mirror has a connection of its own, while curl uses them again. */
async function secured(
  { hosts, goal }: { readonly hosts: number; readonly goal?: number },
  origins: Origins,
  folder: string,
): Promise<Row> {
  const named = namedUrls(hosts, "https", origins);
  const urls = Array.from({ length: 1000 }, (_, index) => `${named[index % hosts] ?? ""}/${index}`);
  const names = ["--dns", origins.names];
  const environment = { NODE_EXTRA_CA_CERTS: origins.certificate };
  const resolveAll = named.map((url, index) => {
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
    what:
      hosts === 1000
        ? "probe 1,000 hosts with TLS, CPU"
        : `probe 1,000 mirrors at ${hosts} hosts with TLS, CPU`,
    peer: "curl --cacert with one certificate",
    ...(goal !== undefined && { goal }),
    values: measured.map(([own, theirs]) => [own.cpuMs, theirs.cpuMs]),
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

/** What the program does before it probes, on the feed that was probed last. */
function validate(folder: string): Promise<Usage> {
  return measure({
    program: process.execPath,
    args: [resolve("dist/cli.js"), "validate", "--config", join(folder, "mirrors.json")],
  });
}

async function times<Value>(count: number, act: () => Promise<Value>): Promise<Value[]> {
  const values: Value[] = [];
  while (values.length < count) values.push(await act());
  return values;
}
