import { expect, test } from "vitest";
import { alignedTable } from "../../../../src/core/base/terminal/table.ts";

test("columns are as wide as a terminal shows their widest cell, and a spanning row widens none", () => {
  const rows = [["東京", "1 ms", "a"], "below all columns, and longer", ["x", "200 ms", ""]];
  expect(alignedTable(rows, [1])).toBe(
    ["東京    1 ms  a", "below all columns, and longer", "x     200 ms"].join("\n"),
  );
  expect(alignedTable([])).toBe("");
});
