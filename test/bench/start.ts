import { resolve } from "node:path";
import process from "node:process";
import { measure, pairs } from "./pairs.ts";
import { comparisonRow, type Row } from "./table.ts";

/** Compares the start of the program with that of Node.js. */
export async function startRows(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [parameter, goal] of [
    ["--help", 1.6],
    ["validate", 2.5],
  ] as const) {
    const measured = await pairs(
      15,
      () => measure({ program: process.execPath, args: [resolve("dist/cli.js"), parameter] }),
      () => measure({ program: process.execPath, args: ["-e", "0"] }),
    );
    rows.push(
      comparisonRow({
        what: `mirrorfeed ${parameter}, wall`,
        peer: "node -e 0",
        goal,
        values: measured.map(([own, theirs]) => [own.wallMs, theirs.wallMs]),
        show: (value) => `${Math.round(value)} ms`,
      }),
    );
  }
  return rows;
}
