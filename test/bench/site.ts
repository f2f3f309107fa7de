import { contentOf } from "../../src/base/files/site-file.ts";
import { listNodes } from "../../src/config/nodes.ts";
import type { Config } from "../../src/config/schema.ts";
import type { Feed } from "../../src/feed/feed.ts";
import { resolveFeed } from "../../src/feed/resolve.ts";
import { renderSite } from "../../src/run/render-site.ts";
import { advance } from "../../src/state/advance.ts";
import { addCount, dayMs, hourMs, nothing, type PackedCounts } from "../../src/state/counts.ts";
import { feedOfSize, roundOf } from "./feed.ts";
import { measurementRow, megabytes, type Row, seconds } from "./table.ts";

const runsADay = 48;
/** How many different histories the nodes share. */
const histories = 500;

/** Returns a feed of targets of 4 nodes, each with 90 days of counts. */
export function siteFeed(targets: number): { config: Config; feed: Feed } {
  const config = feedOfSize(targets, 4);
  const nodes = listNodes(config);
  const round = roundOf(config, 90);
  const after = advance(config, nodes, round, undefined);
  const today = Math.floor(round.at / dayMs);
  const days = Array.from({ length: histories }, (_, seed) => daysUntil(today, seed));
  const hours = hoursUntil(Math.floor(round.at / hourMs));
  for (const { nodes: tallies } of Object.values(after.state?.vantages ?? {}))
    Object.values(tallies).forEach((tally, index) => {
      tally.from = round.at - 91 * dayMs;
      tally.hours = hours;
      tally.days = days[index % histories] ?? "";
    });
  return { config, feed: resolveFeed(config, nodes, round, after) };
}

/** Measures the files of a whole site of targets of 4 nodes with 90 days: how large they are, and how long they take to render. */
export function siteRows(targets: number): Row[] {
  const { config, feed } = siteFeed(targets);
  const started = performance.now();
  const files = renderSite(config, feed);
  const bytes = files.reduce((sum, file) => sum + Buffer.byteLength(contentOf(file)), 0);
  const renderMs = performance.now() - started;
  const title = `${files.length} files of the site of ${targets} targets of 4 nodes and 90 days`;
  return [
    measurementRow({
      what: `size of all ${title}`,
      ...(targets >= 10_000 ? { goal: 250 } : {}),
      values: [bytes / 1e6],
      show: megabytes,
    }),
    measurementRow({ what: `render all ${title}`, values: [renderMs], show: seconds }),
  ];
}

/** Returns the last 48 hours of a node, in which it was online. */
function hoursUntil(now: number): PackedCounts {
  let packed: PackedCounts = "";
  for (let back = 47; back >= 0; back -= 1)
    packed = addCount(packed, now - back, { ...nothing, ok: runsADay / 24 }, 48);
  return packed;
}

/** Returns the days of a node before and including today. On one day of fifty some runs fail; latencies swing. */
function daysUntil(today: number, seed: number): PackedCounts {
  let packed: PackedCounts = "";
  for (let back = 90; back >= 0; back -= 1) {
    const chance = ((seed * 7919 + back * 104_729) % 1000) / 1000;
    const failed = chance < 0.02 ? Math.floor(chance * 2400) : 0;
    const latencyMin = 40 + (seed % 200) + Math.floor(chance * 20);
    const ok = runsADay - failed;
    const latencySum = ok * (latencyMin + 15);
    const latencyMax = latencyMin + 30 + Math.floor(chance * 40);
    packed = addCount(
      packed,
      today - back,
      { ...nothing, ok, failed, latencySum, latencyMin, latencyMax },
      91,
    );
  }
  return packed;
}
