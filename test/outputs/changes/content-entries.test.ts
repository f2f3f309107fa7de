import { describe, expect, test } from "vitest";
import { listNodes } from "../../../src/config/nodes.ts";
import { parseNotice } from "../../../src/config/notice.ts";
import type { Feed } from "../../../src/feed/feed.ts";
import { noticesOf } from "../../../src/feed/incidents.ts";
import { nodesOf, targetsOf } from "../../../src/feed/feed.ts";
import { maxEntries } from "../../../src/outputs/changes/change-entries.ts";
import { renderFeeds } from "../../../src/outputs/changes/change-feed.ts";
import { changesKept } from "../../../src/state/schema.ts";
import type { Seen } from "../../support/rounds.ts";
import { configOf, day, hour, noon, play, step, textsOf, type Played } from "../../support/playing.ts";
import { parseAtom } from "./atom.ts";
import { type JsonFeed, parseJsonFeed } from "./json-feed.ts";

const config = configOf({ site: { url: "https://example.org/feed/" } });

function revision(digit: number): Seen {
  return { revision: String(digit).repeat(40), branch: "main" };
}

/** Returns a round in which the primary has a revision, and the node 2 another one. */
function round(at: number, primary: number, mirror: number) {
  return {
    at,
    vantages: { default: (id: number): Seen => (id === 2 ? revision(mirror) : revision(primary)) },
  };
}

/** Returns a round in which the certificate of node 2 expires at a time. */
function expiring(at: number, expiry: number) {
  const tls_expires_at = new Date(expiry).toISOString();
  return { at, vantages: { default: (id: number): Seen => (id === 2 ? { tls_expires_at } : "ok") } };
}

function items(feed: Feed, path = "feed"): JsonFeed["items"] {
  return parseJsonFeed(textsOf(renderFeeds(feed)).get(`${path}.json`) ?? "").items;
}

describe("a change of freshness", () => {
  const rounds = [round(noon, 1, 1), round(noon + hour, 2, 1), round(noon + 2 * hour, 2, 2)];

  test("is an entry with the category freshness, in both feeds", () => {
    const { feed } = play(config, rounds);
    const own = { system: "s", project: "p", target: "t", id: 2 };
    expect(items(feed).map(({ title, tags, _mirrorfeed: data }) => ({ title, tags, data }))).toEqual([
      { title: "m2.example.org/a/b is in sync", tags: ["freshness"], data: { ...own, freshness: "in_sync" } },
      { title: "m2.example.org/a/b is behind", tags: ["freshness"], data: { ...own, freshness: "behind" } },
    ]);
    expect(items(feed)[1]?.content_text).toBe(
      "It has what the reference had before. Seen at 2026-03-10 13:00 UTC. A mirror of s/p/t: https://m2.example.org/a/b",
    );
    const { entries } = parseAtom(textsOf(renderFeeds(feed)).get("feed/s/p.atom") ?? "");
    expect(entries.map(({ id, categories }) => ({ id, categories }))).toEqual(
      items(feed).map(({ id, tags }) => ({ id, categories: tags })),
    );
    expect(items(feed, "feed/s/q")).toEqual([]);
  });

  test("says that a mirror differs", () => {
    const differing = [round(noon, 1, 1), round(noon + hour, 1, 2), round(noon + 26 * hour, 1, 2)];
    expect(
      items(play(config, differing).feed).map(({ title, content_text: text }) => ({ title, text })),
    ).toEqual([
      {
        title: "m2.example.org/a/b differs",
        text: expect.stringMatching(
          /^Its content is not that of the reference\. Seen at 2026-03-11 14:00 UTC\./,
        ),
      },
    ]);
  });

  test("is none if the freshness becomes unknown, or the mirror is offline", () => {
    const unknown = {
      at: noon + 2 * hour,
      vantages: { default: (id: number): Seen => (id === 2 ? "ok" : revision(2)) },
    };
    const offline = {
      at: noon + hour,
      vantages: { default: (id: number): Seen => (id === 2 ? "dns" : revision(2)) },
    };
    const same = round(noon + 3 * hour, 2, 1);
    expect(items(play(config, [...rounds.slice(0, 2), unknown, same]).feed)).toHaveLength(1);
    expect(items(play(config, [...rounds.slice(0, 1), offline]).feed).map(({ tags }) => tags)).toEqual([
      undefined,
    ]);
  });

  test("never changes its entry, and leaves room for changes of the status", () => {
    let played: Played | undefined;
    let before: JsonFeed["items"] = [];
    for (let index = 0; index < 4 * changesKept; index += 1) {
      const is = Math.floor(index / 2);
      played = step(
        config,
        played,
        round(noon + index * hour, (is % 9) + 1, ((is - (index % 2 === 0 ? 1 : 0)) % 9) + 1),
      );
      const now = items(played.feed);
      const known = new Map(now.map((item) => [item.id, item]));
      for (const item of before) expect([item, undefined]).toContainEqual(known.get(item.id));
      before = now;
    }
    expect(before).toHaveLength(changesKept);
    expect(before.length).toBeLessThan(maxEntries);
  });
});

describe("a certificate", () => {
  test("has an entry when it expires in less than fourteen days, and when it was renewed", () => {
    const first = noon + 20 * day;
    const rounds = [expiring(noon, first), expiring(noon + 5 * day, first), expiring(noon + 7 * day, first)];
    const { feed } = play(config, [
      ...rounds,
      expiring(noon + 8 * day, first),
      expiring(noon + 9 * day, first + 60 * day),
    ]);
    expect(items(feed).map(({ title, date_published: at, tags }) => ({ title, at, tags }))).toEqual([
      {
        title: "The certificate of m2.example.org/a/b was renewed",
        at: "2026-03-19T12:00:00.000Z",
        tags: ["certificate"],
      },
      {
        title: "The certificate of m2.example.org/a/b expires soon",
        at: "2026-03-17T12:00:00.000Z",
        tags: ["certificate"],
      },
    ]);
    expect(items(feed)[1]?._mirrorfeed).toMatchObject({
      certificate: "certificate_expires",
      expires_at: "2026-03-30T12:00:00.000Z",
    });
  });
});

describe("a notice", () => {
  const nodes = listNodes(config);
  const about = (head: string) => ({
    ...parseNotice(
      `---\ntitle: <b>Disks & more</b>\n${head}\n---\nIt *moves*.\n`,
      "disks",
      "disks.md",
      nodes,
      noon,
    ),
    html: "",
  });
  const { feed } = play(config, [{ at: noon }]);
  const withNotice = (head: string): Feed => ({
    ...feed,
    notices: noticesOf([about(head)], nodesOf(targetsOf(feed.systems))),
  });

  test("is an entry of the feeds of its mirrors once it has begun, with a link to its page", () => {
    const shown = withNotice("from: 2026-03-10T11:00:00Z\nmirrors: [2]\nstate: monitoring");
    expect(items(shown)).toEqual([
      {
        id: expect.stringMatching(/^urn:uuid:/),
        url: "https://example.org/feed/incidents/disks/",
        title: "<b>Disks & more</b>",
        content_text: "From 2026-03-10 11:00 UTC. State: monitoring.\n\nIt *moves*.",
        date_published: "2026-03-10T11:00:00.000Z",
        tags: ["incident"],
        _mirrorfeed: { notice: "disks", state: "monitoring", from: "2026-03-10T11:00:00.000Z" },
      },
    ]);
    expect(items(shown, "feed/s/p")).toEqual(items(shown));
    expect(items(shown, "feed/s/q")).toEqual([]);
    expect(items(withNotice("from: 2026-03-10T12:00:01Z\nmirrors: [2]"))).toEqual([]);
    const ending = withNotice("from: 2026-03-10T12:00:00Z\nto: 2026-03-11T08:00:00Z\nmirrors: [2]");
    expect(items(ending)[0]?.content_text).toBe(
      "From 2026-03-10 12:00 UTC to 2026-03-11 08:00 UTC.\n\nIt *moves*.",
    );
  });

  test("stays an entry if all of its mirrors have left the feed", () => {
    const shown = withNotice("from: 2026-03-10T10:00:00Z\nto: 2026-03-10T11:00:00Z\nmirrors: [99]");
    expect(items(shown).map(({ tags }) => tags)).toEqual([["incident"]]);
    const [node] = nodesOf(targetsOf(feed.systems));
    expect(items({ ...shown, url: undefined }).map(({ url }) => url)).toEqual([node?.url]);
  });

  test("without mirrors is an announcement, in the feed of the whole site alone", () => {
    const shown = withNotice("from: 2026-03-10T11:00:00Z");
    expect(items(shown).map(({ tags }) => tags)).toEqual([["announcement"]]);
    expect(items(shown, "feed/s/p")).toEqual([]);
  });
});
