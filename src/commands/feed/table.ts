import { styleText } from "node:util";
import type { Mirror } from "../../client/index.ts";
import { alignedTable } from "../aligned-table.ts";

/** More mirrors than these are too many to read. */
const mostRows = 50;

/** The mirrors as a table: status, what the feed tells of each, and url, which is safe to print. */
export function mirrorTable(mirrors: readonly Mirror[], color: boolean): string {
  const rows = mirrors.slice(0, mostRows).map(({ status, freshness, latency_ms, url }) => {
    const word = status === 1 ? "● online " : "○ offline";
    return [
      `  ${color ? styleText(status === 1 ? "green" : "red", word) : word}`,
      freshness ?? "",
      latency_ms === undefined ? "" : `${Math.round(latency_ms)} ms`,
      url,
    ];
  });
  const more = mirrors.length - rows.length;
  return [
    ...(rows.length > 0 ? [alignedTable(rows, [2])] : []),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ].join("\n");
}
