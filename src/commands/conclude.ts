import { dirname, join } from "node:path";
import type { NetworkNode } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import type { Results } from "../probe/observation.ts";
import { publicFolder } from "../product.ts";
import { renderSite } from "../render/site.ts";
import { overlay, readPublic } from "../site/public.ts";
import { isBegun, writeSite } from "../site/write.ts";
import { decide } from "../state/verdict.ts";
import type { ExitCode, Setting } from "./setting.ts";
import { summaryJson, summaryTable } from "./summary.ts";

export interface ConcludeOptions {
  readonly out: string;
  /** The folder of mirrors.json, whose `public/` is laid over that of the package. */
  readonly beside?: string | undefined;
  readonly json?: boolean | undefined;
}

/** From results to the site: decides, renders, writes, and shows what came of it. A void run leaves the site alone. */
export function conclude(
  config: Config,
  nodes: readonly NetworkNode[],
  results: Results,
  options: ConcludeOptions,
  setting: Setting,
): ExitCode {
  const { out } = options;
  const { prober, statuses } = decide(nodes, results, undefined);
  const offline = prober === "offline";
  const keep = offline && isBegun(out);
  if (!keep) {
    const own = options.beside === undefined ? [] : readPublic(join(options.beside, "public"));
    const files = overlay(renderSite(config, statuses), overlay(readPublic(publicFolder), own));
    const { written, unchanged, removed } = writeSite(out, files, setting.processes);
    setting.tell(`${out}: ${written} files written, ${unchanged} unchanged, ${removed} removed.`);
  }
  const shown = { nodes, results, prober, statuses: keep ? undefined : statuses };
  setting.print(options.json === true ? summaryJson(shown) : summaryTable(shown, setting.color));
  if (!offline) return 0;
  setting.tell(
    keep
      ? `This machine is offline: no mirror and no control answered. ${out} was left as it was.`
      : `This machine is offline: no mirror and no control answered. ${out} is new, so it was written with every status 0.`,
  );
  return 3;
}

/** The folder of a configuration file. */
export function folderOf(config: string): string {
  return dirname(config);
}
