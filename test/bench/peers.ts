import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { measure, type Usage } from "./pairs.ts";

/** A whole run of a prober over some urls: what it used, and how many it found reachable. */
export interface Probed extends Usage {
  readonly reachable: number;
}

const batchSize = 1000;

/** What curl is asked with, besides the urls. */
export interface CurlOptions {
  readonly parallel: number;
  readonly args?: readonly string[];
}

/** `curl --parallel`, a process for every 1,000 urls, the fastest way of it; it follows redirects and reads all. */
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
  const options = ["-s", "-L", "--max-time", "10", "-w", "%{http_code}\\n", ...args];
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

/** Where git asks a mirror for its refs: every prober here asks just that. */
function discovery(url: string): string {
  return `${url}/info/refs?service=git-upload-pack`;
}
