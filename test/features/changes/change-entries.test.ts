import { describe, expect, test } from "vitest";
import { type Feed, targetsOf } from "../../../src/core/feed/feed.ts";
import { type JsonFeed, jsonFeedSchema, maxEntries } from "../../../src/features/changes/change-entries.ts";
import { renderFeeds } from "../../../src/features/changes/change-feed.ts";
import { transitionsKept } from "../../../src/core/state/state-schema.ts";
import { configOf, day, except, hour, noon, outage, play, textsOf } from "../../support/playing.ts";
import { noticed } from "../../support/noticed.ts";
import type { Seen } from "../../support/rounds.ts";
import type { RewrittenTag } from "../../../src/core/feed/target-reference.ts";

const config = configOf({ site: { url: "https://example.org/feed/" } });
const mirror = { system: "s", project: "p", target: "t", id: 2 };

function items(feed: Feed, path = "feed"): JsonFeed["items"] {
  return jsonFeedSchema.parse(JSON.parse(textsOf(renderFeeds(feed)).get(`${path}.json`) ?? "")).items;
}

describe("a change of the status", () => {
  const feed = outage(config);

  test("says what changed, why, when and after how long, and links to the page of the target", () => {
    const ends = ". A mirror of s/p/t: https://m2.example.org/a/b";
    const url = "https://example.org/feed/status/s/p/t/";
    expect(items(feed)).toEqual([
      {
        id: "urn:uuid:0fa07d1a-d891-88f4-8ab0-d1dd94cce446",
        url,
        title: "m2.example.org/a/b is online",
        content_text: `The mirror answered as expected. Online since 2026-03-10 15:30 UTC, after 2 hours offline${ends}`,
        date_published: "2026-03-10T15:30:00.000Z",
        _mirrorfeed: { ...mirror, status: 1, code: "ok", after_seconds: 9000 },
      },
      {
        id: "urn:uuid:24c05f8b-f77e-8497-836b-7dadb03fe99b",
        url,
        title: "m2.example.org/a/b is offline (timeout)",
        content_text: `It did not answer in time. Offline since 2026-03-10 13:00 UTC${ends}`,
        date_published: "2026-03-10T13:00:00.000Z",
        _mirrorfeed: { ...mirror, status: 0, code: "timeout" },
      },
    ]);
    const links = items({ ...feed, url: undefined }).map(({ url: link }) => link);
    expect(links).toEqual(Array(2).fill("https://m2.example.org/a/b"));
  });

  test("is among the newest, those of one time in the order of the network", () => {
    const ids = Array.from({ length: maxEntries / 2 + 10 }, (_, index) => index + 1);
    const network = ids.map((id) => ({ id, url: `https://m${id}.example.org/` }));
    const systems = [{ system: "s", projects: [{ project: "p", targets: [{ target: "t", network }] }] }];
    // One reachable mirror proves that the prober is online.
    const nearly = (id: number): "ok" | "timeout" => (id === ids.length ? "ok" : "timeout");
    const large = { ...config, systems };
    const rounds = [{ at: noon }, { at: noon + hour, vantages: { eu: nearly } }, { at: noon + 2 * hour }];
    const changing = ids.slice(0, -1);
    const all = [1, 0].flatMap((status) => changing.map((id) => ({ status, id })));
    const shown = items(play(large, rounds).feed).map(({ _mirrorfeed: data }) => data);
    expect(shown).toMatchObject(all.slice(0, maxEntries));
  });

  test("is left out if it is the oldest that the state keeps, whose past is unknown", () => {
    const rounds = Array.from({ length: transitionsKept + 5 }, (_, index) => ({
      at: noon + index * hour,
      vantages: except({ 2: index % 2 === 1 ? "timeout" : "ok" }),
    }));
    const shown = items(play(config, rounds).feed);
    expect(shown).toHaveLength(transitionsKept - 1);
    for (const { content_text } of shown) expect(content_text).toContain("after 60 minutes o");
  });
});

describe("a change of freshness", () => {
  const revision = (digit: number): Seen => ({ revision: String(digit).repeat(40), branch: "main" });
  /** A round in which node 2 has the revision `second`, and all other nodes have `others`. */
  const round = (at: number, others: number, second: number) => {
    return { at, vantages: { default: (id: number): Seen => revision(id === 2 ? second : others) } };
  };
  const late = noon + 29 * hour;
  const rounds = [round(noon, 1, 1), round(noon + hour, 2, 1), round(late, 2, 1), round(late + hour, 2, 2)];

  test("is an entry with the category freshness", () => {
    const { feed } = play(config, rounds);
    const tags = ["freshness"];
    expect(items(feed)).toMatchObject([
      { title: "m2.example.org/a/b is in sync", tags, _mirrorfeed: { ...mirror, freshness: "in_sync" } },
      {
        title: "m2.example.org/a/b is behind",
        tags,
        content_text:
          "It has an older version of the reference's content. Seen at 2026-03-11 17:00 UTC. A mirror of s/p/t: https://m2.example.org/a/b",
        _mirrorfeed: { ...mirror, freshness: "behind" },
      },
    ]);
    expect(items(feed, "feed/s/p")).toEqual(items(feed));
    expect(items(feed, "feed/s/q")).toEqual([]);
  });

  test("is none while a mirror is behind for less than the grace", () => {
    const brief = [...rounds.slice(0, 2), round(late - 1, 2, 1), round(late + hour, 2, 2)];
    expect(items(play(config, brief).feed)).toEqual([]);
  });

  test("is none if the freshness becomes unknown, or the mirror is offline", () => {
    const without = (at: number, seen: Seen) => {
      return { at, vantages: { default: (id: number): Seen => (id === 2 ? seen : revision(2)) } };
    };
    const unknown = [...rounds.slice(0, 3), without(late + hour, "ok"), round(late + 2 * hour, 2, 1)];
    expect(items(play(config, unknown).feed)).toHaveLength(1);
    const offline = [...rounds.slice(0, 1), without(noon + hour, "dns")];
    expect(items(play(config, offline).feed).map(({ tags }) => tags)).toEqual([undefined]);
  });
});

test("a certificate has an entry when it expires in less than fourteen days, and when it was renewed", () => {
  const expiry = noon + 20 * day;
  const rounds = [0, 5, 7, 8, 9].map((days) => {
    const tls_expires_at = new Date(days === 9 ? expiry + 60 * day : expiry).toISOString();
    return { at: noon + days * day, vantages: except({ 2: { tls_expires_at } }) };
  });
  const [name, tags] = ["The certificate of m2.example.org/a/b", ["certificate"]];
  expect(items(play(config, rounds).feed)).toMatchObject([
    { title: `${name} was renewed`, date_published: "2026-03-19T12:00:00.000Z", tags },
    {
      title: `${name} expires soon`,
      date_published: "2026-03-17T12:00:00.000Z",
      tags,
      _mirrorfeed: { certificate: "certificate_expires", expires_at: "2026-03-30T12:00:00.000Z" },
    },
  ]);
});

describe("a notice", () => {
  const { feed } = play(config, [{ at: noon }]);
  const withNotice = (head: string, body = "It *moves*."): Feed =>
    noticed(config, feed, `---\ntitle: <b>Disks & more</b>\n${head}\n---\n${body}\n`);

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
  });

  test("stays an entry if all of its mirrors have left the feed", () => {
    const shown = withNotice("from: 2026-03-10T10:00:00Z\nto: 2026-03-10T11:00:00Z\nmirrors: [99]");
    expect(items(shown).map(({ tags }) => tags)).toEqual([["incident"]]);
    expect(items({ ...shown, url: undefined }).map(({ url }) => url)).toEqual([undefined]);
  });

  test("has an entry for each update that is due, with a link to it", () => {
    const updates = ["2026-03-10T11:30:00Z identified\nA [page](/x/?a=1&b).", "2026-03-10T11:45:00Z\nSoon."];
    const late = "2026-03-10T12:00:01Z resolved\nLate.";
    const shown = withNotice(
      "from: 2026-03-10T11:00:00Z\nto: 2026-03-10T15:00:00Z",
      [...updates, late].map((update) => `## ${update}\n`).join("\n"),
    );
    expect(items(shown)).toMatchObject([
      { title: "<b>Disks & more</b>: update", content_text: "Soon." },
      {
        url: "https://example.org/feed/incidents/disks/#2026-03-10T11:30:00.000Z",
        title: "<b>Disks & more</b>: identified",
        content_text: "A [page](/x/?a=1&b).",
        date_published: "2026-03-10T11:30:00.000Z",
        _mirrorfeed: { notice: "disks", state: "identified" },
      },
      { title: "<b>Disks & more</b>", content_text: expect.not.stringContaining("State") },
    ]);
  });

  test("is cut if it is long", () => {
    const [item] = items(withNotice("from: 2026-03-10T11:00:00Z", "x".repeat(30_000)));
    expect(item?.content_text).toHaveLength(2001);
  });

  test("without mirrors is an announcement, in the feed of the whole site alone", () => {
    const shown = withNotice("from: 2026-03-10T11:00:00Z");
    expect(items(shown).map(({ tags }) => tags)).toEqual([["announcement"]]);
    expect(items(shown, "feed/s/p")).toEqual([]);
  });
});

describe("a rewritten tag", () => {
  const tag = "refs/tags/v1";
  const [before, after] = ["a".repeat(10), "b".repeat(10)];
  const rewritten = (fields: Partial<RewrittenTag> = {}): RewrittenTag => {
    return { at: "2026-03-10T12:30:00.000Z", tag, from: before, to: after, ...fields };
  };
  const played = play(config, [{ at: noon }, { at: noon + hour, vantages: except({ 2: "timeout" }) }]);
  /** Returns a feed in which node 2 goes offline at 13:00, with these rewritten tags in the first target. */
  const feedWith = (tags: readonly RewrittenTag[], primary?: number): Feed => {
    const { feed } = played;
    const [target] = targetsOf(feed.systems);
    const unknown = { branch: undefined, content_at: undefined, refs: 1, index: undefined, former: [] };
    const reference = { ...unknown, revision: "a", since: "", rewritten: tags };
    Object.assign(target ?? {}, { primary, reference });
    return feed;
  };
  const entry = (fields: Partial<RewrittenTag> = {}) => items(feedWith([rewritten(fields)]))[1];

  test("has an entry that says what it pointed to before and after, and when that was seen", () => {
    const data = { system: "s", project: "p", target: "t" };
    expect(entry()).toMatchObject({
      url: "https://example.org/feed/status/s/p/t/",
      title: "refs/tags/v1 of s/p/t was rewritten",
      content_text: `In the reference, refs/tags/v1 moved from ${before} to ${after}. Seen at 2026-03-10 12:30 UTC.`,
      date_published: "2026-03-10T12:30:00.000Z",
      _mirrorfeed: { ...data, rewritten: { tag, from: before, to: after } },
    });
    expect(entry({ to: undefined })).toMatchObject({
      content_text: `The reference no longer has refs/tags/v1, which pointed to ${before}. Seen at 2026-03-10 12:30 UTC.`,
      _mirrorfeed: { ...data, rewritten: { tag, from: before } },
    });
  });

  test("has an id of its own for each tag and time, whatever it names now", () => {
    const others = [{ tag: "refs/tags/v2" }, { at: "2026-03-10T12:31:00.000Z" }];
    const ids = [{}, ...others].map((one) => entry(one)?.id);
    expect(new Set(ids).size).toBe(3);
    expect(entry({ to: undefined })?.id).toBe(ids[0]);
  });

  test("has a name that no reader obeys, whatever is in it", () => {
    const strange = "refs/tags/<b>\u202e\u009b\uffff&";
    expect(entry({ tag: strange })?.title).toBe("refs/tags/<b>\\u202e\\u009b\\uffff& of s/p/t was rewritten");
  });

  test("is among the changes of statuses, the newest first, in the feed of the project too", () => {
    const tags = Array.from({ length: maxEntries + 5 }, (_, index) => `refs/tags/v${index}`);
    const feed = feedWith(tags.map((one) => rewritten({ tag: one })));
    expect(items(feed)).toHaveLength(maxEntries);
    expect(items(feed)[0]?.title).toContain("is offline");
    expect(items(feed, "feed/s/p")).toEqual(items(feed));
    expect(items(feed, "feed/z/p")).toEqual([]);
  });
});
