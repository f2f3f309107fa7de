import { styleText } from "node:util";
import type { Mirror } from "../../client/index.ts";
import { alignedTable } from "../../base/terminal/table.ts";

/** How many mirrors are shown. */
const maxRows = 50;

/** Returns the mirrors as a table: status, evidence and URL. The URL is safe to print. */
export function mirrorTable(mirrors: readonly Mirror[], color: boolean): string {
  const rows = mirrors.slice(0, maxRows).map((mirror) => {
    const { status, latency_ms, url } = mirror;
    const word = status === 1 ? "● online " : "○ offline";
    return [
      `  ${color ? styleText(status === 1 ? "green" : "red", word) : word}`,
      describe(mirror),
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

function describe({ freshness, maintenance, unverified_since }: Mirror): string {
  const unverified = unverified_since && `unverified since ${unverified_since}`;
  return [freshness, maintenance && "maintenance", unverified]
    .filter((word) => word !== undefined)
    .join(", ");
}
