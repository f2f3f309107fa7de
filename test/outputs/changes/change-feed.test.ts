import type { XmlElement } from "@rgrove/parse-xml";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Config } from "../../../src/config/schema.ts";
import type { Feed } from "../../../src/feed/feed.ts";
import { maxEntries } from "../../../src/outputs/changes/change-entries.ts";
import { jsonFeedSchema } from "../../../src/outputs/changes/change-feed-schema.ts";
import { renderFeeds } from "../../../src/outputs/changes/change-feed.ts";
import { configOf, except, hour, noon, play, roundsArbitrary, step, textsOf } from "../../support/playing.ts";
import { trials } from "../../support/trials.ts";
import { elementsOf, parseXml } from "../../support/xml.ts";

const config = configOf();
const published = configOf({ site: { url: "https://example.org/feed/", title: "The mirrors" } });

const date = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Parses an Atom feed. Throws if the text breaks a MUST of RFC 4287. */
function parseAtom(text: string) {
  const feed = parseXml(text);
  expect([feed.name, feed.attributes["xmlns"]]).toEqual(["feed", "http://www.w3.org/2005/Atom"]);
  const { id, title, updated, author, link = [], entry = [] } = childrenOf(feed);
  const entries = entry.map(parseEntry);
  expect(new Set(entries.map((one) => one.id)).size).toBe(entries.length);
  const links = new Map(link.map(({ attributes }) => [attributes["rel"], href(attributes)]));
  expect(links.size).toBe(link.length);
  return {
    id: iri(textOf(id)),
    title: textOf(title),
    updated: timestamp(updated),
    author: textOf(author),
    links: { alternate: links.get("alternate"), self: links.get("self") },
    entries,
  };
}

function parseEntry(element: XmlElement) {
  const { id, title, updated, published: first, link, content, category = [] } = childrenOf(element);
  expect(link?.map(({ attributes }) => attributes["rel"])).toEqual([undefined]);
  return {
    id: iri(textOf(id)),
    title: textOf(title),
    updated: timestamp(updated),
    published: timestamp(first),
    link: href(link?.[0]?.attributes ?? {}),
    content: textOf(content),
    categories: category.map(({ attributes }) => attributes["term"]),
  };
}

/** Returns the child elements by their names, which are those of RFC 4287 that mirrorfeed uses. */
function childrenOf(element: XmlElement): Partial<Record<string, XmlElement[]>> {
  const names = ["id", "title", "updated", "published", "author", "link", "entry", "content", "category"];
  const found = names.map((name) => [name, elementsOf(element, name)] as const);
  const elements = element.children.filter(({ type }) => type !== "text");
  expect(found.flatMap(([, some]) => some)).toHaveLength(elements.length);
  return Object.fromEntries(found.filter(([, some]) => some.length > 0));
}

/** Returns the plain text of the one element of this name. Its type is "text", as many readers show every text. */
function textOf(elements: readonly XmlElement[] = []): string {
  expect(elements).toHaveLength(1);
  const [{ text, attributes } = { text: "", attributes: {} }] = elements;
  expect(attributes).toEqual({});
  expect(text.trim()).not.toBe("");
  return text.trim();
}

function timestamp(elements: readonly XmlElement[] | undefined): string {
  const text = textOf(elements);
  expect(text).toMatch(date);
  return text;
}

function iri(text: string): string {
  expect(new URL(text).href).toBe(text);
  return text;
}

function href(attributes: Readonly<Record<string, string>>): string | undefined {
  expect(attributes["href"]).toMatch(/^https?:/);
  return attributes["href"];
}

/** Returns a feed whose node 2 goes offline an hour after the first run, and online again two and a half hours later. */
function outage(of: Config): Feed {
  return play(of, [
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
function read(of: Config, feed: Feed, path = "feed") {
  const texts = textsOf(renderFeeds(at(of, feed)));
  const text = texts.get(`${path}.json`) ?? "";
  const json = jsonFeedSchema.parse(JSON.parse(text));
  expect(`${JSON.stringify(json)}\n`).toBe(text);
  expect(new Set(json.items.map(({ id }) => id)).size).toBe(json.items.length);
  return { atom: parseAtom(texts.get(`${path}.atom`) ?? ""), json };
}

describe("for any feed and any rounds", () => {
  test("both documents are valid, and have the same content", () => {
    fc.assert(
      fc.property(roundsArbitrary, ({ config: drawn, rounds }) => {
        const { feed } = play(drawn, rounds);
        const projects = drawn.systems.flatMap(({ system, projects: below }) =>
          below.map(({ project }) => `feed/${system}/${project}`),
        );
        const paths = ["feed", ...projects];
        const files = renderFeeds(feed).map(({ path }) => path);
        expect(files).toEqual(paths.flatMap((path) => [`${path}.atom`, `${path}.json`]));
        for (const path of paths) {
          const { atom, json } = read(drawn, feed, path);
          expect([atom.title, atom.author]).toEqual([json.title, drawn.site.title]);
          expect(atom.links.alternate).toBe(json.home_page_url);
          expect(atom.links.self?.replace(/\.atom$/, ".json")).toBe(json.feed_url);
          const times = atom.entries.map(({ updated }) => updated);
          expect(times).toEqual(times.toSorted().toReversed());
          expect(times[0] ?? atom.updated).toBe(atom.updated);
          expect(atom.entries.map(({ published: first }) => first)).toEqual(times);
          expect(
            atom.entries.map(({ id, link, title, content, updated, categories }) => {
              return {
                id,
                url: link,
                title,
                content_text: content,
                date_published: updated,
                tags: categories,
              };
            }),
          ).toEqual(json.items.map(({ _mirrorfeed, tags = [], ...item }) => ({ ...item, tags })));
        }
      }),
      { numRuns: trials(12) },
    );
  });

  test("an entry never changes with later rounds or another URL of the site, and none comes back", () => {
    fc.assert(
      fc.property(roundsArbitrary, fc.nat(), ({ config: drawn, rounds }, some) => {
        const early = play(drawn, rounds.slice(0, 1 + (some % rounds.length)));
        const later = play(drawn, rounds);
        const before = read(drawn, early.feed);
        const after = read(drawn, later.feed);
        const seen = new Map(before.atom.entries.map((entry) => [entry.id, entry]));
        const kept = after.atom.entries.filter(({ id }) => seen.has(id));
        expect(kept).toEqual(kept.map(({ id }) => seen.get(id)));
        for (const { id, updated } of after.atom.entries)
          if (!seen.has(id)) expect(updated > before.atom.updated).toBe(true);
        const elsewhere = { ...drawn, site: { ...drawn.site, url: "https://elsewhere.example.org/" } };
        const ids = read(elsewhere, later.feed).json.items.map(({ id }) => id);
        expect(ids).toEqual(after.json.items.map(({ id }) => id));
      }),
      { numRuns: trials(12) },
    );
  });

  test("the feed of a project has exactly its own entries of the whole feed", () => {
    fc.assert(
      fc.property(roundsArbitrary, ({ config: drawn, rounds }) => {
        const { feed } = play(drawn, rounds);
        const all = read(drawn, feed).json.items;
        fc.pre(all.length < maxEntries);
        for (const { system, projects } of drawn.systems)
          for (const { project } of projects)
            expect(read(drawn, feed, `feed/${system}/${project}`).json.items).toEqual(
              all.filter(({ _mirrorfeed: data }) =>
                JSON.stringify(data).startsWith(`{"system":"${system}","project":"${project}"`),
              ),
            );
      }),
      { numRuns: trials(12) },
    );
  });
});

describe("a feed", () => {
  test("has the title and the address of its page, and is named by no URL", () => {
    const feed = outage(published);
    const { atom } = read(published, feed);
    expect(atom).toMatchObject({
      id: "urn:uuid:a02c2f74-04e7-8799-8368-08127e1e22e9",
      title: "The mirrors",
      updated: "2026-03-10T15:30:00.000Z",
      author: "The mirrors",
      links: { alternate: "https://example.org/feed/", self: "https://example.org/feed/feed.atom" },
    });
    expect(read(published, feed, "feed/s/p").atom).toMatchObject({
      title: "The mirrors: s/p",
      links: { alternate: "https://example.org/feed/status/s/p/" },
      entries: atom.entries,
    });
    const unnamed = read(config, feed);
    expect(unnamed.atom.links).toEqual({ alternate: undefined, self: undefined });
    expect(unnamed.json).not.toHaveProperty("feed_url");
    const paths = ["feed", "feed/s/p", "feed/s/q", "feed/z/p"];
    const ids = paths.map((path) => read(published, feed, path).atom.id);
    expect(new Set(ids).size).toBe(paths.length);
    expect(paths.map((path) => read(config, feed, path).atom.id)).toEqual(ids);
  });

  test("of a target is there if the site asks for it", () => {
    const asking = configOf({ site: { targetFeeds: true } });
    const paths = renderFeeds(outage(asking)).map(({ path }) => path);
    expect(paths.filter((path) => /^feed(\/\w){3}\.json/.test(path))).toEqual(
      ["s/p/t", "s/p/u", "s/q/t", "z/p/t"].map((place) => `feed/${place}.json`),
    );
    expect(read(asking, outage(asking), "feed/s/p/t").json.items).toHaveLength(2);
    expect(read(asking, outage(asking), "feed/s/p/u").json.items).toEqual([]);
  });

  test("has titles and names unchanged, whatever is in them", () => {
    const tricky = `<b>&lt;"it's"&amp; ]]>]]> \\ \u2665`;
    const strange = configOf({ site: { title: tricky } });
    const [node] = strange.systems[0]?.projects[0]?.targets[0]?.network ?? [];
    if (node === undefined) throw new Error("there is a node");
    node.name = tricky;
    node.url = "https://m1.example.org/a'b?c=1&d=%3C";
    const down = play(strange, [{ at: noon }, { at: noon + hour, vantages: except({ 1: "auth" }) }]);
    expect(read(strange, down.feed, "feed/s/p").atom).toMatchObject({
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

  test("without a transition has no entry, and the oldest time of all nodes, or 1970", () => {
    const target = (...ids: number[]): Config => {
      const network = ids.map((id) => ({ id, url: `https://m${id}.example.org/` }));
      const systems = [{ system: "s", projects: [{ project: "p", targets: [{ target: "t", network }] }] }];
      return { ...config, systems };
    };
    const first = play(target(2), [{ at: noon }]);
    const second = step(target(2, 3), first, { at: noon + hour });
    const third = step(target(1, 2, 3), second, { at: noon + 2 * hour });
    const offline = play(config, [{ at: noon, vantages: { default: () => "dns" } }]);
    for (const [{ feed }, updated] of [
      [third, "2026-03-10T12:00:00.000Z"],
      [offline, "1970-01-01T00:00:00.000Z"],
    ] as const)
      expect(read(config, feed)).toMatchObject({ atom: { updated, entries: [] }, json: { items: [] } });
  });
});
