import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { untilOpen } from "./origins.ts";
import { measure, type Usage } from "./pairs.ts";

/** A whole run of a prober over some URLs: what it used, and how many it found reachable. */
export interface Probed extends Usage {
  readonly reachable: number;
}

const batchSize = 1000;

/** The parameters of curl before the URLs. */
export interface CurlOptions {
  readonly parallel: number;
  readonly args?: readonly string[];
}

/** Runs `curl --parallel`, fastest with a process for every 1,000 URLs. It follows redirects and reads everything. */
export async function probeByCurl(
  urls: readonly string[],
  { parallel, args = [] }: CurlOptions,
  folder: string,
): Promise<Probed> {
  const batches = Array.from({ length: Math.ceil(urls.length / batchSize) }, (_, index) => ({
    file: join(folder, `batch-${index}`),
    urls: urls.slice(index * batchSize, (index + 1) * batchSize),
  }));
  const entry = (url: string): string => `url = "${discovery(url)}"\noutput = /dev/null\n`;
  for (const batch of batches) await writeFile(batch.file, batch.urls.map(entry).join(""));
  const options = ["-s", "--no-progress-meter", "-L", "--max-time", "10", "-w", "%{http_code}\\n", ...args];
  const script = 'for file in "$@"; do curl $CURL_OPTIONS -K "$file"; done; true';
  const usage = await measure({
    program: "sh",
    args: ["-c", script, "sh", ...batches.map(({ file }) => file)],
    environment: {
      CURL_OPTIONS: ["--parallel", "--parallel-immediate", `--parallel-max ${parallel}`, ...options].join(
        " ",
      ),
    },
  });
  return { ...usage, reachable: usage.output.split("\n").filter((status) => status === "200").length };
}

/** Sockets of Node alone: what no prober in Node can stay below. It follows no redirects. */
export async function probeByBareSockets(
  urls: readonly string[],
  parallel: number,
  folder: string,
): Promise<Usage> {
  const file = join(folder, "bare-sockets");
  await writeFile(file, urls.map((url) => `${discovery(url)}\n`).join(""));
  const script = join(import.meta.dirname, "bare-sockets.mjs");
  return measure({ program: process.execPath, args: [script, file, String(parallel)] });
}

/** Runs linkinator, which checks the links of web pages. It follows redirects. */
export async function probeByLinkinator(program: string, urls: readonly string[]): Promise<Probed> {
  const options = ["--concurrency", "128", "--timeout", "10000", "--format", "csv"];
  const usage = await measure({ program, args: [...urls.map(discovery), ...options], exitCodes: [0, 1] });
  return { ...usage, reachable: usage.output.split("\n").filter((line) => /,200,OK,/.test(line)).length };
}

/** Runs check_http of the Nagios plugins for each URL, sixteen at a time. It follows redirects. */
export async function probeByCheckHttp(
  program: string,
  urls: readonly string[],
  folder: string,
): Promise<Probed> {
  const file = join(folder, "check-http");
  const lines = urls.map((url) => {
    const { hostname, port, pathname, search } = new URL(discovery(url));
    return `${hostname} ${port} ${pathname}${search}\n`;
  });
  await writeFile(file, lines.join(""));
  const check = `${program} -t 10 -f follow -I $1 -p $2 -u $3`;
  const usage = await measure({
    program: "sh",
    args: ["-c", `xargs -P 16 -n 3 sh -c '${check}; true' sh < "$1"`, "sh", file],
  });
  return {
    ...usage,
    reachable: usage.output.split("\n").filter((line) => line.startsWith("HTTP OK")).length,
  };
}

/** Requests every URL once from prometheus-blackbox-exporter, 128 at a time. Only the exporter is measured. */
export async function probeByBlackbox(
  program: string,
  urls: readonly string[],
  port: number,
  folder: string,
): Promise<Probed> {
  const file = join(folder, "blackbox.yml");
  await writeFile(file, "modules: { http_2xx: { prober: http, timeout: 10s } }\n");
  const server = `http://127.0.0.1:${port}`;
  const ask = async (): Promise<string> => {
    await untilOpen(port);
    const waiting = [...urls];
    const answers: string[] = [];
    const askOn = async (): Promise<void> => {
      for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
        const query = new URLSearchParams({ module: "http_2xx", target: discovery(url) });
        answers.push(await (await fetch(`${server}/probe?${query.toString()}`)).text());
      }
    };
    await Promise.all(Array.from({ length: 128 }, askOn));
    return answers.join("");
  };
  const usage = await measure({
    program,
    args: [`--config.file=${file}`, `--web.listen-address=127.0.0.1:${port}`],
    meanwhile: ask,
  });
  return {
    ...usage,
    reachable: usage.output.split("\n").filter((line) => line === "probe_success 1").length,
  };
}

/** Returns the URL at which Git requests the refs of a mirror. Every prober here requests only that. */
function discovery(url: string): string {
  return `${url}/info/refs?service=git-upload-pack`;
}
