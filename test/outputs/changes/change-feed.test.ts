import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Config } from "../../../src/config/schema.ts";
import { maxEntries } from "../../../src/outputs/changes/change-entries.ts";
import { renderFeeds } from "../../../src/outputs/changes/change-feed.ts";
import { jsonFeedSchema } from "../../../src/outputs/changes/change-feed-schema.ts";
import type { Feed } from "../../../src/feed/feed.ts";
import { transitionsKept } from "../../../src/state/schema.ts";
import { type AtomFeed, parseAtom } from "./atom.ts";
import { type JsonFeed, parseJsonFeed } from "./json-feed.ts";
import {
  configOf,
  day,
  except,
  hour,
  midnight,
  noon,
  play,
  type Played,
  roundsArbitrary,
  step,
  textsOf,
} from "../../support/playing.ts";
import { parseXml } from "./xml.ts";
import { trials } from "../../support/trials.ts";

const config = configOf();
const published = configOf({ site: { url: "https://example.org/feed/", title: "The mirrors" } });

/** Returns a feed whose node 2 goes offline an hour after the first run, and online again two and a half hours later. */
function outage(config: Config): Feed {
  return play(config, [
    { at: noon },
    { at: noon + hour, vantages: except({ 2: "timeout" }) },
    { at: noon + 3.5 * hour },
  ]).feed;
}

/** Returns a feed with the site of a configuration. */
function at({ site }: Config, feed: Feed): Feed {
  return { ...feed, site, url: site.url?.replace(/\/$/, "") };
}

/** Returns both parsed documents of a change feed: of all systems, or of a project. */
function read(config: Config, feed: Feed, path = "feed"): { atom: AtomFeed; json: JsonFeed } {
  const texts = textsOf(renderFeeds(at(config, feed)));
  const text = texts.get(`${path}.json`) ?? "";
  expect(`${JSON.stringify(jsonFeedSchema.parse(JSON.parse(text)))}\n`).toBe(text);
  return { atom: parseAtom(texts.get(`${path}.atom`) ?? ""), json: parseJsonFeed(text) };
}

/** Returns the paths whose documents differ. */
function changed(config: Config, before: Played, after: Played): string[] {
  const texts = textsOf(renderFeeds(at(config, before.feed)));
  return [...textsOf(renderFeeds(at(config, after.feed)))].flatMap(([path, text]) =>
    texts.get(path) === text ? [] : [path],
  );
}

describe("for any feed and any rounds", () => {
  test("both documents are valid, and have the same content", () => {
    fc.assert(
      fc.property(roundsArbitrary, ({ config, rounds }) => {
        const { feed } = play(config, rounds);
        const paths = feed.systems.flatMap(({ system, projects }) =>
          projects.map(({ project }) => `feed/${system}/${project}`),
        );
        const files = renderFeeds(feed).map(({ path }) => path);
        expect(files).toEqual(["feed", ...paths].flatMap((path) => [`${path}.atom`, `${path}.json`]));
        for (const path of ["feed", ...paths]) {
          const { atom, json } = read(config, feed, path);
          expect(atom.title).toBe(json.title);
          expect(atom.author).toBe(config.site.title);
          expect(atom.links["alternate"]).toBe(json.home_page_url);
          expect(atom.links["self"]?.replace(/\.atom$/, ".json")).toBe(json.feed_url);
          expect(atom.entries.map(({ updated }) => updated)).toEqual(
            atom.entries.map(({ updated }) => updated).toSorted((left, right) => (left < right ? 1 : -1)),
          );
          expect(atom.entries[0]?.updated ?? atom.updated).toBe(atom.updated);
          expect(
            atom.entries.map(({ id, link, title, content, updated, published, categories: tags }) => {
              expect(published).toBe(updated);
              return { id, url: link, title, content_text: content, date_published: updated, tags };
            }),
          ).toEqual(json.items.map(({ tags = [], ...item }) => ({ ...item, tags, _mirrorfeed: undefined })));
        }
      }),
      { numRuns: trials(12) },
    );
  });

  test("an entry never changes with later rounds or another URL of the site, and none comes back", () => {
    fc.assert(
      fc.property(roundsArbitrary, fc.nat({ max: 11 }), ({ config, rounds }, some) => {
        const early = play(config, rounds.slice(0, 1 + (some % rounds.length)));
        const later = play(config, rounds);
        const before = read(config, early.feed);
        const after = read(config, later.feed);
        const seen = new Map(before.atom.entries.map((entry) => [entry.id, entry]));
        const kept = after.atom.entries.filter(({ id }) => seen.has(id));
        expect(kept).toEqual(kept.map(({ id }) => seen.get(id)));
        for (const { id, updated } of after.atom.entries)
          if (!seen.has(id)) expect(updated > before.atom.updated).toBe(true);
        const elsewhere = { ...config, site: { ...config.site, url: "https://elsewhere.example.org/" } };
        expect(read(elsewhere, later.feed).json.items.map(({ id }) => id)).toEqual(
          after.json.items.map(({ id }) => id),
        );
      }),
      { numRuns: trials(12) },
    );
  });

  test("the feed of a project has exactly its own entries of the whole feed", () => {
    fc.assert(
      fc.property(roundsArbitrary, ({ config, rounds }) => {
        const { feed } = play(config, rounds);
        const all = read(config, feed).json.items;
        fc.pre(all.length < maxEntries);
        for (const { system, projects } of config.systems)
          for (const { project } of projects)
            expect(read(config, feed, `feed/${system}/${project}`).json.items).toEqual(
              all.filter(({ _mirrorfeed: own }) => own?.["system"] === system && own["project"] === project),
            );
      }),
      { numRuns: trials(12) },
    );
  });
});

describe("an entry", () => {
  test("says what changed, why, when and after how long, and links to the page of the target", () => {
    const { atom, json } = read(published, outage(published));
    const ends = ". A mirror of s/p/t: https://m2.example.org/a/b";
    const link = "https://example.org/feed/status/s/p/t/";
    expect(atom).toEqual({
      id: "urn:uuid:a02c2f74-04e7-8799-8368-08127e1e22e9",
      title: "The mirrors",
      updated: "2026-03-10T15:30:00.000Z",
      author: "The mirrors",
      links: { alternate: "https://example.org/feed/", self: "https://example.org/feed/feed.atom" },
      entries: [
        {
          id: "urn:uuid:e079f2d9-ba98-8809-80e6-d12364278473",
          title: "m2.example.org/a/b is online",
          updated: "2026-03-10T15:30:00.000Z",
          published: "2026-03-10T15:30:00.000Z",
          categories: [],
          link,
          content: `The mirror answered as it should. Online since 2026-03-10 15:30 UTC, after 2 hours offline${ends}`,
        },
        {
          id: "urn:uuid:98ffbf04-c04c-817b-840f-609ecfd99451",
          title: "m2.example.org/a/b is offline (timeout)",
          updated: "2026-03-10T13:00:00.000Z",
          published: "2026-03-10T13:00:00.000Z",
          categories: [],
          link,
          content: `It did not answer in time. Offline since 2026-03-10 13:00 UTC${ends}`,
        },
      ],
    });
    expect(read(published, outage(published), "feed/s/p").atom).toMatchObject({
      title: "The mirrors: s/p",
      links: { alternate: "https://example.org/feed/status/s/p/" },
      entries: atom.entries,
    });
    const own = { system: "s", project: "p", target: "t", id: 2 };
    expect(json.items.map(({ _mirrorfeed }) => _mirrorfeed)).toEqual([
      { ...own, status: 1, code: "ok", after_seconds: 9000 },
      { ...own, status: 0, code: "timeout" },
    ]);
  });

  test("links to the mirror if the URL of the site is unknown", () => {
    const { atom, json } = read(config, outage(config));
    expect(atom.links).toEqual({});
    expect(atom.id).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(atom.entries.map(({ link }) => link)).toEqual(Array(2).fill("https://m2.example.org/a/b"));
    expect(json).not.toHaveProperty("feed_url");
  });

  test("is in a feed with a permanent id, whatever the URL and the title of the site are", () => {
    const feed = outage(config);
    const idOf = (path: string, of = config): string => read(of, feed, path).atom.id;
    expect(idOf("feed")).toBe("urn:uuid:a02c2f74-04e7-8799-8368-08127e1e22e9");
    const paths = ["feed", "feed/s/p", "feed/s/q", "feed/z/p"];
    expect(new Set(paths.map((path) => idOf(path))).size).toBe(paths.length);
    for (const path of paths) expect(idOf(path, published)).toBe(idOf(path));
  });

  test("has the title and the name unchanged, whatever is in them", () => {
    const tricky = `<b>&lt;"it's"&amp; ]]>]]> \\ \u2665`;
    const config = configOf({ site: { title: tricky } });
    const [node] = config.systems[0]?.projects[0]?.targets[0]?.network ?? [];
    if (node === undefined) throw new Error("there is a node");
    node.name = tricky;
    node.url = "https://m1.example.org/a'b?c=1&d=%3C";
    const down = play(config, [{ at: noon }, { at: noon + hour, vantages: except({ 1: "auth" }) }]);
    const { atom } = read(config, down.feed, "feed/s/p");
    const text = textsOf(renderFeeds(down.feed)).get("feed/s/p.atom") ?? "";
    // Many readers show every title as plain text. They must show the same as a reader of HTML.
    expect(parseXml(text)).toMatchObject({
      children: expect.arrayContaining([
        expect.objectContaining({ name: "title", attributes: {}, children: [`${tricky}: s/p`] }),
      ]),
    });
    expect(text).not.toMatch(/type="html"|CDATA/);
    expect(atom).toMatchObject({
      title: `${tricky}: s/p`,
      author: tricky,
      entries: [
        {
          title: `${tricky} is offline (auth)`,
          link: node.url,
          content: expect.stringContaining(`A mirror of s/p/t: ${node.url}`),
        },
      ],
    });
  });
});

test("a rewritten tag has a name that no reader obeys, whatever is in it", () => {
  const feed = outage(published);
  const tag = "refs/tags/<b>\u202e\u009b\uffff&";
  const one = { at: "2026-03-01T00:00:00.000Z", tag, from: "a".repeat(16), to: undefined };
  const reference = { revision: "a", branch: undefined, since: one.at, content_at: undefined, refs: 1 };
  const [system] = feed.systems;
  const [project] = system?.projects ?? [];
  const [target] = project?.targets ?? [];
  if (system === undefined || project === undefined || target === undefined) throw new Error("no target");
  const targets = [
    { ...target, reference: { ...reference, rewritten: [one], index: undefined, former: [] } },
  ];
  const systems = [{ ...system, projects: [{ ...project, targets }] }];
  const { atom, json } = read(published, { ...feed, systems });
  const name = "refs/tags/<b>\\u202e\\u009b\\uffff&";
  expect(atom.entries.map(({ title }) => title)).toContain(`${name} of ${target.place} was rewritten`);
  expect(json.items.find(({ title }) => title?.startsWith("refs/"))).toMatchObject({
    content_text: expect.stringContaining(`${name} named`),
    _mirrorfeed: { rewritten: { tag } },
  });
});

describe("a feed", () => {
  test("without a transition has no entry, and the time of its first status", () => {
    const before = play(config, [{ at: noon }]);
    expect(read(config, before.feed)).toMatchObject({
      atom: { updated: "2026-03-10T12:00:00.000Z", entries: [] },
      json: { items: [] },
    });
  });

  test("without a transition has the oldest time of all nodes", () => {
    const target = (...ids: number[]): Config => {
      const network = ids.map((id) => ({ id, url: `https://m${id}.example.org/` }));
      return {
        ...config,
        systems: [{ system: "s", projects: [{ project: "p", targets: [{ target: "t", network }] }] }],
      };
    };
    const one = play(target(2), [{ at: noon }]);
    const two = step(target(2, 3), one, { at: noon + hour });
    const three = step(target(1, 2, 3), two, { at: noon + 2 * hour });
    expect(read(target(1, 2, 3), three.feed).atom).toMatchObject({
      updated: "2026-03-10T12:00:00.000Z",
      entries: [],
    });
  });

  test("without any observation has no entry, and the time 1970", () => {
    const { feed } = play(config, [{ at: noon, vantages: { default: () => "dns" } }]);
    expect(read(config, feed).atom).toMatchObject({ updated: "1970-01-01T00:00:00.000Z", entries: [] });
  });

  test("has the newest entries, those of one time in the order of the network", () => {
    const ids = Array.from({ length: maxEntries / 2 + 10 }, (_, index) => index + 1);
    const network = ids.map((id) => ({ id, url: `https://m${id}.example.org/` }));
    const large = {
      ...config,
      systems: [{ system: "s", projects: [{ project: "p", targets: [{ target: "t", network }] }] }],
    };
    // One reachable mirror proves that the prober is online.
    const nearly = (id: number): "ok" | "timeout" => (id === ids.length ? "ok" : "timeout");
    const { feed } = play(large, [
      { at: noon },
      { at: noon + hour, vantages: { eu: nearly } },
      { at: noon + 2 * hour },
    ]);
    const items = read(large, feed).json.items.map(({ _mirrorfeed: own }) => [own?.["status"], own?.["id"]]);
    const changing = ids.slice(0, -1);
    expect(items).toEqual(
      [...changing.map((id) => [1, id]), ...changing.map((id) => [0, id])].slice(0, maxEntries),
    );
    expect(items).toHaveLength(maxEntries);
  });

  test("of a node that always changes has the transitions of its state, without the oldest, whose past is unknown", () => {
    const rounds = Array.from({ length: transitionsKept + 5 }, (_, index) => ({
      at: noon + index * hour,
      vantages: except({ 2: index % 2 === 1 ? "timeout" : "ok" }),
    }));
    const { json } = read(config, play(config, rounds).feed);
    expect(json.items).toHaveLength(transitionsKept - 1);
    for (const { content_text } of json.items) expect(content_text).toContain("after 60 minutes o");
  });
});

describe("what changes", () => {
  const before = play(config, [{ at: noon }, { at: noon + hour, vantages: except({ 2: "timeout" }) }]);

  test("in a run without a transition, and on a new day, is nothing", () => {
    const quiet = step(config, before, { at: noon + 2 * hour, vantages: except({ 2: "reset" }) });
    expect(changed(config, before, quiet)).toEqual([]);
    const moved = { 2: "reset", 1: { revision: "1".repeat(40), branch: "main" } } as const;
    const tomorrow = step(config, quiet, { at: midnight + day, vantages: except(moved) });
    expect(changed(config, before, tomorrow)).toEqual([]);
  });

  test("with a transition is the feed of all, and that of the project", () => {
    const after = step(config, before, { at: noon + 2 * hour, vantages: except({ 2: "reset", 8: "dns" }) });
    expect(changed(config, before, after)).toEqual([
      "feed.atom",
      "feed.json",
      "feed/z/p.atom",
      "feed/z/p.json",
    ]);
  });

  test("without a first transition is nothing", () => {
    const first = play(config, [{ at: noon }]);
    const second = step(config, first, { at: noon + day });
    expect(changed(config, first, second)).toEqual([]);
  });
});
