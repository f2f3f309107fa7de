import type { Browser } from "playwright-core";
import type { Feed } from "../../src/feed/feed.ts";
import { largeFeed, lastRun, manyMirrorsFeed } from "../outputs/pages/feeds.ts";
import { installed } from "./installed.ts";
import { measureOpening, measureTasks, type OpeningFigures, startChromium } from "./page-figures.ts";
import { servePages } from "./page-server.ts";
import { spread } from "./pairs.ts";
import { measurementRow, missingRow, type Row } from "./table.ts";

const rounds = 5;
const minute = 60_000;
const targetPath = "/status/linux/archive/release-1/";

/** The largest medians that meet the goals of a page. */
type Goals = Partial<Record<keyof OpeningFigures, number>>;

/** Measures what the pages cost in Chromium, by the devtools protocol. */
export async function pageRows(isSmall: boolean): Promise<Row[]> {
  const program = installed("chromium");
  if (program === undefined) return [missingRow("the pages in a browser", "chromium")];
  const [some, many, targets] = isSmall ? [40, 100, 250] : [400, 1000, 2500];
  const browser = await startChromium(program);
  try {
    const large = largeFeed(targets).feed;
    const opening = async (what: string, feed: Feed, path: string, goals: Goals): Promise<Row[]> =>
      openingRows(what, await openings(browser, feed, path), goals);
    return [
      ...(await opening("overview of 44 mirrors", manyMirrorsFeed(2, { targets: 22 }).feed, "/", {
        html: 11,
      })),
      ...(await opening(`target of ${some} mirrors`, manyMirrorsFeed(some).feed, targetPath, {
        html: 80,
        elements: 15_000,
        blocking: 300,
      })),
      ...(await opening(`target of ${many} mirrors`, manyMirrorsFeed(many).feed, targetPath, {
        longest: 100,
      })),
      ...(await refreshRows(browser, many)),
      ...(await opening(`overview of ${4 * targets} mirrors`, large, "/", {})),
    ];
  } finally {
    await browser.close();
  }
}

async function openings(browser: Browser, feed: Feed, path: string): Promise<OpeningFigures[]> {
  const { url, close } = await servePages(feed);
  try {
    const figures: OpeningFigures[] = [];
    while (figures.length < rounds) figures.push(await measureOpening(browser, url + path));
    return figures;
  } finally {
    await close();
  }
}

const shown = {
  html: ["HTML", kilobytes],
  css: ["CSS", kilobytes],
  js: ["JavaScript", kilobytes],
  other: ["the rest", kilobytes],
  requests: ["requests", String],
  elements: ["DOM elements", (value: number) => value.toLocaleString("en")],
  firstPaint: ["first contentful paint at 4 × slowed CPU", milliseconds],
  blocking: ["blocking time at 4 × slowed CPU", milliseconds],
  longest: ["longest task at opening, CPU", milliseconds],
  layoutShift: ["layout shift", (value: number) => value.toFixed(3)],
} as const satisfies Record<keyof OpeningFigures, readonly [string, (value: number) => string]>;

/** Returns a row for each goal, and one for the medians of all else. */
function openingRows(what: string, figures: readonly OpeningFigures[], goals: Goals): Row[] {
  const names = Object.keys(shown) as (keyof OpeningFigures)[];
  const valuesOf = (name: keyof OpeningFigures): number[] => figures.map((figure) => figure[name]);
  const others = names
    .filter((name) => goals[name] === undefined)
    .map((name) => `${shown[name][0]} ${shown[name][1](spread(valuesOf(name)).median)}`);
  return [
    ...names.flatMap((name) => {
      const goal = goals[name];
      const [title, show] = shown[name];
      if (goal === undefined) return [];
      return [measurementRow({ what: `${what}: ${title}`, goal, values: valuesOf(name), show })];
    }),
    { what, goal: "", own: others.join(", "), peer: "", ratio: "", isMet: undefined },
  ];
}

/** Measures the longest task when an open page asks for news: there are none, there is a new run, one mirror is offline. */
async function refreshRows(browser: Browser, mirrors: number): Promise<Row[]> {
  const first = manyMirrorsFeed(mirrors);
  const news: readonly (readonly [string, () => Feed])[] = [
    ["without a new run", () => first.feed],
    ["after a run without news", first.later],
    ["after one with a mirror offline", manyMirrorsFeed(mirrors, { downNow: 7 }).later],
  ];
  const rows: Row[] = [];
  for (const [title, next] of news) {
    const later = next();
    const values: number[] = [];
    while (values.length < rounds) {
      const site = await servePages(first.feed);
      const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
      await page.clock.install({ time: lastRun + 5 * minute });
      await page.goto(site.url + targetPath, { waitUntil: "networkidle" });
      site.show(later);
      const { longest } = await measureTasks(browser, page, async () => {
        for (let passed = 0; passed < 4; passed += 1) await page.clock.runFor(minute);
        await page.waitForLoadState("networkidle");
        await page.clock.runFor(minute);
      });
      values.push(longest);
      await page.close();
      await site.close();
    }
    const what = `refresh of a target of ${mirrors} mirrors ${title}: longest task, CPU`;
    rows.push(measurementRow({ what, goal: 100, values, show: milliseconds }));
  }
  return rows;
}

function milliseconds(value: number): string {
  return `${Math.round(value)} ms`;
}

function kilobytes(value: number): string {
  return `${value.toFixed(1)} KB`;
}
