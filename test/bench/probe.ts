import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { measure, mirrorfeed, pairs, times, type Usage, withFolder } from "./measure.ts";
import { mirrorUrls, type Origins, startOrigins } from "./origins.ts";
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

/** Compares `mirrorfeed probe` with curl on the same origins. Both must find the same number of mirrors reachable. */
export function probeRows(sizes: readonly number[]): Promise<Row[]> {
  return withFolder(async (folder) => {
    const origins = await startOrigins(folder);
    try {
      const rows: Row[] = [];
      for (const size of sizes)
        rows.push(...(await besideCurl(size, origins, folder)), await silentRow(size, origins, folder));
      return rows;
    } finally {
      await origins.close();
    }
  });
}

async function besideCurl(size: number, origins: Origins, folder: string): Promise<Row[]> {
  const urls = mirrorUrls(size, "mixed", origins);
  const measured = await pairs(
    5,
    () => probe(urls, folder),
    () => probeByCurl(urls, folder),
  );
  for (const [own, theirs] of measured)
    if (own.reachable !== theirs.reachable)
      throw new Error(`mirrorfeed found ${own.reachable} mirrors reachable, curl ${theirs.reachable}.`);
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

async function probe(urls: readonly string[], folder: string): Promise<Probed> {
  const results = join(folder, "results.json");
  const config = await writeConfig(urls, folder);
  const usage = await measure(mirrorfeed("probe", "--config", config, "--results", results));
  const { observations } = resultsSchema.parse(JSON.parse(await readFile(results, "utf8")));
  return { ...usage, reachable: observations.filter(({ code }) => code === "ok").length };
}

/**
 * Runs `curl --parallel`, which is fastest with a process for every 1,000 URLs. It follows redirects and reads whole
 * bodies.
 */
async function probeByCurl(urls: readonly string[], folder: string): Promise<Probed> {
  const batches = Array.from({ length: Math.ceil(urls.length / 1000) }, (_, index) => ({
    file: join(folder, `batch-${index}`),
    urls: urls.slice(index * 1000, (index + 1) * 1000),
  }));
  const entry = (url: string): string => `url = "${discovery(url)}"\noutput = /dev/null\n`;
  for (const batch of batches) await writeFile(batch.file, batch.urls.map(entry).join(""));
  const options = ["--parallel", "--parallel-immediate", `--parallel-max ${parallel}`, "-s", "-L"];
  options.push("--no-progress-meter", "--max-time", "10", "-w", "%{http_code}\\n");
  const script = 'for file in "$@"; do curl $CURL_OPTIONS -K "$file"; done; true';
  const usage = await measure({
    program: "sh",
    args: ["-c", script, "sh", ...batches.map(({ file }) => file)],
    environment: { CURL_OPTIONS: options.join(" ") },
  });
  return { ...usage, reachable: usage.output.match(/^200$/gm)?.length ?? 0 };
}

/** Returns the URL where Git requests a mirror's refs. All probers here request only that. */
function discovery(url: string): string {
  return `${url}/info/refs?service=git-upload-pack`;
}
