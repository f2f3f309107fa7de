import { describe, expect, test } from "vitest";
import { noticedFeed, partialFeed } from "../pages/feeds.ts";
import { pageOf, sectionOf, visibleText } from "../pages/rendered.ts";

describe("the page of a notice", () => {
  const html = pageOf(noticedFeed(), "incidents/move/index.html");

  test("has its updates, the newest first, each with its state, its time as a link, and its text", () => {
    const updates = sectionOf(html, "updates");
    expect(visibleText(updates)).toBe(
      " Updates 21 Nov 2026, 11:30 UTC The first disk is new The second follows. " +
        "Investigating · 21 Nov 2026, 09:00 UTC Somebody is on the way. ",
    );
    for (const time of ["2026-11-21T11:30:00.000Z", "2026-11-21T09:00:00.000Z"])
      expect(updates).toMatch(new RegExp(`<article id=${time}>(?:(?!<article).)*?href=#${time}>`));
    expect(updates).toContain("<h4>The first disk is new</h4>");
  });

  test("says how long it lasts, when the next update comes, and in which state its mirrors are now", () => {
    expect(visibleText(html)).toContain(
      " Start 21 Nov 2026, 05:00 UTC Duration since 21 Nov 2026, 05:00 UTC Next update 21 Nov 2026, 14:00 UTC ",
    );
    const affected = visibleText(sectionOf(html, "affected"));
    expect(affected).toMatch(/gitea ↗ Offline since 21 Nov 2026, \d\d:\d\d UTC community/);
  });

  test("says neither once it is over", () => {
    const over = pageOf(noticedFeed(), "incidents/old-host/index.html");
    expect(visibleText(over)).not.toMatch(/Next update|Online|Offline/);
  });
});

describe("a current notice", () => {
  const noticesOn = (path: string): string => {
    const [notices = ""] = /<aside class="?notices"?.*?<\/aside>/s.exec(pageOf(noticedFeed(), path)) ?? [];
    return visibleText(notices).trim();
  };
  const move =
    "gitea.example.org moves to new disks · Identified The second follows." +
    " updated 21 Nov 2026, 11:30 UTC · next update 21 Nov 2026, 14:00 UTC";

  test("is at the top of the overview and of the pages of its mirrors, with its newest text", () => {
    const survey = "Which mirrors do you miss By mail. until 1 Dec 2026, 00:00 UTC";
    expect(noticesOn("index.html")).toBe(`${move} ${survey}`);
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
    expect(month.match(/<details id=earlier-/g)?.length).toBeGreaterThan(0);
    expect(visibleText(month)).toMatch(/ lasted .*? and \d+ times before /);
    // The page still links to every incident of the month.
    for (const { id, start, end } of partialFeed().feed.incidents)
      if (end !== undefined && start.startsWith("2026-11")) expect(month).toContain(`/${id}/`);
  });
});

describe("the page of what can be subscribed to", () => {
  const own = ["../feed.atom", "../feed.json", "../maintenance.ics"];
  const calendar = "webcal://example.org/feed/maintenance.ics";

  test.each([
    [undefined, own],
    ["https://example.org/feed/", [own[0], own[1], calendar, own[2]]],
  ])("of a site with the URL %s has its feeds, and webcal only if there is a URL", (url, first) => {
    const html = pageOf(partialFeed("", { url }), "subscribe/index.html");
    const hrefs = [...html.matchAll(/<a href="([^"]*(?:atom|json|ics))"/g)].map(([, href]) => href);
    expect(hrefs.slice(0, first.length)).toEqual(first);
    expect(html.includes("webcal:")).toBe(url !== undefined);
  });
});
