import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KnownHistory } from "../../../src/core/probe/git-targets.ts";
import type { ProbeRun } from "../../../src/core/probe/probe-all.ts";
import { inShard } from "../../../src/core/probe/probe-all.ts";
import type { Handler } from "../../support/mirror-server.ts";
import { git } from "../../support/git.ts";
import { type Graph, type GraphRefs, line, makeGraph } from "../../support/git-graph.ts";
import { configFrom, mirrorsJson, networkAt } from "../../support/mirrors-json.ts";
import { probeConfig } from "../../support/probing.ts";
import { nodesAt } from "../../support/rounds.ts";
import { startTestbed } from "../../support/start-testbed.ts";
import { trials } from "../../support/trials.ts";

const testbed = await startTestbed();
const main = "refs/heads/main";

/** Commits 0 to 9 are the reference's. 10 is a stranger on top of 4, and 11 is one push ahead. */
const parents = [...line(10), [4], [9]];

const known: KnownHistory = { main, versions: [], asked: [], isSettled: () => false };

async function serve(graph: Graph, change: (handler: Handler) => Handler = (handler) => handler) {
  const posts: string[] = [];
  const handler = change(testbed.gitServer(graph.folder));
  const server = await testbed.startServer((exchange) => {
    const { request } = exchange;
    request.on("data", (chunk: Buffer) => {
      const wanted = chunk.toString("latin1").match(/shallow [0-9a-f]+/g);
      if (wanted !== null) posts.push(wanted.map((one) => one.slice(8)).join(" "));
    });
    request.pause();
    return handler(exchange);
  });
  return { url: server.url, posts, server };
}

const at = async (refs: GraphRefs, count = parents.length) =>
  serve(await makeGraph(parents.slice(0, count), refs));

/** Probes a target once. The first URL is the primary's, unless `target` says otherwise. */
async function historyAt(
  urls: readonly string[],
  history?: Partial<KnownHistory>,
  target: object = { primary: 1 },
  given: Partial<ProbeRun> = {},
) {
  const config = configFrom(mirrorsJson(networkAt(urls), { probe: { timeout: "60s", attempts: 1 } }, target));
  const proofOf = (): undefined => undefined;
  const results = await probeConfig(config, {
    ...(history && { git: { proofOf, historyOf: () => ({ ...known, ...history }) } }),
    ...given,
  });
  return results.history?.["s/p/t"];
}

/** Returns which commits a commit's history reaches, by definition. */
function reachedFrom(graph: readonly (readonly number[])[], tip: number): ReadonlySet<number> {
  const reached = new Set([tip]);
  for (const commit of reached) for (const parent of graph[commit] ?? []) reached.add(parent);
  return reached;
}

describe("strangers", () => {
  test("that are past, neither, or newer", async () => {
    const reference = await makeGraph(parents.slice(0, 10), { [main]: 9 });
    const { ids } = await makeGraph(parents, {});
    const id = (number: number): string => ids[number] ?? "";
    const mirrors = await Promise.all([9, 4, 10, 11].map((number) => at({ [main]: number })));
    const served = await serve(reference);
    const urls = [served, ...mirrors].map(({ url }) => url);
    expect(await historyAt(urls)).toEqual({
      [main]: {
        [id(4)]: { past: true, contains: [] },
        [id(10)]: { past: false, contains: [] },
        [id(11)]: { past: false, contains: [id(9)] },
      },
    });
    const versions = [3, 4, 6, 9].map(id);
    expect(await historyAt(urls, { versions })).toEqual({
      [main]: {
        [id(4)]: { past: true, contains: [id(3)] },
        [id(10)]: { past: false, contains: [id(3), id(4)] },
        [id(11)]: { past: false, contains: versions },
      },
    });
    // One request for all, and none about what is settled.
    expect(served.posts).toHaveLength(2);
    expect(await historyAt(urls, { isSettled: () => true })).toBeUndefined();
    const settled: KnownHistory["isSettled"] = (branch, one, tip) =>
      branch === main && one !== id(10) && tip === id(9);
    expect(Object.keys((await historyAt(urls, { isSettled: settled }))?.[main] ?? {})).toEqual([id(10)]);
    const further = {
      isSettled: (_: string, one: string) => ![id(2), id(11)].includes(one),
      asked: [[main, id(2)] as const, [main, id(11)] as const],
    };
    const answers = { [id(2)]: { past: true }, [id(11)]: { past: false } };
    expect(await historyAt(urls, further)).toMatchObject({ [main]: answers });
  });

  test("on other branches, which only the reference is asked about, at most eight of a mirror", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `refs/heads/b${index}`);
    const branches = (number: number): GraphRefs => Object.fromEntries(names.map((name) => [name, number]));
    const reference = await at({ [main]: 9, ...branches(8) });
    const mirror = await at({ [main]: 9, ...branches(3), "refs/heads/own": 10, "refs/tags/v1": 10 });
    const found = Object.values((await historyAt([reference.url, mirror.url])) ?? {});
    expect(found.map((ids) => Object.values(ids))).toEqual(Array(8).fill([{ past: true }]));
  });

  test("next to a mirror whose branch is a tag, which makes the common answer empty", async () => {
    const graph = await makeGraph(parents, { [main]: 9 });
    const reference = await serve(graph);
    const good = await at({ [main]: 4 });
    const odd = await makeGraph(parents, { [main]: 4 });
    const text = `object ${graph.ids[3]}\ntype commit\ntag t\ntagger Lab <lab@example.org> 0 +0000\n\nt\n`;
    const write = ({ folder }: Graph) =>
      git(["-C", folder, "hash-object", "-t", "tag", "-w", "--stdin"], text);
    const tag = await write(graph);
    expect(await write(odd)).toBe(tag);
    writeFileSync(join(odd.folder, main), `${tag}\n`);
    const found = await historyAt([reference.url, (await serve(odd)).url, good.url]);
    expect(found?.[main]?.[graph.ids[4] ?? ""]).toEqual({ past: true, contains: [] });
    expect(found?.[main]?.[tag]?.past).toBeUndefined();
    expect(reference.posts).toHaveLength(3);
  });

  test.each<[string, (graph: Graph) => Promise<Awaited<ReturnType<typeof serve>>>]>([
    [
      "shallow",
      async (graph) => {
        const folder = `${graph.folder}-shallow`;
        await git(["clone", "--quiet", "--bare", "--depth=3", `file://${graph.folder}`, folder]);
        return serve({ ...graph, folder });
      },
    ],
    [
      "one that speaks version 2 only",
      (graph) =>
        serve(graph, (handler) => (exchange) => {
          exchange.request.headers["git-protocol"] = "version=2";
          return handler(exchange);
        }),
    ],
    [
      "one that refuses to answer",
      (graph) =>
        serve(graph, (handler) => (exchange) => {
          if (exchange.request.method !== "POST") return handler(exchange);
          exchange.response.writeHead(429).end();
        }),
    ],
  ])("a reference that is %s says nothing", async (_, start) => {
    const graph = await makeGraph(parents, { [main]: 9 });
    const mirror = await at({ [main]: 8 });
    const found = await historyAt([(await start(graph)).url, mirror.url]);
    expect(found).toEqual({ [main]: { [graph.ids[8] ?? ""]: { contains: [] } } });
  });

  test("beyond 10,000 commits are unknown", async () => {
    const long = line(10_020);
    const graph = await makeGraph(long, { [main]: 10_019 });
    const asked = [100, 10, 5].map((number) => [main, graph.ids[number] ?? ""] as const);
    const mirror = await serve(await makeGraph(long.slice(0, 6), { [main]: 5 }));
    const found = await historyAt([(await serve(graph)).url, mirror.url], { asked });
    const [past, unknown] = [graph.ids[100] ?? "", graph.ids[5] ?? ""];
    expect(found).toEqual({ [main]: { [past]: { past: true }, [unknown]: { contains: [] } } });
  });

  test("are placed by any history, linear or full of merges", async () => {
    const histories = fc
      .array(fc.array(fc.nat(), { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 40 })
      // Parents are mostly recent commits.
      .map((drawn) =>
        drawn.map((steps, index) => steps.map((step) => index - (step % Math.min(6, index + 1)))),
      )
      .map((drawn) => [[], ...drawn.map((steps) => [...new Set(steps)])]);
    const property = fc.asyncProperty(histories, fc.nat(), async (drawn, seed) => {
      const tip = drawn.length - 1;
      const own = seed % tip;
      const graph = await makeGraph(drawn, { [main]: tip });
      const graphs = [graph, await makeGraph(drawn, { [main]: own })];
      const { ids } = graph;
      const id = (number: number): string => ids[number] ?? "";
      const others = [...ids.keys()].filter((number) => number !== tip);
      const asked = others.map((number) => [main, id(number)] as const);
      const urls = (await Promise.all(graphs.map((one) => serve(one)))).map(({ url }) => url);
      const versions = others.filter((number) => number !== own).map(id);
      const found = (await historyAt(urls, { asked, versions }))?.[main] ?? {};
      const past = reachedFrom(drawn, tip);
      const isPast = others.map((number) => past.has(number));
      expect(others.map((number) => found[id(number)]?.past)).toEqual(isPast);
      const contained = reachedFrom(drawn, own);
      expect(found[id(own)]?.contains).toEqual(
        [...versions, id(tip)].filter((one) => one !== id(own) && contained.has(ids.indexOf(one))),
      );
    });
    await fc.assert(property, { numRuns: trials(10) });
  });
});

describe("without a primary", () => {
  /** A server that claims to reach nothing. */
  const liar =
    (handler: Handler): Handler =>
    (exchange) => {
      if (exchange.request.method !== "POST") return handler(exchange);
      exchange.request.resume().once("end", () => exchange.response.end("0000"));
    };

  test("up to three of the majority are asked, and most of them decide", async () => {
    const graph = await makeGraph(parents, { [main]: 9 });
    const majority = [await serve(graph, liar), ...(await Promise.all([0, 1, 2].map(() => serve(graph))))];
    const stranger = await at({ [main]: 4 });
    const urls = [...majority, stranger].map(({ url }) => url);
    const expected = { [main]: { [graph.ids[4] ?? ""]: { past: true, contains: [] } } };
    expect(await historyAt(urls, undefined, {})).toEqual(expected);
    expect(majority.map(({ posts }) => posts.length)).toEqual([1, 1, 1, 0]);
  });

  test("two that disagree say nothing, and without a majority the last known tip counts", async () => {
    const graph = await makeGraph(parents, { [main]: 9 });
    const stranger = await at({ [main]: 4 });
    const two = [await serve(graph), await serve(graph, liar), stranger].map(({ url }) => url);
    const answered = (answer: object) => ({ [main]: { [graph.ids[4] ?? ""]: answer } });
    expect(await historyAt(two, undefined, {})).toEqual(answered({ contains: [] }));
    const one = [await serve(graph), stranger].map(({ url }) => url);
    expect(await historyAt(one, undefined, {})).toBeUndefined();
    const known = await historyAt(one, { versions: [graph.ids[9] ?? ""] }, {});
    expect(known).toEqual(answered({ past: true, contains: [] }));
  });
});

test("a shard without the primary reads its list once if there is a stranger", async () => {
  const nodes = nodesAt(["a.test", "b.test", "c.test", "d.test", "e.test", "f.test"]);
  const shard = { index: 1, count: 2 };
  const [inside] = inShard(nodes, shard);
  const [outside] = inShard(nodes, { index: 2, count: 2 });

  async function probeShard(mirrorAt: number, history?: Partial<KnownHistory>) {
    const reference = await at({ [main]: 9 });
    const mirror = await at({ [main]: mirrorAt });
    const network = [
      { id: outside?.id, url: reference.url },
      { id: inside?.id, url: mirror.url },
    ];
    const target = { primary: outside?.id, network };
    const found = await historyAt([], history, target, { shard });
    return { found, requests: reference.server.requests };
  }

  const { ids } = await makeGraph(parents, {});
  const expected = { [main]: { [ids[4] ?? ""]: { past: true, contains: [] } } };
  expect(await probeShard(4)).toEqual({ found: expected, requests: 2 });
  expect(await probeShard(9)).toEqual({ found: undefined, requests: 1 });
  const settled = { isSettled: () => true, asked: [[main, ids[2] ?? ""]] as const };
  expect(await probeShard(4, settled)).toEqual({ found: undefined, requests: 0 });
});
