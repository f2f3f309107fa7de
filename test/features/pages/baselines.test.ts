import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pixelmatch from "pixelmatch";
import type { Page } from "playwright-core";
import { PNG } from "pngjs";
import { expect, test } from "vitest";
import { describeWith } from "../../support/requirement.ts";
import { describeInBrowser, hasBaselineFonts, narrow, phone, type Tabs } from "./browser.ts";
import { fourHundredMirrorsFeed, healthyFeed, hostileFeed, partialFeed, type PlayedFeed } from "./feeds.ts";

const baselines = join(import.meta.dirname, "baselines");
/** A small window keeps the files of the pictures small. */
const desktop = { width: 1000, height: 680 };
const targetPath = "/status/community/jcb/joomla-powers/";
const manyPath = "/status/linux/archive/release-1/";

interface State {
  readonly feed: () => PlayedFeed;
  readonly path?: string;
  readonly options?: Parameters<Tabs["show"]>[2];
}

const incident = partialFeed().feed.incidents[0]?.id ?? "";
const small = { viewport: phone };
const hostilePath = `/status/${"s".repeat(100)}/${"p".repeat(100)}/${"t".repeat(100)}/`;

const states: Readonly<Record<string, State>> = {
  "overview-healthy": { feed: healthyFeed },
  "overview-partial": { feed: partialFeed },
  "overview-dark": { feed: partialFeed, options: { colorScheme: "dark" } },
  "overview-forced-colors": { feed: partialFeed, options: { ...small, forcedColors: "active" } },
  "overview-phone": { feed: partialFeed, options: small },
  "overview-expired": { feed: partialFeed, options: { ...small, after: 3 * 1440 } },
  "target-phone": { feed: partialFeed, path: targetPath, options: small },
  "target-of-400": { feed: fourHundredMirrorsFeed, path: manyPath },
  "mirror-of-400": { feed: fourHundredMirrorsFeed, path: `${manyPath}7/` },
  incident: { feed: partialFeed, path: `/incidents/${incident}/` },
  "hostile-names": { feed: hostileFeed, path: hostilePath, options: { viewport: narrow } },
};

describeWith("fonts-dejavu-core", hasBaselineFonts, "the pages look as they did", () => {
  describeInBrowser("in a window", (tabs) => {
    test.each(Object.entries(states))("%s", async (name, { feed, path = "/", options }) => {
      const tab = await tabs.show(feed(), path, { viewport: desktop, ...options });
      await expectPicture(tab, name);
    });
  });
});

/**
 * Two colors count as equal if their distance is at most this (0 to 1). In the stylesheet, any two colors with
 * different meanings are further apart.
 */
const threshold = 0.05;

/**
 * The share of pixels that can differ, since other versions of Chromium and of font libraries draw edges of letters
 * differently. A short word in the wrong color exceeds this share.
 */
const tolerance = 0.0003;

/** Takes a screenshot that shows no animations, no caret and not the server's port. */
async function takePicture(tab: Page): Promise<PNG> {
  // After the page has loaded, the script fetches the heartbeat and shows its data.
  await tab.waitForLoadState("networkidle");
  await tab.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      const shown = text.nodeValue ?? "";
      if (shown.includes(location.origin))
        text.nodeValue = shown.replaceAll(location.origin, "https://status.example.org");
    }
  });
  const options = { animations: "disabled", caret: "hide", scale: "css" } as const;
  let before: Buffer | undefined;
  let picture = await tab.screenshot(options);
  while (before?.equals(picture) !== true) [before, picture] = [picture, await tab.screenshot(options)];
  return PNG.sync.read(picture);
}

/** Compares a screenshot with its baseline. `vitest -u` updates baselines that differ. */
async function expectPicture(tab: Page, name: string): Promise<void> {
  const file = join(baselines, `${name}.png`);
  const picture = await takePicture(tab);
  const { width, height } = picture;
  const baseline = existsSync(file) ? PNG.sync.read(readFileSync(file)) : new PNG({ width, height });
  const difference = new PNG({ width, height });
  const hasSize = baseline.width === width && baseline.height === height;
  const pixels = hasSize
    ? pixelmatch(baseline.data, picture.data, difference.data, width, height, { threshold })
    : width * height;
  if (pixels <= tolerance * width * height) return;
  if (expect.getState().snapshotState.snapshotUpdateState === "all") {
    writeFileSync(file, encode(picture));
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "mirrorfeed-picture-"));
  writeFileSync(join(folder, "actual.png"), encode(picture));
  writeFileSync(join(folder, "difference.png"), encode(difference));
  throw new Error(
    `${pixels} pixels differ from ${file}: see ${folder}. If the page is right, update the baseline with vitest -u.`,
  );
}

function encode(picture: PNG): Buffer {
  return PNG.sync.write(picture, { colorType: 2, inputHasAlpha: true, deflateStrategy: 0, filterType: 0 });
}
