import { describe, expect, test } from "vitest";
import type { Feed, RewrittenTag, Target } from "../../../src/feed/feed.ts";
import { maxEntries } from "../../../src/outputs/changes/change-entries.ts";
import { renderFeeds } from "../../../src/outputs/changes/change-feed.ts";
import { configOf, except, hour, noon, play, textsOf } from "../../support/playing.ts";
import { parseJsonFeed } from "./json-feed.ts";

const tag = "refs/tags/v1";
const [before, after] = ["a".repeat(10), "b".repeat(10)];

/** Returns a rewritten tag, by default half an hour after noon. */
function rewritten(own: Partial<RewrittenTag> = {}): RewrittenTag {
  return { at: "2026-03-10T12:30:00.000Z", tag, from: before, to: after, ...own };
}

/** Returns a feed whose node 2 goes offline at 13:00, and these tags of its first target were rewritten. */
function feedWith(tags: readonly RewrittenTag[], own: Partial<Target> = {}, site = {}): Feed {
  const config = configOf({ site });
  const { feed } = play(config, [{ at: noon }, { at: noon + hour, vantages: except({ 2: "timeout" }) }]);
  const reference = {
    revision: "a",
    branch: undefined,
    since: "",
    content_at: undefined,
    refs: 1,
    index: undefined,
  };
  let isFirst = true;
  const withTags = (target: Target): Target => {
    if (!isFirst) return target;
    isFirst = false;
    return { ...target, ...own, reference: { ...reference, rewritten: tags, former: [] } };
  };
  const systems = feed.systems.map((system) => ({
    ...system,
    projects: system.projects.map((project) => ({ ...project, targets: project.targets.map(withTags) })),
  }));
  return { ...feed, systems };
}

function itemsOf(feed: Feed, path = "feed") {
  return parseJsonFeed(textsOf(renderFeeds(feed)).get(`${path}.json`) ?? "").items;
}

describe("the entry of a rewritten tag", () => {
  test("says what it named and names, and when that was seen", () => {
    const [, item] = itemsOf(feedWith([rewritten()]));
    expect(item).toMatchObject({
      title: "refs/tags/v1 of s/p/t was rewritten",
      content_text: `A tag of the reference moved: refs/tags/v1 named ${before} and now names ${after}, seen at 2026-03-10 12:30 UTC.`,
      date_published: "2026-03-10T12:30:00.000Z",
      _mirrorfeed: { system: "s", project: "p", target: "t", rewritten: { tag, from: before, to: after } },
    });
  });

  test("says that it vanished", () => {
    const [, item] = itemsOf(feedWith([rewritten({ to: undefined })]));
    expect(item?.content_text).toBe(
      `A tag of the reference vanished: refs/tags/v1 named ${before} and vanished, seen at 2026-03-10 12:30 UTC.`,
    );
    expect(item?._mirrorfeed?.["rewritten"]).toEqual({ tag, from: before });
  });

  test("links to the page of the target, else to the primary, else to the first mirror", () => {
    const link = (own: Partial<Target> = {}, site = {}) =>
      itemsOf(feedWith([rewritten()], own, site))[1]?.url;
    expect(link({}, { url: "https://example.org/feed" })).toBe("https://example.org/feed/status/s/p/t/");
    expect(link({ primary: 2 })).toBe("https://m2.example.org/a/b");
    expect(link({ primary: undefined })).toBe("https://m1.example.org/a/b");
  });

  test("has an id of its own for each tag and time, whatever it names now", () => {
    const idOf = (own: Partial<RewrittenTag>) => itemsOf(feedWith([rewritten(own)]))[1]?.id;
    expect(idOf({ to: undefined })).toBe(idOf({}));
    expect(idOf({ tag: "refs/tags/v2" })).not.toBe(idOf({}));
    expect(idOf({ at: "2026-03-10T12:31:00.000Z" })).not.toBe(idOf({}));
  });
});

describe("entries of rewritten tags", () => {
  test("stand among those of statuses, the newest first, in the feed of the project too", () => {
    const feed = feedWith([
      rewritten({ tag: "refs/tags/old" }),
      rewritten({ tag: "refs/tags/new", at: "2026-03-10T14:00:00.000Z" }),
      rewritten({ tag: "refs/tags/same", at: "2026-03-10T13:00:00.000Z" }),
    ]);
    const titles = itemsOf(feed).map(({ title }) => title?.replace(/ .*/, ""));
    expect(titles).toEqual(["refs/tags/new", "m2.example.org/a/b", "refs/tags/same", "refs/tags/old"]);
    expect(itemsOf(feed, "feed/s/p")).toEqual(itemsOf(feed));
    expect(itemsOf(feed, "feed/z/p")).toEqual([]);
  });

  test("count among the maximum of entries", () => {
    const tags = Array.from({ length: maxEntries + 5 }, (_, index) =>
      rewritten({ tag: `refs/tags/v${index}` }),
    );
    const items = itemsOf(feedWith(tags));
    expect(items).toHaveLength(maxEntries);
    expect(items[0]?.title).toContain("is offline");
  });
});
