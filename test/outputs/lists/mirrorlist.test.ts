import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderNetwork } from "../../../src/contract/network.ts";
import { renderMirrorlists } from "../../../src/outputs/lists/mirrorlist.ts";
import { type Feed, type Target, targetsOf } from "../../../src/feed/feed.ts";
import {
  configOf,
  day,
  except,
  hour,
  midnight,
  noon,
  play,
  roundsArbitrary,
  step,
  textsOf,
  type Vantages,
} from "../../support/playing.ts";
import { trials } from "../../support/trials.ts";

const config = configOf();
const one = "1".repeat(40);

/** Returns the numbers of the hosts in the mirror list of s/p/t, in order. */
function listed(feed: Feed): number[] {
  const text = textsOf(renderMirrorlists(feed)).get("mirrorlist/s/p/t.txt") ?? "";
  return [...text.matchAll(/^https:\/\/m(\d)\.example\.org\/a\/b\n/gm)].map(([, id]) => Number(id));
}

/** Returns every target of a feed with the path of its mirror list. */
function targetsByPath({ systems }: Feed): [path: string, target: Target][] {
  return targetsOf(systems).map((target) => [`mirrorlist/${target.place}.txt`, target]);
}

describe("for any feed and any rounds", () => {
  test("every list has each URL of its target once, one a line, offline nodes after online ones", () => {
    fc.assert(
      fc.property(roundsArbitrary, ({ config, rounds }) => {
        const { feed } = play(config, rounds);
        const lists = textsOf(renderMirrorlists(feed));
        const targets = targetsByPath(feed);
        const plain = [...lists].filter(([path]) => path.endsWith(".txt"));
        const best = plain.filter(([path]) => path.startsWith("mirrorlist/"));
        expect(best.map(([path]) => path)).toEqual(targets.map(([path]) => path));
        for (const [path, list] of plain) {
          const [, place = ""] = /^(?:mirrorlist|country\/[a-z]{2})\/(.*)\.txt$/.exec(path) ?? [];
          const nodes = targets.find(([, target]) => target.place === place)?.[1].nodes ?? [];
          expect(list.endsWith("\n")).toBe(true);
          const urls = list.slice(0, -1).split("\n");
          expect(urls.toSorted()).toEqual(nodes.map(({ url }) => url).toSorted());
          const statuses = urls.map((url) => nodes.find((node) => node.url === url)?.status);
          expect(statuses).toEqual(statuses.toSorted((left = 0, right = 0) => right - left));
        }
      }),
      { numRuns: trials(20) },
    );
  });

  test("a list changes only with a status, a freshness, a maintenance or the day", () => {
    fc.assert(
      fc.property(roundsArbitrary, fc.nat({ max: 5000 }), ({ config, rounds }, latency) => {
        const before = play(config, rounds);
        const { at, vantages = {} } = rounds.at(-1) ?? { at: noon };
        const slower = Object.entries(vantages).map(([name, see]) => {
          return [
            name,
            (id: number) => {
              const code = see(id);
              return typeof code === "string" ? { code, latency_ms: latency * id } : code;
            },
          ] as const;
        });
        const next = at + 60_000;
        fc.pre(Math.floor(next / day) === Math.floor(at / day));
        const after = step(config, before, { at: next, vantages: Object.fromEntries(slower) });
        const judged = ({ feed }: typeof before): unknown =>
          targetsByPath(feed).map(([, { nodes }]) =>
            nodes.map(({ status, freshness, maintenance, unverified_since }) => [
              status,
              freshness,
              maintenance,
              unverified_since,
            ]),
          );
        fc.pre(JSON.stringify(judged(after)) === JSON.stringify(judged(before)));
        expect(textsOf(renderMirrorlists(after.feed))).toEqual(textsOf(renderMirrorlists(before.feed)));
      }),
      { numRuns: trials(20) },
    );
  });
});

describe("the list of a target", () => {
  test("has only the URLs, offline nodes last", () => {
    const { feed } = play(config, [{ at: noon, vantages: except({ 1: "timeout" }) }]);
    expect(textsOf(renderMirrorlists(feed)).get("mirrorlist/s/p/t.txt")).toBe(
      "https://m2.example.org/a/b\nhttps://m3.example.org/a/b\nhttps://m1.example.org/a/b\n",
    );
  });

  test("has every URL if all are offline", () => {
    const down = except({ 1: "timeout", 2: "dns", 3: "reset" });
    expect(listed(play(config, [{ at: noon, vantages: down }]).feed)).toEqual([1, 2, 3]);
  });

  test("is in the order of the network if the prober was offline", () => {
    const last = configOf({});
    const [system] = last.systems;
    const target = system?.projects[0]?.targets[0];
    if (target === undefined) throw new Error("there is a target");
    target.primary = 3;
    expect(listed(play(last, [{ at: noon }]).feed)).toEqual([3, 1, 2]);
    const offline = { default: (): "dns" => "dns" };
    expect(listed(play(last, [{ at: noon, vantages: offline }]).feed)).toEqual([1, 2, 3]);
  });

  test("has the nodes with the content of the reference first", () => {
    const content = { revision: one, branch: "main" };
    const vantages = except({ 1: content, 2: { revision: "2".repeat(40), branch: "main" }, 3: content });
    expect(listed(play(config, [{ at: noon, vantages }]).feed)).toEqual([1, 3, 2]);
  });

  test("uses the latencies of the days before, not those of the run", () => {
    const slow = except({ 1: { latency_ms: 900 }, 2: { latency_ms: 400 }, 3: { latency_ms: 30 } });
    const first = play(config, [{ at: noon, vantages: slow }]);
    expect(listed(first.feed)).toEqual([1, 2, 3]);
    const late = step(config, first, { at: midnight + day - 1, vantages: slow });
    expect(listed(late.feed)).toEqual([1, 2, 3]);
    const fast = except({ 1: { latency_ms: 1 } });
    const tomorrow = step(config, late, { at: midnight + day, vantages: fast });
    expect(listed(tomorrow.feed)).toEqual([3, 2, 1]);
  });

  test("puts a node in maintenance after the others, and before offline nodes", () => {
    const window = {
      from: new Date(noon).toISOString(),
      to: new Date(noon + hour).toISOString(),
      reason: "new disks",
    };
    const planned = configOf({ maintenance: [{ scope: 1, ...window }] });
    const before = play(planned, [{ at: noon - hour, vantages: except({ 2: "timeout" }) }]);
    expect(listed(before.feed)).toEqual([1, 3, 2]);
    const down = except({ 1: "refused", 2: "timeout" });
    const open = step(planned, before, { at: noon + 1, vantages: down });
    expect(listed(open.feed)).toEqual([3, 1, 2]);
    expect(listed(step(planned, open, { at: noon + 2 * hour }).feed)).toEqual([1, 2, 3]);
  });
});

test("a weight and a country change neither the contract nor the list of a target", () => {
  const plain = configOf();
  const more = structuredClone(plain);
  for (const { network } of targetsOf(more.systems))
    for (const node of network) Object.assign(node, { country: "DE", weight: 3 });
  const [before, after] = [plain, more].map((one) => play(one, [{ at: noon }]).feed);
  if (before === undefined || after === undefined) throw new Error("there are two feeds");
  expect(textsOf(renderNetwork(after))).toEqual(textsOf(renderNetwork(before)));
  const lists = textsOf(renderMirrorlists(after));
  for (const [path, text] of textsOf(renderMirrorlists(before))) expect(lists.get(path)).toBe(text);
});

describe("the lists of a country", () => {
  const placed = configOf();
  const [first, second, third] = targetsIn(placed);
  Object.assign(first ?? {}, { country: "FR" });
  Object.assign(third ?? {}, { country: "DE" });
  const country = (feed: Feed, code: string): string | undefined =>
    textsOf(renderMirrorlists(feed)).get(`country/${code}/s/p/t.txt`);

  test("begin with its mirrors and end with all others", () => {
    const { feed } = play(placed, [{ at: noon }]);
    expect(country(feed, "de")).toBe(linesOf(third, first, second));
    expect(country(feed, "fr")).toBe(linesOf(first, second, third));
    expect(country(feed, "it")).toBeUndefined();
    expect(listed(feed)).toEqual([1, 2, 3]);
  });

  test("begin with a mirror elsewhere if those in the country are offline or behind", () => {
    const { feed } = play(placed, [{ at: noon, vantages: except({ 3: "timeout" }) }]);
    expect(country(feed, "de")).toBe(linesOf(first, second, third));
    const content = { revision: one, branch: "main" };
    const other = { revision: "2".repeat(40), branch: "main" };
    const stale = play(placed, [{ at: noon, vantages: except({ 1: content, 2: content, 3: other }) }]);
    expect(country(stale.feed, "de")).toBe(linesOf(first, second, third));
  });

  test("begin with its mirrors also if the prober was offline", () => {
    const { feed } = play(placed, [{ at: noon, vantages: { default: () => "dns" } }]);
    expect(country(feed, "de")).toBe(linesOf(third, first, second));
    expect(listed(feed)).toEqual([1, 2, 3]);
  });

  test("exist only for targets that have a mirror in any country", () => {
    const { feed } = play(placed, [{ at: noon }]);
    const paths = [...textsOf(renderMirrorlists(feed)).keys()].filter((path) => path.startsWith("country/"));
    expect(paths.filter((path) => path.endsWith(".txt"))).toEqual([
      "country/de/s/p/t.txt",
      "country/fr/s/p/t.txt",
    ]);
    expect(paths).toContain("country/de/s/p/t.ini");
  });
});

describe("the lists for tools", () => {
  test("have the nodes of their kind alone, in the order of the ranking", () => {
    const mixed = configOf();
    const nodes = mixed.systems[0]?.projects[0]?.targets[0]?.network ?? [];
    Object.assign(nodes[0] ?? {}, { probe: { kind: "apt" } });
    Object.assign(nodes[2] ?? {}, { probe: { kind: "apt" }, country: "DE" });
    const { feed } = play(mixed, [{ at: noon, vantages: except({ 1: "timeout" }) }]);
    const files = textsOf(renderMirrorlists(feed));
    const list = "https://m3.example.org/a/b/\tpriority:1\nhttps://m1.example.org/a/b/\tpriority:2\n";
    expect(files.get("mirrorlist/s/p/t.list")).toBe(list);
    expect(files.get("country/de/s/p/t.list")).toBe(list);
    expect(files.get("mirrorlist/s/p/t.ini")).toContain("# The best mirror of s/p/t");
    expect(files.get("mirrorlist/s/p/u.list")).toBeUndefined();
    expect(files.get("mirrorlist/s/p/t.conf")).toBeUndefined();
  });

  test("have the content of the reference, and what it had in the last three days", () => {
    const rpm = configOf({ probe: { kind: "rpm" } });
    const at = (digit: string): Vantages => {
      const index = { size: Number(digit), sha256: digit.repeat(64), files: ["a.rpm"] };
      const content_at = `2026-03-0${digit}T00:00:00.000Z`;
      return { default: () => ({ code: "ok", revision: `r${digit}`, content_at, index }) };
    };
    const rounds = [
      { at: noon, vantages: at("1") },
      { at: noon + hour, vantages: at("2") },
      { at: noon + day, vantages: at("3") },
    ];
    const digits = (later: number): string[] => {
      const after = later > day ? [...rounds, { at: noon + later, vantages: at("3") }] : rounds;
      const text = textsOf(renderMirrorlists(play(rpm, after).feed)).get("mirrorlist/s/p/t.metalink") ?? "";
      return [...text.matchAll(/<hash type="sha256">(\d)\d{63}</g)].map(([, digit = ""]) => digit);
    };
    expect(digits(day)).toEqual(["3", "2", "1"]);
    expect(digits(3 * day)).toEqual(["3", "2", "1"]);
    expect(digits(4 * day)).toEqual(["3", "2"]);
    expect(digits(5 * day)).toEqual(["3"]);
  });

  test("exist only for options that they are for", () => {
    const single = configOf({ probe: { kind: "http" } });
    const nodes = single.systems[0]?.projects[0]?.targets[0]?.network ?? [];
    Object.assign(nodes[1] ?? {}, { probe: { kind: "http", http: { content: { sha256: "reference" } } } });
    const files = textsOf(renderMirrorlists(play(single, [{ at: noon }]).feed));
    expect([...files.keys()].filter((path) => path.endsWith(".meta4"))).toEqual(["mirrorlist/s/p/t.meta4"]);
    expect(files.get("mirrorlist/s/p/t.meta4")?.match(/<url/g)).toHaveLength(1);
  });
});

/** Returns the nodes of the first target. */
function targetsIn(config: ReturnType<typeof configOf>): { url: string }[] {
  return config.systems[0]?.projects[0]?.targets[0]?.network ?? [];
}

function linesOf(...nodes: readonly ({ url: string } | undefined)[]): string {
  return nodes.map((node) => `${node?.url ?? ""}\n`).join("");
}
