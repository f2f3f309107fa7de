import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "../base/zod.ts";
import { explaining } from "../base/files/system-errors.ts";
import { tryParseJson } from "../base/text/json.ts";
import { documentPath, reportRoot } from "../contract/contract.ts";
import { elsewhere } from "./manifest.ts";

const heartbeat = z.object({
  generated_at: z.iso.datetime(),
  // Before a run reaches a mirror, the site has no state either.
  prober: z.object({ state: z.literal("online") }),
  interval: z.object({ median_seconds: z.number().optional() }),
});

/** Returns what a site says about the run that wrote it. Undefined if no run reached a mirror. */
export function heartbeatOf(out: string): z.infer<typeof heartbeat> | undefined {
  const file = join(out, documentPath(reportRoot));
  const text = explaining(`${file} cannot be read`, elsewhere, () =>
    existsSync(file) ? readFileSync(file, "utf8") : "",
  );
  return heartbeat.safeParse(tryParseJson(text)).data;
}
