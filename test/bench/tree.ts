import { feedWith } from "../support/feed-with.ts";
import { resolveFeed } from "../../src/feed/resolve.ts";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { listNodes } from "../../src/config/nodes.ts";
import type { Config } from "../../src/config/schema.ts";
import { validateConfig } from "../../src/config/validate.ts";
import { renderNetwork } from "../../src/contract/network.ts";
import { renderSite } from "../../src/run/render-site.ts";
import type { SiteFile } from "../../src/base/files/site-file.ts";
import { writeSite } from "../../src/site/write.ts";
import { advance } from "../../src/state/advance.ts";
import { formatState, parseState } from "../../src/state/document.ts";
import type { Status } from "../../src/contract/network.ts";
import { feedOfSize, roundOf } from "./feed.ts";
import { measure, pairs } from "./pairs.ts";
import { scratchFolder } from "./scratch.ts";
import { comparisonRow, measurementRow, type Row, seconds } from "./table.ts";

/** Compares rendering, writing and saving in this process with a copy of the same tree by cp. */
export async function treeRows(targets: number): Promise<Row[]> {
  const folder = await scratchFolder();
  const config = feedOfSize(targets, 4);
  const nodes = listNodes(config);
  const online = new Map<number, Status>(nodes.map(({ id }) => [id, 1]));
  const out = join(folder, "site");
  const copy = join(folder, "copy");
  const contract = (statuses: ReadonlyMap<number, Status>): SiteFile[] =>
    renderNetwork(feedWith(config, statuses));
  const copied = async (): Promise<number> => {
    await rm(copy, { recursive: true, force: true });
    return (await measure({ program: "cp", args: ["-r", out, copy] })).wallMs;
  };
  try {
    writeSite(out, contract(online));
    const whole = await pairs(
      5,
      async () => {
        await rm(out, { recursive: true });
        return timed(() => writeSite(out, contract(online)));
      },
      copied,
    );
    let turn = 0;
    const changed = await pairs(
      5,
      () => {
        turn += 1;
        const statuses = new Map(online);
        for (let id = turn; id <= nodes.length; id += 400) statuses.set(id, 0);
        return Promise.resolve(timed(() => writeSite(out, contract(statuses))));
      },
      copied,
    );
    const all = allFiles(feedOfSize(Math.min(targets, 1000), 4));
    await rm(out, { recursive: true });
    const rendered = timed(() => all());
    const files = all();
    const everything = await pairs(
      3,
      async () => {
        await rm(out, { recursive: true, force: true });
        return rendered + timed(() => writeSite(out, files));
      },
      copied,
    );
    const title = `${targets} targets of 4 nodes`;
    return [
      comparisonRow({
        what: `render and write the contract, ${title}`,
        peer: "cp -r",
        goal: 1.2,
        values: whole,
        show: seconds,
      }),
      comparisonRow({
        what: "the same with 1 % of the targets changed",
        peer: "cp -r",
        goal: 0.65,
        values: changed,
        show: seconds,
      }),
      comparisonRow({
        what: `render and write all ${files.length} files of the site of ${Math.min(targets, 1000)} targets`,
        peer: "cp -r",
        values: everything,
        show: seconds,
      }),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the time of each stage for one node, in microseconds, as feeds grow. */
export function growthRows(sizes: readonly number[]): Row[] {
  return sizes.map((size) => {
    const config = feedOfSize(size / 4, 4);
    const nodes = listNodes(config);
    const text = JSON.stringify({ systems: config.systems });
    const round = roundOf(config);
    const { state } = advance(config, nodes, round, undefined);
    if (state === undefined) throw new Error("A good round leaves a state.");
    const stages: [string, () => unknown][] = [
      ["validate", () => validateConfig(text, "mirrors.json")],
      ["decide", () => advance(config, nodes, { ...round, run: "next" }, state)],
      ["store", () => parseState(formatState(state), "state.json")],
      ["contract", () => renderNetwork(resolveFeed(config, nodes, round, { state, online: round.vantages }))],
    ];
    const parts = stages.map(([name, act]) => {
      act();
      return `${name} ${((timed(act) * 1000) / size).toFixed(1)}`;
    });
    return {
      what: `${size} nodes, µs a node`,
      goal: "linear",
      own: parts.join(", "),
      peer: "",
      ratio: "",
      isMet: undefined,
    };
  });
}

/** Measures loading and saving a state of this many nodes with ninety days. */
export function stateRows(size: number): Row[] {
  const config = feedOfSize(size / 4, 4);
  const nodes = listNodes(config);
  let state = advance(config, nodes, roundOf(config), undefined).state;
  for (let day = 1; day < 90; day += 1) state = advance(config, nodes, roundOf(config, day), state).state;
  if (state === undefined) throw new Error("A good round leaves a state.");
  const text = formatState(state);
  const kept = state;
  const values = Array.from(
    { length: 5 },
    () => timed(() => parseState(text, "state.json")) + timed(() => formatState(kept)),
  );
  const megabytes = (text.length / 1_048_576).toFixed(1);
  return [
    measurementRow({
      what: `load and save a state of ${size} nodes and 90 days (${megabytes} MB)`,
      goal: 500,
      values,
      show: seconds,
    }),
  ];
}

function allFiles(config: Config): () => SiteFile[] {
  const nodes = listNodes(config);
  const round = roundOf(config);
  const after = advance(config, nodes, round, undefined);
  return () => renderSite(config, resolveFeed(config, nodes, round, after));
}

function timed(act: () => unknown): number {
  const started = performance.now();
  act();
  return performance.now() - started;
}
