import { XmlElement } from "@rgrove/parse-xml";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Config } from "../../../src/core/config/config-schema.ts";
import type { Feed } from "../../../src/core/feed/feed.ts";
import { type JsonFeed, jsonFeedSchema, maxEntries } from "../../../src/features/changes/change-entries.ts";
import { renderFeeds } from "../../../src/features/changes/change-feed.ts";
import { configOf, hour, noon, outage, play, roundsArbitrary, textsOf } from "../../support/playing.ts";
import { networkAt, projectConfig } from "../../support/rounds.ts";
import { trials } from "../../support/trials.ts";
import { elementsOf, parseXml } from "../../support/xml.ts";

const config = configOf();
const published = configOf({ site: { url: "https://example.org/feed/", title: "The mirrors" } });

type Attributes = Readonly<Record<string, string>>;
type Element = readonly [name: string, attributes: Attributes, content: string | readonly Element[]];

function elementOf({ name, attributes, children, text }: XmlElement): Element {
  const elements = children.filter((child) => child instanceof XmlElement);
  return [name, attributes, elements.length === 0 ? text : elements.map(elementOf)];
}

/** Returns the Atom feed (RFC 4287) with the same content as a JSON Feed. */
function atomOf(feed: JsonFeed, updated: string): Element {
  const { title, language, home_page_url, feed_url, authors, items } = feed;
  const link = (rel: string, href: string | undefined): Element[] =>
    href === undefined ? [] : [["link", { rel, href }, ""]];
  return [
    "feed",
    { xmlns: "http://www.w3.org/2005/Atom", "xml:lang": language },
    [
      ["id", {}, expect.stringMatching(/^urn:uuid:[\da-f-]{36}$/)],
      ["title", {}, title],
      ["updated", {}, items[0]?.date_published ?? updated],
      ["author", {}, authors.map(({ name }): Element => ["name", {}, name])],
      ...link("alternate", home_page_url),
      ...link("self", feed_url?.replace(/json$/, "atom")),
      ...items.map((item): Element => {
        const categories = (item.tags ?? []).map((term): Element => ["category", { term }, ""]);
        return [
          "entry",
          {},
          [
            ["id", {}, item.id],
            ["title", {}, item.title],
            ...(item.url === undefined ? [] : [["link", { href: item.url }, ""] satisfies Element]),
            ["updated", {}, item.date_published],
            ["published", {}, item.date_published],
            ...categories,
            ["content", {}, item.content_text],
          ],
        ];
      }),
    ],
  ];
}

/** Returns the feed with the site and the URL of a configuration. */
function at({ site }: Config, feed: Feed): Feed {
  return { ...feed, site, url: site.url?.replace(/\/$/, "") };
}

/** Fails if the JSON Feed is invalid, or if the Atom feed's content differs. */
function read(of: Config, feed: Feed, path = "feed") {
  const texts = textsOf(renderFeeds(at(of, feed)));
  const json = jsonFeedSchema.parse(JSON.parse(texts.get(`${path}.json`) ?? ""));
  expect(json.authors).toEqual([{ name: of.site.title }]);
  const times = json.items.map(({ date_published }) => date_published);
  expect(times).toEqual(times.toSorted().toReversed());
  expect(new Set(json.items.map(({ id }) => id)).size).toBe(json.items.length);
  const atom = parseXml(texts.get(`${path}.atom`) ?? "");
  const [id = "", updated = ""] = ["id", "updated"].map((name) => elementsOf(atom, name)[0]?.text);
  expect(new Date(updated).toISOString()).toBe(updated);
  expect(elementOf(atom)).toEqual(atomOf(json, updated));
  return { id, updated, ...json };
}

describe("for any feed and any rounds", () => {
  test("both documents are valid and have the same content, and a project has exactly its own entries", () => {
    fc.assert(
      fc.property(roundsArbitrary, ({ config: drawn, rounds }) => {
        const { feed } = play(drawn, rounds);
        const projects = drawn.systems.flatMap(({ system, projects: below }) =>
          below.map(({ project }) => `feed/${system}/${project}`),
        );
        const paths = ["feed", ...projects];
        const files = renderFeeds(feed).map(({ path }) => path);
        expect(files).toEqual(paths.flatMap((path) => [`${path}.atom`, `${path}.json`]));
        const all = read(drawn, feed).items;
        for (const path of projects) {
          const prefix = `{"system":"${path.split("/")[1]}","project":"${path.split("/")[2]}"`;
          const own = all.filter(({ _mirrorfeed: data }) => JSON.stringify(data).startsWith(prefix));
          const { items } = read(drawn, feed, path);
          if (all.length < maxEntries) expect(items).toEqual(own);
        }
      }),
      { numRuns: trials(12) },
    );
  });

  test("an entry never changes with later rounds, none comes back, and no other site has its id", () => {
    fc.assert(
      fc.property(roundsArbitrary, fc.nat(), ({ config: drawn, rounds }, some) => {
        const early = play(drawn, rounds.slice(0, 1 + (some % rounds.length)));
        const later = play(drawn, rounds);
        const before = read(drawn, early.feed);
        const after = read(drawn, later.feed);
        const seen = new Map(before.items.map((item) => [item.id, item]));
        for (const item of after.items)
          if (seen.has(item.id)) expect(item).toEqual(seen.get(item.id));
          else expect(item.date_published > before.updated).toBe(true);
        const elsewhere = { ...drawn, site: { ...drawn.site, url: "https://elsewhere.example.org/" } };
        const ids = new Set(read(elsewhere, later.feed).items.map(({ id }) => id));
        expect(ids.size).toBe(after.items.length);
        expect(after.items.filter(({ id }) => ids.has(id))).toEqual([]);
      }),
      { numRuns: trials(12) },
    );
  });
});

describe("a feed", () => {
  test("has the title and the address of its page, and an id of its own at each URL", () => {
    const feed = outage(published);
    const whole = read(published, feed);
    expect(whole).toMatchObject({
      id: "urn:uuid:2a0268ed-160e-830e-8c1c-730150150cf9",
      title: "The mirrors",
      home_page_url: "https://example.org/feed/",
      feed_url: "https://example.org/feed/feed.json",
    });
    expect(read(published, feed, "feed/s/p")).toMatchObject({
      title: "The mirrors: s/p",
      home_page_url: "https://example.org/feed/status/s/p/",
      items: whole.items,
    });
    for (const field of ["home_page_url", "feed_url"]) expect(read(config, feed)).not.toHaveProperty(field);
    const paths = ["feed", "feed/s/p", "feed/s/q", "feed/z/p"];
    const ids = paths.map((path) => read(published, feed, path).id);
    expect(new Set(ids).size).toBe(paths.length);
    const elsewhere = paths.map((path) => read(config, feed, path).id);
    expect(new Set([...ids, ...elsewhere]).size).toBe(2 * paths.length);
  });

  test("has titles and names unchanged, whatever is in them", () => {
    const tricky = `<b>&lt;"it's"&amp; ]]>]]> \\ \u2665`;
    const strange = configOf({ site: { title: tricky } });
    const [node] = strange.systems[0]?.projects[0]?.targets[0]?.network ?? [];
    if (node === undefined) throw new Error("there is a node");
    node.name = tricky;
    node.url = "https://m1.example.org/a'b?c=1&d=%3C";
    const content_text: unknown = expect.stringContaining(`A mirror of s/p/t: ${node.url}`);
    const items = ["online", "offline (auth)"].map((state) => {
      return { title: `${tricky} is ${state}`, url: node.url, content_text };
    });
    const feed = outage(strange, { 1: "auth" });
    expect(read(strange, feed, "feed/s/p")).toMatchObject({ title: `${tricky}: s/p`, items });
  });

  test("without a transition has no entry, and the oldest time of all nodes, or 1970", () => {
    const offline = play(config, [{ at: noon, vantages: { default: () => "dns" } }]);
    for (const [{ feed }, updated] of [
      [play(config, [{ at: noon }, { at: noon + hour }]), "2026-03-10T12:00:00.000Z"],
      [offline, "1970-01-01T00:00:00.000Z"],
    ] as const)
      expect(read(config, feed)).toMatchObject({ updated, items: [] });
  });

  test("of a site without a URL has the id of its first mirror", () => {
    const idsOf = (own: Config) => {
      const texts = textsOf(renderFeeds(play(own, [{ at: noon }]).feed));
      return [...(texts.get("feed.atom") ?? "").matchAll(/<id>(.*?)<\/id>/g)].map(([, id]) => id);
    };
    const other = projectConfig([{ target: "t", network: networkAt(["https://other.example.org/a/b"]) }]);
    expect(idsOf(other)).not.toEqual(idsOf(configOf()));
  });
});
