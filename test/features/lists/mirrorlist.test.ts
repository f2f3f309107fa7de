import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderMirrorlists } from "../../../src/features/lists/mirrorlist.ts";
import { type Feed, targetsOf } from "../../../src/core/feed/feed.ts";
import {
  configOf,
  day,
  except,
  hour,
  noon,
  play,
  roundsArbitrary,
  step,
  textsOf,
  type Vantages,
} from "../../support/playing.ts";
import { networkAt, projectConfig, type Seen } from "../../support/rounds.ts";
import { trials } from "../../support/trials.ts";

const offline: Vantages = { default: () => "dns" };

const filesOf = (feed: Feed): Map<string, string> => textsOf(renderMirrorlists(feed));

/** Returns the host numbers in a mirror list of s/p/t, in order. */
function listed(feed: Feed, folder = "mirrorlist"): number[] {
  const text = filesOf(feed).get(`${folder}/s/p/t.txt`) ?? "";
  return [...text.matchAll(/^https:\/\/m(\d)\.example\.org\/a\/b\n/gm)].map(([, id]) => Number(id));
}

describe("for any feed and any rounds", () => {
  test("every list has each URL of its target once, one a line, offline nodes after online ones", () => {
    fc.assert(
      fc.property(roundsArbitrary, ({ config, rounds }) => {
        const { feed } = play(config, rounds);
        const targets = targetsOf(feed.systems);
        const plain = [...filesOf(feed)].filter(([path]) => path.endsWith(".txt"));
        const paths = plain.map(([path]) => path).filter((path) => path.startsWith("mirrorlist/"));
        expect(paths).toEqual(targets.map(({ place }) => `mirrorlist/${place}.txt`));
        for (const [path, list] of plain) {
          const [, place = ""] = /^(?:mirrorlist|country\/[a-z]{2})\/(.*)\.txt$/.exec(path) ?? [];
          const nodes = targets.find((target) => target.place === place)?.nodes ?? [];
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
});

test("the list of a target is in the order of the network if the prober was offline", () => {
  const last = configOf();
  Object.assign(targetsOf(last.systems)[0] ?? {}, { primary: 3 });
  expect(listed(play(last, [{ at: noon }]).feed)).toEqual([3, 1, 2]);
  expect(listed(play(last, [{ at: noon, vantages: offline }]).feed)).toEqual([1, 2, 3]);
});

describe("the lists of a country", () => {
  const placed = configOf();
  const [first, , third] = targetsOf(placed.systems)[0]?.network ?? [];
  Object.assign(first ?? {}, { country: "FR" });
  Object.assign(third ?? {}, { country: "DE" });

  test.each<[string, string, Vantages, number[]]>([
    ["its mirrors", "de", except({}), [3, 1, 2]],
    ["a mirror elsewhere if its own are offline", "de", except({ 3: "timeout" }), [1, 2, 3]],
    ["its mirrors also if the prober was offline", "de", offline, [3, 1, 2]],
  ])("begin with %s (%s)", (_, country, vantages, order) => {
    const { feed } = play(placed, [{ at: noon, vantages }]);
    expect(listed(feed, `country/${country}`)).toEqual(order);
  });

  test("exist only for targets that have a mirror in any country, and leave the list of all as it is", () => {
    const { feed } = play(placed, [{ at: noon }]);
    const paths = [...filesOf(feed).keys()].filter((path) => /^country\/.*\.txt$/.test(path));
    expect(paths).toEqual(["country/de/s/p/t.txt", "country/fr/s/p/t.txt"]);
    expect(listed(feed)).toEqual([1, 2, 3]);
  });
});

describe("the lists for tools", () => {
  test("have the nodes of their kind alone, in the order of the ranking", () => {
    const mixed = configOf();
    const [{ network: nodes } = { network: [] }] = targetsOf(mixed.systems);
    Object.assign(nodes[0] ?? {}, { probe: { kind: "apt" } });
    Object.assign(nodes[2] ?? {}, { probe: { kind: "apt" }, country: "DE" });
    const { feed } = play(mixed, [{ at: noon, vantages: except({ 1: "timeout" }) }]);
    const files = filesOf(feed);
    const list =
      "# Out of date after 2026-03-10 14:00 UTC.\nhttps://m3.example.org/a/b/\tpriority:1\nhttps://m1.example.org/a/b/\tpriority:2\n";
    expect(files.get("mirrorlist/s/p/t.list")).toBe(list);
    expect(files.get("country/de/s/p/t.list")).toBe(list);
    expect(files.get("mirrorlist/s/p/u.list")).toBeUndefined();
    expect(files.get("mirrorlist/s/p/t.conf")).toBeUndefined();
  });

  test("have the content of the reference, and what it had in the last three days", () => {
    const rpm = configOf({ probe: { kind: "rpm" } });
    const at = (digit: string): Vantages => {
      const index = { size: Number(digit), sha256: digit.repeat(64), files: [{ path: "a.rpm" }] };
      const content_at = `2026-03-0${digit}T00:00:00.000Z`;
      return { default: () => ({ code: "ok", revision: `r${digit}`, content_at, index }) };
    };
    const times = [noon, noon + hour, noon + day];
    const rounds = times.map((time, index) => ({ at: time, vantages: at(`${index + 1}`) }));
    const digits = (later: number): string[] => {
      const after = later > day ? [...rounds, { at: noon + later, vantages: at("3") }] : rounds;
      const text = filesOf(play(rpm, after).feed).get("mirrorlist/s/p/t.metalink") ?? "";
      return [...text.matchAll(/<hash type="sha256">(\d)\d{63}</g)].map(([, digit = ""]) => digit);
    };
    expect(digits(day)).toEqual(["3", "2", "1"]);
    expect(digits(3 * day)).toEqual(["3", "2", "1"]);
    expect(digits(4 * day)).toEqual(["3", "2"]);
    expect(digits(5 * day)).toEqual(["3"]);
  });

  test("change with the hour, and otherwise only with a mirror", () => {
    const site = { url: "https://status.example.org/feed/", interval: "30m" };
    const pacman = configOf({ probe: { kind: "pacman" }, site });
    const revision = "1773136800-6f1ed002ab5595859014ebf0951522d9";
    const vantages: Vantages = { default: (id) => (id === 3 ? "timeout" : { code: "ok", revision }) };
    const first = play(pacman, [{ at: noon, vantages }]);
    const statusAfter = (later: number): string => {
      const { feed } = step(pacman, first, { at: noon + later, vantages });
      return filesOf(feed).get("mirrorlist/s/p/t.json") ?? "";
    };
    expect(statusAfter(hour - 1)).toBe(statusAfter(0.5 * hour));
    expect(statusAfter(hour)).not.toBe(statusAfter(hour - 1));
    const page = "https://status.example.org/feed/status/s/p/t/";
    const synced = { last_sync: "2026-03-10T13:00:00Z", completion_pct: 1, delay: 0, score: 0 };
    expect(JSON.parse(statusAfter(hour))).toMatchObject({
      ...{ last_check: "2026-03-10T13:00:00Z", num_checks: 48, check_frequency: 1800 },
      urls: [
        { url: "https://m1.example.org/a/b/", ...synced, details: page },
        { url: "https://m2.example.org/a/b/", ...synced, details: page },
        { url: "https://m3.example.org/a/b/", last_sync: null, completion_pct: 0, score: null },
      ],
    });
  });

  test("exist only for options that they are for", () => {
    const single = configOf({ probe: { kind: "http" } });
    const [{ network: nodes } = { network: [] }] = targetsOf(single.systems);
    Object.assign(nodes[1] ?? {}, { probe: { kind: "http", http: { content: { sha256: "reference" } } } });
    const files = filesOf(play(single, [{ at: noon }]).feed);
    expect([...files.keys()].filter((path) => path.endsWith(".meta4"))).toEqual(["mirrorlist/s/p/t.meta4"]);
    expect(files.get("mirrorlist/s/p/t.meta4")?.match(/<url/g)).toHaveLength(1);
  });
});

describe("a list says in a comment until when it holds, and if all its mirrors have problems", () => {
  const urls = [1, 2].map((id) => `https://m${id}.example.org/a/b.iso`);
  const sha256 = "a".repeat(64);
  const commentsOf = (kind: string, extension: string, seen: Readonly<Record<number, Seen>>): string[] => {
    const options = kind === "http" ? { http: { content: { sha256 } } } : {};
    const own = projectConfig([{ target: "t", network: networkAt(urls) }], { probe: { kind, ...options } });
    const { feed } = play(own, [{ at: noon, vantages: except({ 1: "ok", 2: "ok", ...seen }) }]);
    const text = filesOf(feed).get(`mirrorlist/s/p/t.${extension}`) ?? "";
    expect(text).toContain("https://m2.example.org");
    return [...text.matchAll(/^(?:# |<!-- )(.*?)(?: -->)?$/gm)].map(([, comment = ""]) => comment);
  };
  const broken = { content_code: "no_fetch" };
  const end = "Out of date after 2026-03-10 14:00 UTC.";

  test.each([
    ["apt", "list"],
    ["pacman", "conf"],
    ["rpm", "metalink"],
    ["http", "meta4"],
  ])("(%s, .%s)", (kind, extension) => {
    const warning = "Warning: every mirror has a problem (1 wrong, 1 offline).";
    expect(commentsOf(kind, extension, { 1: broken, 2: "timeout" })).toEqual([`${end} ${warning}`]);
    expect(commentsOf(kind, extension, { 1: broken })).toEqual([end]);
    expect(commentsOf(kind, extension, { 1: undefined, 2: undefined })).toEqual([end]);
  });

  test("but not if its URLs are all that it has", () => {
    expect(commentsOf("apt", "txt", { 1: broken, 2: broken })).toEqual([]);
  });
});
