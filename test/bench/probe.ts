import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { freePort } from "../support/loopback.ts";
import { installed, measure, mirrorfeed, pairs, times, type Usage, withFolder } from "./measure.ts";
import { mirrorUrls, type Origins, startOrigins, untilOpen } from "./origins.ts";
import { comparison, type Row } from "./table.ts";

/** A prober's complete run over some URLs: the resources it used, and how many URLs it found reachable. */
interface Probed extends Usage {
  readonly reachable: number;
}

const resultsSchema = z.object({ observations: z.array(z.object({ code: z.string() })) });

const parallel = 128;
/** The default in mirrors.json. */
const timeoutMs = 10_000;
const settings = { concurrency: parallel, attempts: 1, timeout: `${timeoutMs}ms` };

/** Compares `mirrorfeed probe` with peers on the same origins. All must find the same number of mirrors reachable. */
export function probeRows(sizes: readonly number[]): Promise<Row[]> {
  return withFolder(async (folder) => {
    const origins = await startOrigins(folder);
    try {
      const rows = [await runRow(origins, folder)];
      for (const size of sizes)
        rows.push(...(await besideCurl(size, origins, folder)), await silentRow(size, origins, folder));
      rows.push(...(await besideCheckers(origins, folder)), await tlsRow(origins, folder));
      return rows;
    } finally {
      await origins.close();
    }
  });
}

async function runRow(origins: Origins, folder: string): Promise<Row> {
  const config = await writeConfig(mirrorUrls(44, "good", origins), folder);
  const options = ["--config", config, "--out", join(folder, "site"), "--state", join(folder, "state.json")];
  const runs = await times(7, () => measure(mirrorfeed("run", ...options)));
  const own = runs.map(({ cpuMs }) => cpuMs);
  return { what: "run of 44 mirrors, CPU", unit: "seconds", own, goal: 400 };
}

async function besideCurl(size: number, origins: Origins, folder: string): Promise<Row[]> {
  const urls = mirrorUrls(size, "mixed", origins);
  const measured = await pairs(
    5,
    () => probe(urls, folder),
    () => probeByCurl(urls, folder),
  );
  compareVerdicts(measured, "curl");
  const title = `probe ${size} mirrors at distinct hosts`;
  const isLarge = size >= 10_000;
  const memory = measured.map(([{ rssMb }]) => rssMb);
  return [
    comparison(`${title}, CPU`, "cpuMs", "curl --parallel", measured, isLarge ? 4 : undefined),
    comparison(`${title}, wall`, "wallMs", "curl --parallel", measured),
    { what: `${title}, memory`, unit: "megabytes", own: memory, goal: isLarge ? 200 : undefined },
  ];
}

async function silentRow(size: number, origins: Origins, folder: string): Promise<Row> {
  const urls = mirrorUrls(size, "silent", origins);
  const probed = await times(3, () => probe(urls, folder));
  return {
    what: `probe ${size} mirrors, 5 % silent, wall in timeouts (T = ${timeoutMs / 1000} s)`,
    unit: "timeouts",
    own: probed.map(({ wallMs }) => wallMs / timeoutMs),
    goal: size >= 10_000 ? 1.3 : 1.1,
  };
}

type Peer = readonly [
  name: string,
  goal: number,
  run: (program: string, urls: readonly string[], folder: string) => Promise<Probed>,
];

/** Other checkers in common use. Each runs as a process or as a server. */
const checkers: readonly Peer[] = [
  ["prometheus-blackbox-exporter", 1.5, probeByBlackbox],
  ["linkinator", 1, probeByLinkinator],
  ["check_http", 1, probeByCheckHttp],
];

async function besideCheckers(origins: Origins, folder: string): Promise<Row[]> {
  const urls = mirrorUrls(1000, "mixed", origins);
  const what = "probe 1000 mirrors at distinct hosts, CPU";
  const rows: Row[] = [];
  for (const [peer, goal, run] of checkers) {
    const program = installed(peer);
    if (program === undefined) {
      rows.push({ what, unit: "seconds", own: [], peer });
      continue;
    }
    const measured = await pairs(
      5,
      () => probe(urls, folder),
      () => run(program, urls, folder),
    );
    compareVerdicts(measured, peer);
    rows.push(comparison(what, "cpuMs", peer, measured, goal));
  }
  return rows;
}

function compareVerdicts(measured: readonly (readonly [Probed, Probed])[], peer: string): void {
  for (const [own, theirs] of measured)
    if (own.reachable !== theirs.reachable)
      throw new Error(`mirrorfeed found ${own.reachable} mirrors reachable, ${peer} ${theirs.reachable}.`);
}

/** Probes 1,000 hosts with TLS. Each has its own name, and all have the same wildcard certificate. */
async function tlsRow({ tls, names, certificate }: Origins, folder: string): Promise<Row> {
  const hosts = Array.from({ length: 1000 }, (_, index) => `m${index}.mirror.test`);
  const urls = hosts.map((host) => `https://${host}:${tls}/good/joomla/packages`);
  const addresses = hosts.map((host, index) => {
    return `resolve = "${host}:${tls}:127.1.${index >> 8}.${index & 255}"\n`;
  });
  const file = join(folder, "resolve");
  await writeFile(file, addresses.join(""));
  const measured = await pairs(
    5,
    () => probe(urls, folder, ["--dns", names], { NODE_EXTRA_CA_CERTS: certificate }),
    () => probeByCurl(urls, folder, ["--cacert", certificate, "-K", file]),
  );
  const peer = "curl --cacert with one certificate";
  return comparison("probe 1,000 hosts with TLS, CPU", "cpuMs", peer, measured, 1.6);
}

/** Writes a mirrors.json with these mirrors, ten in each target. */
export async function writeConfig(urls: readonly string[], folder: string): Promise<string> {
  const targets = Array.from({ length: Math.ceil(urls.length / 10) }, (_, target) => ({
    target: `t${target}`,
    network: urls.slice(target * 10, target * 10 + 10).map((url, index) => ({
      id: target * 10 + index + 1,
      url,
    })),
  }));
  const systems = [{ system: "bench", projects: [{ project: "mirrors", targets }] }];
  const file = join(folder, "mirrors.json");
  await writeFile(file, JSON.stringify({ systems, probe: { allowPrivate: true, ...settings } }));
  return file;
}

async function probe(
  urls: readonly string[],
  folder: string,
  more: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<Probed> {
  const results = join(folder, "results.json");
  const options = ["--config", await writeConfig(urls, folder), "--results", results, ...more];
  const usage = await measure({ ...mirrorfeed("probe", ...options), environment });
  const { observations } = resultsSchema.parse(JSON.parse(await readFile(results, "utf8")));
  return { ...usage, reachable: observations.filter(({ code }) => code === "ok").length };
}

/**
 * Runs `curl --parallel`, which is fastest with a process for every 1,000 URLs. It follows redirects and reads whole
 * bodies.
 */
async function probeByCurl(
  urls: readonly string[],
  folder: string,
  more: readonly string[] = [],
): Promise<Probed> {
  const batches = Array.from({ length: Math.ceil(urls.length / 1000) }, (_, index) => ({
    file: join(folder, `batch-${index}`),
    urls: urls.slice(index * 1000, (index + 1) * 1000),
  }));
  const entry = (url: string): string => `url = "${discovery(url)}"\noutput = /dev/null\n`;
  for (const batch of batches) await writeFile(batch.file, batch.urls.map(entry).join(""));
  const options = ["--parallel", "--parallel-immediate", `--parallel-max ${parallel}`, "-s", "-L"];
  options.push("--no-progress-meter", "--max-time", "10", "-w", "%{http_code}\\n", ...more);
  const script = 'for file in "$@"; do curl $CURL_OPTIONS -K "$file"; done; true';
  const usage = await measure({
    program: "sh",
    args: ["-c", script, "sh", ...batches.map(({ file }) => file)],
    environment: { CURL_OPTIONS: options.join(" ") },
  });
  return withReachable(usage, /^200$/gm);
}

/** Runs linkinator, a link checker for web pages. It follows redirects. */
async function probeByLinkinator(program: string, urls: readonly string[]): Promise<Probed> {
  const options = ["--concurrency", "128", "--timeout", "10000", "--format", "csv"];
  const usage = await measure({ program, args: [...urls.map(discovery), ...options], exitCodes: [0, 1] });
  return withReachable(usage, /,200,OK,/g);
}

/** Runs check_http from the Nagios plugins for each URL, sixteen at a time. It follows redirects. */
async function probeByCheckHttp(program: string, urls: readonly string[], folder: string): Promise<Probed> {
  const file = join(folder, "check-http");
  const lines = urls.map((url) => {
    const { hostname, port, pathname, search } = new URL(discovery(url));
    return `${hostname} ${port} ${pathname}${search}\n`;
  });
  await writeFile(file, lines.join(""));
  const check = `${program} -t 10 -f follow -I $1 -p $2 -u $3`;
  const script = `xargs -P 16 -n 3 sh -c '${check}; true' sh < "$1"`;
  return withReachable(await measure({ program: "sh", args: ["-c", script, "sh", file] }), /^HTTP OK/gm);
}

/** Has prometheus-blackbox-exporter request every URL once, 128 at a time. Only the exporter is measured. */
async function probeByBlackbox(program: string, urls: readonly string[], folder: string): Promise<Probed> {
  const port = await freePort();
  const file = join(folder, "blackbox.yml");
  await writeFile(file, "modules: { http_2xx: { prober: http, timeout: 10s } }\n");
  const meanwhile = async (): Promise<string> => {
    await untilOpen(port);
    const waiting = [...urls];
    const answers: string[] = [];
    const askOn = async (): Promise<void> => {
      for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
        const query = new URLSearchParams({ module: "http_2xx", target: discovery(url) });
        answers.push(await (await fetch(`http://127.0.0.1:${port}/probe?${query.toString()}`)).text());
      }
    };
    await Promise.all(Array.from({ length: parallel }, askOn));
    return answers.join("");
  };
  const args = [`--config.file=${file}`, `--web.listen-address=127.0.0.1:${port}`];
  return withReachable(await measure({ program, args, meanwhile }), /^probe_success 1$/gm);
}

function withReachable(usage: Usage, reachable: RegExp): Probed {
  return { ...usage, reachable: usage.output.match(reachable)?.length ?? 0 };
}

/** Returns the URL where Git requests a mirror's refs. All probers here request only that. */
function discovery(url: string): string {
  return `${url}/info/refs?service=git-upload-pack`;
}
