import { describe, expect, test } from "vitest";
import type { Feed } from "../../../src/core/feed/feed.ts";
import { bareUrl, nameWithUrl } from "../../../src/core/base/text/url.ts";
import { renderPages } from "../../../src/features/pages/pages.tsx";
import { textOf } from "../../support/text-of.ts";
import {
  countriesFeed,
  fourFeed,
  largeFeed,
  manyMirrorsFeed,
  partialFeed,
  type PlayedFeed,
} from "./feeds.ts";
import { pageOf, sectionOf, visibleText, withTargets } from "./rendered.ts";
import type { FeedNode } from "../../../src/core/feed/feed-node.ts";

function withNodes({ feed }: PlayedFeed, change: (node: FeedNode) => FeedNode): { readonly feed: Feed } {
  return withTargets(feed, (target) => ({ ...target, nodes: target.nodes.map(change) }));
}

describe("the home of a feed", () => {
  test("of one target is the page of that target, with the times of the run and the incidents", () => {
    const html = pageOf(fourFeed(["online", "behind", "online", "online"], { split: [] }), "index.html");
    const text = visibleText(html);
    expect(text).toContain("archive: 1 of 4 mirrors is behind. Last run 21 Nov 2026, 12:00 UTC .");
    expect(text).toContain("Use this one https://");
    expect(text).toMatch(/ Now .* All incidents /);
    expect(html).toContain('Valid <time datetime="2026-11-22T06:00:00.000Z"');
    expect(html).not.toContain("breadcrumbs");
    // Each chart includes today, as on every overview.
    expect(html.match(/<svg viewBox="0 0 366 24"/g)).toHaveLength(4);
  });

  test.each([
    ["one project", partialFeed, ["status/", "status/community/", "status/community/jcb/"]],
    ["one system", () => largeFeed(30), ["status/", "status/large/"]],
  ])("is what pages that would repeat it lead to: %s", (_, play, folders) => {
    const pages = renderPages(play().feed).filter(({ path }) => path.endsWith(".html"));
    const leading = pages.filter((file) => textOf(file).includes("refresh"));
    expect(leading.map(({ path }) => path)).toEqual(folders.map((folder) => `${folder}index.html`));
  });

  test("is the only page above a target in a feed of one project", () => {
    const html = pageOf(partialFeed(), "status/community/jcb/gitea/index.html");
    const trail = /<nav class=breadcrumbs.*?<\/nav>/.exec(html)?.[0] ?? "";
    expect(visibleText(trail)).toBe(" Overview gitea ");
  });
});

describe("the best mirror of each target", () => {
  const bestOf = (html: string): string[] =>
    [...html.matchAll(/<small> (best[^<]*)<\/small>\u00a0<a class="go" href="([^"]*)"[^>]* data-copy/g)].map(
      ([, word = "", url = ""]) => `${word} ${url}`,
    );

  test("is marked on the overview, unless none answers", () => {
    const best = bestOf(pageOf(partialFeed(), "index.html"));
    expect(best).toHaveLength(10);
    expect(best[0]).toBe("best https://git.vdm.dev/joomla/super-powers");
    expect(best.join()).not.toContain("gitea");
  });

  test("is recommended with its reasons, but not if an operator's notice names it or it fails often", () => {
    const bestOn = (change: (node: FeedNode) => Partial<FeedNode>): string => {
      const changed = withNodes(manyMirrorsFeed(9), (node) => ({ ...node, ...change(node) }));
      const best = visibleText(sectionOf(pageOf(changed, "index.html"), "best"));
      return best.split("Commands")[0] ?? "";
    };
    const unsteady = ({ uptime }: FeedNode): Partial<FeedNode> => ({
      uptime: { ...uptime, "7d": { ratio: 0.66, coverage: 1 } },
    });
    expect(bestOn(() => ({}))).toMatch(
      /Use this one https:\/\/mirror-2\..* In sync · [\d.]+ % uptime · no failure for \d+ days · \d+ ms Also good: mirror-4\./,
    );
    const fourth = "Use this one https://mirror-4.";
    expect(bestOn(({ id }) => (id === 2 ? { notice: "disks" } : {}))).toContain(fourth);
    expect(bestOn((node) => (node.id === 2 ? unsteady(node) : {}))).toContain(fourth);
    const none = bestOn(unsteady);
    expect(none).toContain("at least every third run of the last week. Best reachable mirror https://");
    expect(none).not.toContain("Also good");
    expect(bestOn(() => ({ notice: "disks" }))).toContain("The operator’s notice is about this mirror too");
  });

  test("is called merely reachable if it has a problem", () => {
    const wrong = withNodes(partialFeed(), (node) => ({ ...node, state: "wrong" }));
    const words = bestOf(pageOf(wrong, "index.html")).map((text) => text.split(" https")[0]);
    expect(new Set(words)).toEqual(new Set(["best reachable"]));
  });
});

test.each([
  ["a.example.org/b", "https://a.example.org/b/", "a.example.org/b"],
  ["a.example.org", "https://a.example.org/b", "a.example.org/b"],
  ["Mirror a.example.org/b", "https://a.example.org/b", "Mirror a.example.org/b"],
  ["Berlin", "https://a.example.org/b", undefined],
])("the name %s and the URL %s are written once if one contains the other", (name, url, whole) => {
  expect(nameWithUrl(name, url)).toBe(whole);
  const pages = withNodes(partialFeed(), (node) => ({ ...node, name, url }));
  const row = /<li class="node".*?<\/li>/.exec(pageOf(pages, "index.html"))?.[0] ?? "";
  expect(row).toContain(`href="${url}"`);
  expect(visibleText(row).split(bareUrl(url))).toHaveLength(2);
});

test("a mirror that is behind says how far", () => {
  const behind_since = "2026-11-21T11:59:30.000Z";
  const pages = withNodes(partialFeed(), (node) => {
    return { ...node, state: "behind", freshness: "behind", behind_since, lag_seconds: 3 * 86_400 };
  });
  expect(visibleText(pageOf(pages, "index.html"))).toMatch(
    /Behind · since [^·]+ · 3 days older than the reference /,
  );
  expect(visibleText(pageOf(pages, "status/community/jcb/packages/index.html"))).toContain(
    "No mirror of this target is up to date. This one is 3 days older than the reference.",
  );
});

test("countries have a column, and a list for each", () => {
  const overview = pageOf(countriesFeed(), "index.html");
  const rows = overview.match(/<li class="node".*?<\/li>/g) ?? [];
  expect(rows).toHaveLength(12);
  expect(rows[0]).toContain(
    '<a class="country" href="./country/de/linux/archive/debian.txt" title="Mirror list for Germany">DE</a>',
  );
  expect(rows[3]).not.toContain("country");
  const target = pageOf(countriesFeed(), "status/linux/archive/debian/index.html");
  expect(target).toContain("<th scope=col>Country");
  expect(target).toContain("<td class=country title=Japan>JP");
  expect(visibleText(target)).toContain("Mirror lists by country: Germany , France , Japan .");
  expect(pageOf(partialFeed(), "index.html")).not.toContain('ountry"');
});
