import { cpus } from "node:os";
import process from "node:process";
import { parseArgs } from "node:util";
import { costTable } from "./cost.ts";
import { everyday } from "./everyday.ts";
import { measure, mirrorfeed, pairs } from "./measure.ts";
import { pageRows } from "./pages.ts";
import { probeRows } from "./probe.ts";
import { publishRows } from "./publish.ts";
import { siteRows } from "./site.ts";
import { comparison, markdownTable, type Row } from "./table.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    everyday: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    cost: { type: "boolean", default: false },
    size: { type: "string", default: "full" },
  },
});
const isSmall = values.size === "small";

async function startRow(parameter: string, goal: number): Promise<Row> {
  const node = { program: process.execPath, args: ["-e", "0"] };
  const measured = await pairs(
    15,
    () => measure(mirrorfeed(parameter)),
    () => measure(node),
  );
  const row = comparison(`mirrorfeed ${parameter}, wall`, "wallMs", "node -e 0", measured, goal);
  return { ...row, unit: "milliseconds" };
}

const benches: Readonly<Record<string, () => Promise<Row[]>>> = {
  start: async () => [await startRow("--help", 2), await startRow("validate", 4.5)],
  site: () => siteRows(isSmall ? 100 : 1000),
  probe: () => probeRows(isSmall ? [100] : [1000, 10_000]),
  pages: () => pageRows(isSmall ? 100 : 1000),
  publish: publishRows,
};

async function compare(): Promise<void> {
  const chosen = Object.entries(benches).filter(([name]) => values.only?.includes(name) ?? true);
  const rows: Row[] = [];
  for (const [name, bench] of chosen) {
    process.stderr.write(`${name} ...\n`);
    rows.push(...(await bench()));
  }
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, Node ${process.versions.node}`;
  process.stdout.write(`${new Date().toISOString().slice(0, 10)}, ${machine}\n\n${markdownTable(rows)}\n`);
}

if (values.cost) process.stdout.write(await costTable());
else if (!values.everyday) await compare();
else if (!(await everyday(values.write))) process.exitCode = 1;
