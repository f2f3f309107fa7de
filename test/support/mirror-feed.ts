import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { startProgram } from "./child.ts";

const state = z.object({
  nodes: z.record(
    z.string(),
    z.object({
      status: z.union([z.literal(0), z.literal(1)]),
      code: z.string(),
      revision: z.string().optional(),
      content_at: z.number().optional(),
      content_code: z.string().optional(),
    }),
  ),
});
const report = z.object({ network: z.array(z.object({ freshness: z.string().optional() })) });

/** What a feed knows of a mirror after a run. `content_at` is in epoch milliseconds. */
export interface KnownMirror {
  readonly status: 0 | 1;
  readonly code: string;
  readonly revision?: string | undefined;
  readonly content_at?: number | undefined;
  readonly content_code?: string | undefined;
  readonly freshness?: string | undefined;
}

/** Writes a feed of one target, whose first mirror is the primary. */
export function writeFeed(folder: string, urls: readonly string[], probe: object): void {
  const network = urls.map((url, index) => ({ id: index + 1, url }));
  const targets = [{ target: "t", primary: 1, network }];
  const systems = [{ system: "s", projects: [{ project: "p", targets }] }];
  const config = { systems, probe: { attempts: 1, allowPrivate: true, ...probe } };
  writeFileSync(join(folder, "mirrors.json"), JSON.stringify(config));
}

/** Runs mirrorfeed once in the folder of a feed. Returns what it knows of each mirror then, in the order of the feed. */
export async function runFeed(folder: string): Promise<KnownMirror[]> {
  const { code, stderr } = await startProgram(["run", "--state", "state.json"], { folder }).ending;
  if (code !== 0) throw new Error(`mirrorfeed ended with ${code}: ${stderr}`);
  const read = (path: string): unknown => JSON.parse(readFileSync(join(folder, path), "utf8"));
  const { nodes } = state.parse(read("state.json"));
  return report.parse(read("_site/v1/report/s/p/t/index.json")).network.map(({ freshness }, index) => {
    const node = nodes[index + 1];
    if (node === undefined) throw new Error(`The state has no node ${index + 1}.`);
    return { ...node, freshness };
  });
}
