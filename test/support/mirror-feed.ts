import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { runProgram } from "./child.ts";
import { mirrorsJson, networkAt } from "./mirrors-json.ts";
import { runInProcess } from "./in-process.ts";

const report = z.object({
  network: z.array(
    z.object({
      status: z.union([z.literal(0), z.literal(1)]),
      code: z.string(),
      freshness: z.string(),
      revision: z.string().optional(),
      content_at: z.string().optional(),
      content_code: z.string().optional(),
    }),
  ),
});

const results = z.object({
  observations: z.array(z.object({ id: z.number(), code: z.string(), revision: z.string().optional() })),
});

export type ReportedMirror = z.infer<typeof report>["network"][number];

/** Writes a feed with one target. Its first mirror is the primary. */
export function writeFeed(folder: string, urls: readonly string[], probe: object, more: object = {}): void {
  const settings = { attempts: 1, allowPrivate: true, ...probe };
  const config = mirrorsJson(networkAt(urls), { probe: settings, ...more }, { primary: 1 });
  writeFileSync(join(folder, "mirrors.json"), JSON.stringify(config));
}

/** Runs mirrorfeed once. Returns the mirrors in the report, in feed order. */
export async function runFeed(folder: string): Promise<ReportedMirror[]> {
  const { code, stderr } = await runInProcess(["run", "--state", "state.json"], { folder });
  if (code !== 0) throw new Error(`mirrorfeed ended with ${code}: ${stderr}`);
  const text = readFileSync(join(folder, "_site/v1/report/s/p/t/index.json"), "utf8");
  return report.parse(JSON.parse(text)).network;
}

/** Formats each mirror as one line: status, code, freshness and content code. */
export function damages(names: readonly string[], found: readonly ReportedMirror[]): object {
  const lines = found.map(({ status, code, freshness, content_code = "" }) =>
    `${status} ${code} ${freshness} ${content_code}`.trimEnd(),
  );
  return Object.fromEntries(names.map((name, place) => [name, lines[place]]));
}

/** Probes a feed's mirrors with the built program. Returns the observations, in feed order. */
export async function probeFeed(folder: string, environment: NodeJS.ProcessEnv = {}) {
  const parameters = ["probe", "--results", "results.json"];
  const { code, stderr } = await runProgram(parameters, { folder, environment });
  if (code !== 0) throw new Error(`mirrorfeed ended with ${code}: ${stderr}`);
  return results.parse(JSON.parse(readFileSync(join(folder, "results.json"), "utf8"))).observations;
}
