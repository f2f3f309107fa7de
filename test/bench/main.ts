import { cpus } from "node:os";
import process from "node:process";
import { parseArgs } from "node:util";
import { buildMemoryRows, generatorRows } from "./generators.ts";
import { pageRows } from "./pages.ts";
import { probeRows } from "./probe.ts";
import { publishRows } from "./publish.ts";
import { siteRows } from "./site.ts";
import { searchRows } from "./search.ts";
import { startRows } from "./start.ts";
import { markdownTable, type Row } from "./table.ts";
import { growthRows, stateRows, treeRows } from "./tree.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    size: { type: "string", default: "full" },
  },
});
const isSmall = values.size === "small";

const benches: Readonly<Record<string, () => Promise<Row[]> | Row[]>> = {
  start: startRows,
  tree: () => treeRows(isSmall ? 1000 : 10_000),
  site: () => siteRows(isSmall ? 1000 : 10_000),
  generators: () => generatorRows(isSmall ? 100 : 1000),
  memory: () => buildMemoryRows(isSmall ? 1000 : 10_000),
  state: () => stateRows(isSmall ? 1000 : 10_000),
  growth: () => growthRows(isSmall ? [100, 1000] : [100, 1000, 10_000, 100_000]),
  probe: () => probeRows(isSmall ? [100, 1000] : [100, 1000, 10_000, 100_000]),
  pages: async () => [...(await pageRows(isSmall)), ...(await searchRows(isSmall ? 1000 : 10_000))],
  publish: async () => {
    const measured = await publishRows({ files: 300, pairs: isSmall ? 3 : 5 });
    if (!isSmall) measured.push(...(await publishRows({ files: 3000, pairs: 3 })));
    return measured.map(({ what, own, peer, ratio, unit }) => {
      const goal = what.startsWith("publish 300 files") && what.endsWith("(wall)") ? 3 : undefined;
      return {
        what,
        goal: goal === undefined ? "" : `≤ ${goal} ${unit}`,
        own: `${own.toFixed(2)} ${unit}`,
        peer: `Git: ${peer.toFixed(2)} ${unit}`,
        ratio: `${ratio.toFixed(2)} ×`,
        isMet: goal === undefined ? undefined : own <= goal,
      };
    });
  },
};

const chosen = Object.entries(benches).filter(([name]) => values.only?.includes(name) ?? true);
const rows: Row[] = [];
for (const [name, bench] of chosen) {
  process.stderr.write(`${name} ...\n`);
  rows.push(...(await bench()));
}
const machine = `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, Node ${process.versions.node}`;
process.stdout.write(`${new Date().toISOString().slice(0, 10)}, ${machine}\n\n${markdownTable(rows)}\n`);
