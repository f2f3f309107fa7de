import { describe, expect, test } from "vitest";
import { renderPages } from "../../../src/features/pages/pages.tsx";
import { textOf } from "../../support/text-of.ts";
import { noticedFeed, partialFeed, type PlayedFeed } from "../pages/feeds.ts";

function pageOf({ feed }: PlayedFeed, path: string): string {
  return textOf(renderPages(feed).find((file) => file.path === path));
}

function visible(html: string): string {
  return html
    .replaceAll("<wbr>", "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");
}

describe("the page of a notice", () => {
  const html = pageOf(noticedFeed(), "incidents/move/index.html");

  test("has its updates, the newest first, each with its state, its time as a link, and its text", () => {
    const updates = /<section class=updates>.*?<\/section>/s.exec(html)?.[0] ?? "";
    expect(visible(updates)).toBe(
      " Updates 21 Nov 2026, 11:30 UTC The first disk is new The second follows. " +
        "Investigating · 21 Nov 2026, 09:00 UTC Somebody is on the way. ",
    );
    expect(
      [...updates.matchAll(/<article id=([^>]+)>.*?href=#([^>]+)>/g)].map(([, id, href]) => [id, href]),
    ).toEqual([
      ["2026-11-21T11:30:00.000Z", "2026-11-21T11:30:00.000Z"],
      ["2026-11-21T09:00:00.000Z", "2026-11-21T09:00:00.000Z"],
    ]);
    expect(updates).toContain("<h4>The first disk is new</h4>");
  });

  test("says how long it lasts, when the next update comes, and in which state its mirrors are now", () => {
    expect(visible(html)).toContain(
      " Start 21 Nov 2026, 05:00 UTC Duration since 21 Nov 2026, 05:00 UTC Next update 21 Nov 2026, 14:00 UTC ",
    );
    const affected = /<section class=affected>.*?<\/section>/s.exec(html)?.[0] ?? "";
    expect(visible(affected)).toMatch(/gitea ↗ Offline since 21 Nov 2026, \d\d:\d\d UTC community/);
  });

  test("says neither once it is over", () => {
    const over = pageOf(noticedFeed(), "incidents/old-host/index.html");
    expect(visible(over)).not.toMatch(/Next update|Online|Offline/);
  });
});

describe("a current notice", () => {
  const noticesOn = (path: string): string => {
    const [notices = ""] = /<aside class="?notices"?.*?<\/aside>/s.exec(pageOf(noticedFeed(), path)) ?? [];
    return visible(notices).trim();
  };
  const move =
    "gitea.example.org moves to new disks · Identified The second follows." +
    " updated 21 Nov 2026, 11:30 UTC · next update 21 Nov 2026, 14:00 UTC";

  test("is at the top of the overview and of the pages of its mirrors, with its newest text", () => {
    expect(noticesOn("index.html")).toBe(
      `${move} Which mirrors do you miss By mail. until 1 Dec 2026, 00:00 UTC`,
    );
    expect(noticesOn("status/community/jcb/gitea/index.html")).toBe(move);
    expect(noticesOn("status/community/jcb/packages/index.html")).toBe("");
  });

  test("precedes the headline, and has no link that is relative to its own page", () => {
    const html = pageOf(noticedFeed(), "index.html");
    expect(html.indexOf('class="notices"')).toBeLessThan(html.indexOf("<h1>"));
    expect(html).not.toContain("next-week");
  });
});

describe("the incidents of one mirror that fails again and again", () => {
  const html = pageOf(partialFeed(), "incidents/index.html");
  const month = /<h2>November 2026<\/h2>.*?<\/section>/s.exec(html)?.[0] ?? "";

  test("are one line, with the earlier ones below it", () => {
    const lines = month.split(/<ol>|<\/ol>/);
    expect(month.match(/<details id=earlier-/g)?.length).toBeGreaterThan(0);
    expect(visible(month)).toMatch(/ lasted .*? and \d+ times before /);
    // The page still links to every incident of the month.
    const { incidents } = partialFeed().feed;
    for (const { id } of incidents.filter(
      ({ start, end }) => end !== undefined && start.startsWith("2026-11"),
    ))
      expect(month).toContain(`/${id}/`);
    expect(lines.length).toBeGreaterThan(3);
  });
});

describe("the page of what can be subscribed to", () => {
  const hrefs = (site: object): string[] =>
    [
      ...pageOf(partialFeed("", site), "subscribe/index.html").matchAll(
        /<a href="([^"]*(?:atom|json|ics))"/g,
      ),
    ].flatMap(([, href]) => href ?? []);

  test("has the feeds of the site", () => {
    const own = ["../feed.atom", "../feed.json", "../maintenance.ics"];
    expect(hrefs({ url: undefined }).slice(0, 3)).toEqual(own);
  });

  test("has the calendar for a program that knows webcal, if the site has a URL", () => {
    expect(hrefs({ url: "https://example.org/feed/" })).toContain(
      "webcal://example.org/feed/maintenance.ics",
    );
    expect(pageOf(partialFeed(), "subscribe/index.html")).not.toContain("webcal:");
  });
});
