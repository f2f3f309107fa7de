import { textOf } from "../../support/text-of.ts";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { product } from "../../../src/core/base/files/package.ts";
import { targetWarnings } from "../../../src/core/kinds/mirror-content.ts";
import { renderPages } from "../../../src/features/pages/pages.tsx";
import { listNodes } from "../../../src/core/config/nodes.ts";
import { nodesOf, targetsOf } from "../../../src/core/feed/feed.ts";
import { listOrder } from "../../../src/features/lists/lists.ts";
import { stateWords } from "../../../src/features/layout/search-filter.ts";
import { renderMirrorlists } from "../../../src/features/lists/mirrorlist.ts";
import {
  downFeed,
  everyFeed,
  fiftyNodesFeed,
  type Fate,
  firstFeed,
  fourFeed,
  healthyFeed,
  hostileFeed,
  largeFeed,
  manyMirrorsFeed,
  noticedFeed,
  offlineFeed,
  partialFeed,
  type PlayedFeed,
  vantagesFeed,
} from "./feeds.ts";
import { assets } from "../../support/pages-site.ts";
import { firstOf, pageOf, sectionOf, visibleText, withTargets } from "./rendered.ts";
import { contentOf } from "../../../src/core/base/files/site-file.ts";
import { renderSite } from "../../../src/app/render-site.ts";
import { siteFeed } from "../../bench/site.ts";

/** By path. Renders pages lazily, since a large feed has thousands. */
type Pages = ReadonlyMap<string, () => string>;

function pagesOf({ feed }: Pick<PlayedFeed, "feed">): Pages {
  return new Map(
    renderPages(feed).map((file) => {
      let html: string | undefined;
      return [file.path, () => (html ??= plainHtml(textOf(file)))];
    }),
  );
}

function page(pages: Pages, path: string): string {
  const html = pages.get(path);
  if (html === undefined) throw new Error(`${path} is not a page of the site.`);
  return html();
}

/** Puts back the quotes and slashes that `compactHtml` removes, to keep patterns simple. */
function plainHtml(html: string): string {
  return html
    .replace(/<[a-z][^>]*>/g, (tag) => tag.replace(/ ([\w-]+)=([^\s"'=<>`]+?)(?=[\s>])/g, ' $1="$2"'))
    .replaceAll("<wbr>", "<wbr/>");
}

function attributes(html: string, name: string): string[] {
  return [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, "g"))].map(([, value = ""]) => value);
}

const overviewOf = (feed: PlayedFeed): string => page(pagesOf(feed), "index.html");
const headingOf = (html: string): string => /<h1>[^]*?<\/svg>(.*?)<\/h1>/.exec(html)?.[1] ?? "";
const targetPath = (target: string): string => `status/community/jcb/${target}/index.html`;
const archivePage = "status/linux/debian/archive/index.html";
const allOnline = ["online", "online", "online", "online"] as const;

describe.each(Object.entries(everyFeed))("the pages of a feed: %s", (_, play) => {
  const feed = play();
  const pages = pagesOf(feed);
  // A sample of each kind is enough, since there are thousands of pages.
  const some = [...pages.keys()]
    .filter((path) => path.endsWith(".html") && path !== "errors/not-found.html")
    .filter((path, index) => index < 15 || path.split("/").length < 5)
    .map((path): [string, string] => [path, page(pages, path)]);

  test("have the paths of the systems, projects, targets and incidents", () => {
    const systems = feed.config.systems.map(({ system }) => `status/${system}/`);
    const below = feed.config.systems.flatMap(({ system, projects }) =>
      projects.flatMap(({ project, targets }) => [
        `status/${system}/${project}/`,
        ...targets.flatMap(({ target, network }) => {
          const place = `status/${system}/${project}/${target}/`;
          return [place, ...(network.length > 8 ? network.map(({ id }) => `${place}${id}/`) : [])];
        }),
      ]),
    );
    const incidents = feed.feed.incidents.map(({ id }) => `incidents/${id}/`);
    const folders = ["incidents/", ...incidents, "subscribe/", "status/", ...systems, ...below];
    expect([...pages.keys()]).toEqual([
      ...["site.webmanifest", ...(feed.feed.url === undefined ? [] : ["sitemap.xml"])],
      ...["errors/not-found.html", "index.html", "search.json"],
      ...folders.map((folder) => `${folder}index.html`),
    ]);
  });

  test("have no inline script or style, and a strict policy before anything is loaded", () => {
    for (const [path, html] of some) {
      const top = "../".repeat(path.split("/").length - 1) || "./";
      expect(html.slice(0, 400)).toContain(
        `<meta charset="utf-8"/><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'"/>`,
      );
      const script = `<script type="module" src="${top}assets/status.js" blocking="render"></script>`;
      expect(html.match(/<script\b[^>]*>[^]*?<\/script>/g)).toEqual([script]);
      expect(html.replace(/>[^<]*/g, ">")).not.toMatch(/ style=| on[a-z]+=|<style|<iframe|<img|javascript:/i);
    }
  });

  test("link to paths of the site wherever it is published, and to mirrors only by HTTP and HTTPS", () => {
    const mount = "/a/b/";
    const urls = new Set(listNodes(feed.config).map(({ url }) => url.replaceAll("&", "&amp;")));
    const documents =
      /^\/(?:$|docs\/$|feed\.(?:atom|json)$|openapi\.json$|metrics\.txt$|favicon\.ico$|site\.webmanifest$|maintenance\.ics$|assets\/|v1\/|feed\/|badge\/|mirrorlist\/)/;
    for (const [at, html] of some) {
      const address = new URL(at.replace(/index\.html$/, ""), `https://host.example.org${mount}`);
      const links = html.matchAll(/<(a|link|script)\b[^>]* (?:href|src)="([^"]*)"/g);
      for (const [, tag = "", href = ""] of links) {
        if (/^(?:https?|webcal):/.test(href)) {
          expect(tag).toBe("a");
          const calendar = feed.feed.url?.replace("https:", "webcal:").concat("/maintenance.ics");
          expect(urls.has(href) || href === calendar || href === product.homepage).toBe(true);
          continue;
        }
        const { pathname, hash } = new URL(href, address);
        expect(pathname.startsWith(mount)).toBe(true);
        const below = pathname.slice(mount.length - 1);
        const file = `${below.slice(1)}index.html`;
        if (!documents.test(below)) expect(pages.has(file)).toBe(true);
        if (hash === "") continue;
        expect(attributes(page(pages, file), "id")).toContain(hash.slice(1));
      }
      for (const [link] of html.matchAll(/<a\b[^>]* href="https?:[^>]*>/g))
        expect(link).toContain(' rel="noreferrer"');
    }
  });
});

describe("what changes when", () => {
  const { feed, later } = partialFeed();
  const changed = (one: Pages, other: Pages): string[] =>
    [...one.keys()].filter((path) => one.get(path)?.() !== other.get(path)?.());

  test("a run in which nothing changed changes the overview alone", () => {
    const quiet = healthyFeed();
    expect(changed(pagesOf(quiet), pagesOf({ feed: quiet.later() }))).toEqual(["index.html"]);
    const options = { split: [1], hasMajority: true, isTwice: true };
    const disputed = fourFeed(["online", "behind", "expired", "online"], options);
    const below = pagesOf({ feed: disputed.later() });
    // One location doesn't reach one of the mirrors, so each run changes that mirror's uptime. Only these pages show
    // the uptime or the last run.
    const shown = ["index.html", "search.json", "status/linux/debian/index.html", archivePage];
    expect(changed(pagesOf(disputed), below)).toEqual(shown);
  });

  test("a run in which nothing but an uptime changed changes the pages that show it", () => {
    const next = later();
    const before = new Map(nodesOf(targetsOf(feed.systems)).map((node) => [node.id, node]));
    const moved = nodesOf(targetsOf(next.systems)).filter(
      ({ id, uptime }) => JSON.stringify(uptime) !== JSON.stringify(before.get(id)?.uptime),
    );
    const targets = new Set(moved.map(({ target }) => `status/${target.place}/index.html`));
    const found = changed(pagesOf({ feed }), pagesOf({ feed: next }));
    expect(found.filter((path) => path.split("/").length === 5).sort()).toEqual([...targets].sort());
    expect(targets.size).toBeLessThan(22);
  });

  test("a node that goes offline changes the pages of its target and its project, and no other target's", () => {
    const shown = ["index.html", "search.json", "incidents/index.html", targetPath("joomla-powers")];
    expect(changed(pagesOf(healthyFeed()), pagesOf(healthyFeed({ downNow: 3 })))).toEqual(shown);
  });

  test("a new day changes all that have days", () => {
    const before = pagesOf(healthyFeed());
    const after = pagesOf(healthyFeed({ anotherDay: true }));
    const folders = ["incidents/", "subscribe/", "status/", "status/community/", "status/community/jcb/"];
    const lists = folders.map((folder) => `${folder}index.html`);
    const without = ["site.webmanifest", "errors/not-found.html", ...lists];
    expect(changed(before, after)).toEqual([...before.keys()].filter((path) => !without.includes(path)));
  });
});

type Text = string | RegExp;

/** What each page says. The first value is the page, which is rendered when its row is tested. */
const said: Readonly<Record<string, readonly [html: () => string, ...texts: Text[]]>> = {
  "the state in a sentence": [
    on(partialFeed),
    "No mirror of gitea is reachable. 4 of 22 mirrors are offline. 1 mirror differs from its reference. 1 mirror is behind. 1 mirror is in maintenance.",
  ],
  "when the last run was and when it expires": [
    on(partialFeed),
    "Last run 21 Nov 2026, 12:00 UTC . Valid until 22 Nov 2026, 06:00 UTC .",
  ],
  "what is affected now: the mirrors that the headline counts, and maintenance": [
    on(partialFeed),
    /Now −24 h now \+12 h git.vdm.dev\/joomla\/gitea primary ↗ Offline · since 21 Nov 2026, 06:00 UTC · It answered with an HTTP error \(HTTP 502\) · last seen in sync /,
    "github.com/joomengine/search Maintenance · 21 Nov 2026, 06:00 UTC – 22 Nov 2026, 00:00 UTC · moving to new disks All incidents · Maintenance as a calendar",
  ],
  "an outage of the last 24 hours that is over": [
    on(() => manyMirrorsFeed(40)),
    "release-1: all 40 mirrors are up and up to date.",
    /Now −24 h now \+12 h mirror-\d+.example.org\/linux\/release-1 was offline Back 21 Nov 2026, \d\d:00 UTC · It did not answer in time, for 6 hours /,
  ],
  "a host that fails as a whole once": [
    on(downFeed),
    "11 mirrors at git.vdm.dev Offline · since 20 Nov 2026, 18:00 UTC · It refused the connection",
    "11 mirrors at github.com Offline · since 20 Nov 2026, 18:00 UTC · It did not answer in time",
  ],
  "vantages, those that were offline, missing shards and disagreements": [
    on(vantagesFeed),
    "Observed from eu and usa. asia was offline and does not count. Some mirrors were not observed from usa: 1 shard of the run has no results.",
    "The locations disagree about 1 mirror.",
    "the locations disagree: reached from usa, not from eu (timeout)",
  ],
  "hostile names unchanged": [on(hostileFeed), ...listNodes(hostileFeed().config).map(({ name }) => name)],
  "below its name that the freshness of a mirror is unknown": [
    on(() => fourFeed(["online", "unread", "online", "online"], { isTwice: true }), archivePage),
    /Online mirror\.example\.com\/archive ↗ .{0,200} freshness unknown/,
  ],
  "the evidence of each node": [
    on(partialFeed, targetPath("joomla-fieldtypes")),
    "Status Offline since 9 Nov 2026, 18:00 UTC",
    "Reason It asks for credentials: the repository is private or gone. auth",
    "HTTP status 401",
    "Freshness last seen in sync",
    /Revision [0-9a-f]{40} Branch main Certificate valid until 3 Feb 2027/,
    "Uptime 24 hours 0 % 7 days 0 % 30 days 59.66 % 90 days 85.80 % 94 % observed",
  ],
  "the best mirror, the first of the mirror list, with commands for it": [
    on(partialFeed, targetPath("super-powers")),
    "super-powers: 1 of 2 mirrors is offline.",
    /Use this one https:\/\/git.vdm.dev\/joomla\/super-powers In sync · 99.41 % uptime · no failure for \d+ days · \d+ ms Commands and files Clone from the best mirror git clone "https:\/\/git.vdm.dev\/joomla\/super-powers" /,
  ],
  "how many mirrors of a target have no verdict": [
    on(firstFeed, targetPath("joomla-powers")),
    "joomla-powers: 1 of 2 mirrors is reachable. 1 mirror is still unknown.",
  ],
  "nothing before a mirror was reached": [
    on(offlineFeed, targetPath("gitea")),
    "gitea: nothing is known yet.",
  ],
  "commands to copy with the URL of the feed": [
    on(() => partialFeed("/mirrors/feed"), targetPath("gitea")),
    "mirrorfeed check https://status.example.org/mirrors/feed community/jcb/gitea",
    "mirrorfeed pick https://status.example.org/mirrors/feed community/jcb/gitea --fallback https://git.vdm.dev/joomla/gitea",
  ],
  "what time its uptime is about, after a first run": [
    on(firstFeed),
    "1 day Uptime",
    "Uptime is the share of successful probes since the first run.",
  ],
  "what time its uptime is about, after a month": [
    on(() => fourFeed(allOnline, { isTwice: true })),
    "31 days Uptime",
    "in the last 31 days, including today",
  ],
  "what time its uptime is about, after a year": [
    on(healthyFeed),
    "90 days Uptime",
    "in the last 90 days, including today",
  ],
  "that a month without incidents was observed": [
    on(() => fourFeed(allOnline), "incidents/index.html"),
    "No incidents in the 31 days observed.",
  ],
};

/** The page of a feed with this path, rendered when it is needed. */
function on(play: () => PlayedFeed, path = "index.html"): () => string {
  return () => page(pagesOf(play()), path);
}

test.each(Object.entries(said))("a page says %s", (_, [html, ...texts]) => {
  const text = visibleText(html());
  for (const part of texts) expect(text).toMatch(part);
});

describe("the overview", () => {
  const partial = overviewOf(partialFeed());

  test("has the times of the last run and of its expiry for the script", () => {
    const [run = ""] = /<p class="run">.*?<\/p>/.exec(partial) ?? [];
    expect(attributes(run, "datetime")).toEqual(["2026-11-21T12:00:00.000Z", "2026-11-22T06:00:00.000Z"]);
  });

  test("draws the affected mirrors around the last run, to the minute, and links to their incidents", () => {
    const rows = sectionOf(overviewOf(noticedFeed()), "problems").match(/<li>.*?<\/li>/g) ?? [];
    expect(rows).toHaveLength(9);
    // Offline for six hours, with an update two hours after the last run.
    expect(rows[0]).toMatch(
      /<a href="\.\/incidents\/[^"]+\/" aria-label="Incident: [^"]+ is offline"><svg class="strip" .*<path class="offline" d="M1080 6h360[^>]*><path class="next" d="M1560 0v12"\/><path class="now"/,
    );
  });

  const rowsOf = (html: string): string[] => html.match(/<li class="node" .*?<\/li>/g) ?? [];
  const rows = rowsOf(partial).map(visibleText);

  test.each([
    ["git.vdm.dev/joomla/joomla-powers", "git.vdm.dev/joomla/joomla-powers primary best ↗ Online · in sync"],
    [
      "github.com/joomengine/super-powers",
      "Offline · since 20 Nov 2026, 18:00 UTC · It did not answer in time · last seen in sync Uptime",
    ],
    ["git.vdm.dev/joomla/gitea", "It answered with an HTTP error (HTTP 502) · last seen in sync Uptime"],
    ["github.com/joomengine/joomla-powers", "Behind · since 18 Nov 2026"],
    ["github.com/joomengine/packages", "Differs · since 15 Nov 2026"],
    ["github.com/joomengine/openai", "certificate expires on 30 Nov 2026"],
    ["github.com/joomengine/search", "Maintenance · moving to new disks · its status stays online"],
    ["github.com/joomengine/repoindex", "Online · in sync · in the last run: It answered that there were"],
  ])("shows the status of a mirror in words, the reason, the time and the freshness: %s", (name, text) => {
    expect(rows).toHaveLength(22);
    const row = rows.find((one) => one.includes(` ${name} `)) ?? "";
    expect(row).toContain(text);
    expect(row).toMatch(/Uptime [\d.]+ %/);
  });

  test("calls no mirror offline if none was ever reached", () => {
    const html = overviewOf(offlineFeed());
    expect(headingOf(html)).toBe("Nothing is known yet.");
    expect(rowsOf(html)).toHaveLength(22);
    for (const row of rowsOf(html)) {
      expect(visibleText(row)).toContain("Never reached");
      expect(row).not.toContain("offline");
    }
    expect(html).not.toContain('class="problems"');
  });

  test.each([
    [50, 2, { nodes: 100, lines: 0 }],
    [30, 4, { nodes: 0, lines: 30 }],
    [100, 2, { nodes: 0, lines: 100 }],
    [110, 1, { nodes: 0, lines: 0 }],
  ])("of %i targets of %i mirrors shows as much as fits: %j", (targets, mirrors, shown) => {
    const html = overviewOf(largeFeed(targets, mirrors));
    const count = (pattern: RegExp): number => (html.match(pattern) ?? []).length;
    expect({ nodes: count(/<li class="node" /g), lines: count(/ of \d+ online<\/span>/g) }).toEqual(shown);
    expect(count(/<section class="project/g)).toBe(10);
  });

  test("lists every target of the only project, since that project has no other page", () => {
    const html = overviewOf(manyMirrorsFeed(1, { targets: 110, days: 10 }));
    expect(html.match(/ of \d+ online<\/span>/g)).toHaveLength(110);
  });

  test("limits the listed problems, and counts the others", () => {
    const problems = sectionOf(overviewOf(largeFeed(1000, 4, 1, 3)), "problems");
    expect(problems.match(/<li>/g)).toHaveLength(10);
    const states = "offline,wrong,differs,behind,certificate";
    expect(problems).toMatch(new RegExp(`<a href="\\?state=${states}#search">and [\\d,]+ more</a>`));
  });
});

describe("the page of a target", () => {
  const pages = pagesOf(partialFeed());

  test("warns of settings that cannot work", () => {
    const warned = withTargets(partialFeed().feed, (target) => ({ ...target, warnings: ["no_time"] }));
    expect(visibleText(pageOf(warned, targetPath("gitea")))).toContain(targetWarnings.no_time);
  });

  test.each([
    [partialFeed(), "No mirror of this target is reachable now. Commands and files"],
    [offlineFeed(), "No mirror has ever been reached"],
  ])("recommends no mirror that is not reachable: %#", (feed, text) => {
    const best = sectionOf(pageOf(feed, targetPath("gitea")), "best");
    expect(visibleText(best)).toContain(text);
    expect(best).not.toMatch(/git clone|data-best/);
  });

  test("marks the best mirror for the script, with a command for it", () => {
    expect(sectionOf(page(pages, targetPath("super-powers")), "best")).toMatch(/data-best.*git clone/);
  });

  test("has a row for each mirror in the order of its mirror list, with its name, URL, status, uptime and days", () => {
    const { feed } = partialFeed();
    const lists = new Map(renderMirrorlists(feed).map((file) => [file.path, textOf(file)]));
    for (const target of targetsOf(feed.systems)) {
      const html = page(pages, `status/${target.place}/index.html`);
      const rows = [...html.matchAll(/<tr data-item.*?<\/tr>/g)].map(([row]) => row);
      const urls = rows.map((row) => /<a class="go" href="([^"]*)"/.exec(row)?.[1]);
      expect(urls).toEqual(lists.get(`mirrorlist/${target.place}.txt`)?.trim().split("\n"));
      for (const node of target.nodes) {
        const row = rows.find((one) => one.includes(`data-node="${node.id}"`)) ?? "";
        expect(visibleText(row)).toContain(node.name);
        expect(attributes(row, "aria-label")).toContain(node.url);
        expect(row).toContain(`<a href="#node-${node.id}" dir="auto">`);
        expect(visibleText(row).trim()).toMatch(new RegExp(`^${stateWords[node.state]} `));
        expect(visibleText(row)).toMatch(/ \d[\d.]* % /);
      }
    }
  });

  test("links the documents of its target, and has a placeholder for an unknown URL", () => {
    const html = page(pages, targetPath("gitea"));
    expect(html).toContain('<dl data-url="https://feed.example.org" data-top="../../../../">');
    for (const path of [
      "/v1/network/community/jcb/gitea/",
      "/v1/network/community/jcb/gitea/1/",
      "/mirrorlist/community/jcb/gitea.txt",
      "/feed/community/jcb.atom",
      "/v1/report/community/jcb/gitea/",
    ])
      expect(attributes(html, "href")).toContain(`../../../..${path}`);
  });
});

test.each<[Fate, Fate]>([
  ["online", "online"],
  ["online", "offline"],
  ["offline", "online"],
  ["expired", "behind"],
  ["half_synced", "missing_file"],
  ["differs", "offline"],
  ["behind", "behind"],
])("rows and the best mirror tell one verdict: primary %s, another %s", (one, other) => {
  const played = fourFeed([one, other, other, other], { isTwice: true });
  const { verdict } = played.feed;
  const { target } = firstOf(played.feed);
  const pages = pagesOf(played);
  const isGreen = verdict.state === "online" && verdict.attention === 0;
  const overview = page(pages, "index.html");
  const targetHtml = page(pages, archivePage);
  for (const html of [overview, page(pages, "status/linux/debian/index.html")]) {
    expect(/<h1><svg class="shape (\w+)"/.exec(html)?.[1] === "online").toBe(isGreen);
    expect(sectionOf(html, "problems").includes("<li>")).toBe(!isGreen);
  }
  for (const node of target.nodes) {
    const item = `data-item data-node="${node.id}"`;
    const [row = ""] =
      new RegExp(`<li class="node" ${item} data-states="${node.state}".*?</li>`).exec(overview) ?? [];
    const [line = ""] = new RegExp(`<tr ${item}.*?</tr>`).exec(targetHtml) ?? [];
    const isInSync = node.state === "online" && node.freshness === "in_sync";
    for (const html of [row, line]) {
      expect(visibleText(html)).toContain(stateWords[node.state]);
      expect(html.includes("shape online")).toBe(node.state === "online");
      expect(visibleText(html).includes("in sync")).toBe(isInSync || node.last_freshness === "in_sync");
    }
  }
  // The page says “in sync” only if the best mirror is, and warns if no mirror is good.
  const best = sectionOf(targetHtml, "best");
  const [first] = listOrder(played.feed, target.nodes);
  const isInSync = verdict.state === "online" && first?.freshness === "in_sync";
  expect(/Use this one.*In sync ·/.test(best)).toBe(isInSync);
  expect(best.includes("No mirror of this target")).toBe(verdict.state !== "online");
});

test.each<[string, () => string, ...titles: string[]]>([
  ["a first run", on(firstFeed, targetPath("gitea")), "Since the first run"],
  ["a month", on(() => fourFeed(allOnline)), "24 hours", "7 days", "30 days", "Since the first run"],
  ["a year", on(healthyFeed, targetPath("gitea")), "24 hours", "7 days", "30 days", "90 days"],
])("the windows of an uptime are no longer than what is known: after %s", (_, html, ...titles) => {
  const [list = ""] = /<dl class="uptime">.*?<\/dl>/.exec(html()) ?? [];
  expect([...list.matchAll(/<dt>([^<]*)/g)].map(([, title]) => title)).toEqual(titles);
});

test("a mirror that some locations do not reach says so on every page, and a tie that its status stays", () => {
  const split = pagesOf(fourFeed(allOnline, { split: [2], hasMajority: true, isTwice: true }));
  const tie = pagesOf(fourFeed(["online", "offline", "online", "online"], { split: [1], isTwice: true }));
  expect(visibleText(page(split, archivePage))).toMatch(
    /Location Uptime, 31 days Observed Latency, 7 days eu [\d.]+ % \d+ % \d+ ms usa [\d.]+ % \d+ % \d+ ms/,
  );
  for (const path of ["index.html", "status/linux/debian/index.html", archivePage]) {
    const text = visibleText(page(split, path));
    expect(text).toContain("the locations disagree: reached from eu and asia, not from usa (timeout)");
    expect(text).toContain("The locations disagree about 1 mirror.");
    expect(visibleText(page(tie, path))).toContain(
      "the locations are split, so its status does not change: reached from eu, not from usa (timeout)",
    );
  }
});

test("names are never markup, and eight mirrors have no search", () => {
  const html = overviewOf(hostileFeed());
  expect(html).not.toContain('id="search"');
  expect(html).toContain("&lt;script>alert(1)&lt;/script>");
  expect(html).toContain("&quot;>&lt;img onerror=alert(1)>");
});

/** Returns the bytes of all files about single targets (`own`), and of all other files except pages (`shared`). */
function bytesOf(targets: number): { own: number; shared: number } {
  const { config, feed } = siteFeed(targets);
  const sizes = { own: 0, shared: 0 };
  for (const file of renderSite(config, feed)) {
    const bytes = Buffer.byteLength(contentOf(file));
    if (/\/t\d+(?:\/|\.|$)/.test(file.path)) sizes.own += bytes;
    // Pages about many targets don't count, because they fold their lists: a page about 10,000 targets is hardly larger
    // than one about 400.
    else if (!file.path.endsWith(".html")) sizes.shared += bytes;
  }
  return sizes;
}

describe("the size", () => {
  const zipped = (text: string): number => gzipSync(text).length;
  const zippedAsset = (name: string): number =>
    zipped(textOf(assets.find(({ path }) => path === `assets/${name}`)));
  const loaded = ["status.css", "status.js", "search.js"].map(zippedAsset);

  test("of an overview of fifty nodes with ninety days and its stylesheet fits into two round trips", () => {
    const html = overviewOf(fiftyNodesFeed());
    expect(html.match(/<li class="node" /g)).toHaveLength(50);
    expect(zipped(html) + zippedAsset("status.css")).toBeLessThan(20_000);
  });

  test.each([
    ["22 mirrors", 21_000, partialFeed],
    ["10,000 mirrors", 19_000, () => largeFeed(1000, 10, 1)],
    ["thousands of targets", 19_000, () => largeFeed(1010, 1)],
  ])("of an overview of %s with its stylesheet and scripts is below %i bytes", (_, limit, play) => {
    const opened = loaded.reduce((sum, bytes) => sum + bytes, zipped(overviewOf(play())));
    expect(opened).toBeLessThan(limit);
  });

  test("of an overview of 10,000 mirrors is at most 400 elements", () => {
    expect(overviewOf(largeFeed(1000, 10, 1)).match(/<[a-z]/g)?.length).toBeLessThanOrEqual(400);
  });

  test.each([
    ["status.js", 4_500],
    // The library that updates the page after a run.
    ["morph.js", 4_000],
    // Includes the choice of countries, and the button that shows all results.
    ["search.js", 4_300],
    // Loaded for answers, and on pages without the rows of the mirrors.
    ["search-index.js", 4_000],
    ["days.js", 5_000],
  ])("of the script %s is below %i bytes", (name, limit) => {
    expect(zippedAsset(name)).toBeGreaterThan(zipped(""));
    expect(zippedAsset(name)).toBeLessThan(limit);
  });

  // The benchmark measures a site of 10,000 such targets, which may take up to 260 MB.
  test("of a target of four nodes and ninety days is below 24,500 bytes, not counting its share of other pages", () => {
    const [small, large] = [bytesOf(20), bytesOf(60)];
    const shared = (large.shared - small.shared) / 40;
    expect(Math.round(large.own / 60 + shared)).toBeLessThan(24_500);
  });
});
