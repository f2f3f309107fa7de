import Table from "cli-table3";

/** Cells, or one cell that spans all columns. */
export type TableRow = readonly string[] | string;

/** Formats rows as plain text without borders. `right` contains the indexes of right-aligned columns. */
export function alignedTable(rows: readonly TableRow[], right: readonly number[] = []): string {
  const columns = Math.max(0, ...rows.map((row) => (typeof row === "string" ? 1 : row.length)));
  const table = new Table({
    chars: noBorders,
    colAligns: Array.from({ length: columns }, (_, column) => (right.includes(column) ? "right" : "left")),
    style: { head: [], border: [], "padding-left": 0, "padding-right": 2 },
  });
  for (const row of rows)
    table.push(typeof row === "string" ? [{ colSpan: columns, content: row }] : [...row]);
  return table.toString().replaceAll(/ +$/gm, "");
}

const sides = ["top", "bottom", "left", "right", "mid", "middle"];
const noBorders = Object.fromEntries(
  [...sides, ...sides.flatMap((side) => ["mid", "left", "right"].map((end) => `${side}-${end}`))].map(
    (name) => [name, ""],
  ),
);
