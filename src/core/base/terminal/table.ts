import stringWidth from "fast-string-width";

type TableRow = readonly string[] | string;

/** Formats rows without borders. A row that is a text spans all columns. `right` are indexes of columns. */
export function alignedTable(rows: readonly TableRow[], right: readonly number[] = []): string {
  const widths: number[] = [];
  for (const row of rows.filter((cells) => typeof cells !== "string"))
    for (const [column, cell] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, stringWidth(cell));
  const aligned = (cell: string, column: number): string => {
    const space = " ".repeat((widths[column] ?? 0) - stringWidth(cell));
    return right.includes(column) ? `${space}${cell}` : `${cell}${space}`;
  };
  return rows
    .map((row) => (typeof row === "string" ? row : row.map(aligned).join("  ")).trimEnd())
    .join("\n");
}
