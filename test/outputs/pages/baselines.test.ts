import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pixelmatch from "pixelmatch";
import type { BrowserContextOptions, Page } from "playwright-core";
import { PNG } from "pngjs";
import { expect, test } from "vitest";
import { servePages } from "../../support/pages-site.ts";
import { describeInBrowser, narrow, phone } from "./browser.ts";
import { healthyFeed, hostileFeed, manyMirrorsFeed, partialFeed, type PlayedFeed } from "./feeds.ts";

const fonts = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf";
const baselines = join(import.meta.dirname, "baselines");
/** Small, so that a picture is. */
const desktop = { width: 1000, height: 680 };
const targetPath = "/status/community/jcb/joomla-powers/";
const manyPath = "/status/linux/archive/release-1/";

interface State {
  readonly feed: () => PlayedFeed;
  readonly path?: string;
  /** The minutes since the last run. */
  readonly after?: number;
  readonly options?: BrowserContextOptions;
}

const incident = partialFeed().feed.incidents[0]?.id ?? "";
const manyMirrors = (): PlayedFeed => manyMirrorsFeed(400);
const small = { viewport: phone };
const hostilePath = `/status/${"s".repeat(100)}/${"p".repeat(100)}/${"t".repeat(100)}/`;

const states: Readonly<Record<string, State>> = {
  "overview-healthy": { feed: healthyFeed },
  "overview-partial": { feed: partialFeed },
  "overview-dark": { feed: partialFeed, options: { colorScheme: "dark" } },
  "overview-forced-colors": { feed: partialFeed, options: { ...small, forcedColors: "active" } },
  "overview-phone": { feed: partialFeed, options: small },
  "overview-expired": { feed: partialFeed, after: 3 * 1440, options: small },
  "overview-german": { feed: () => partialFeed("", { language: "de" }), options: small },
  "target-phone": { feed: partialFeed, path: targetPath, options: small },
  "target-of-400": { feed: manyMirrors, path: manyPath },
  "mirror-of-400": { feed: manyMirrors, path: `${manyPath}7/` },
  incident: { feed: partialFeed, path: `/incidents/${incident}/` },
  "hostile-names": { feed: hostileFeed, path: hostilePath, options: { viewport: narrow } },
};

describeInBrowser(
  "the pages look as they did",
  (tabs) => {
    test.each(Object.entries(states))("%s", async (name, { feed, path = "/", after = 5, options }) => {
      const tab = await tabs.show(await servePages(feed()), path, after, { viewport: desktop, ...options });
      await expectPicture(tab, name);
    });
  },
  {
    need: "fonts-dejavu-core",
    isMet: existsSync(fonts),
    env: { FONTCONFIG_FILE: join(baselines, "fonts.conf") },
    args: [
      "--font-render-hinting=none",
      "--disable-lcd-text",
      "--force-color-profile=srgb",
      "--hide-scrollbars",
    ],
  },
);

/** How far apart two colors may be, from 0 to 1: less than any two colors of the stylesheet that mean something. */
const threshold = 0.05;

/**
 * The largest share of pixels that may differ: the edges of some letters, if another Chromium, processor or library of fonts
 * draws them in another way. It is less than a short word in another color.
 */
const tolerance = 0.0003;

/** Takes a picture of what the window shows, without animations, the caret and the port of the server. */
async function takePicture(tab: Page): Promise<PNG> {
  // The script asks for the heartbeat after the page has loaded, and shows what it read.
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

/** Expects that the window shows what the baseline of this name shows. `vitest -u` writes the baselines that differ. */
async function expectPicture(tab: Page, name: string): Promise<void> {
  const file = join(baselines, `${name}.png`);
  const picture = await takePicture(tab);
  const difference = findDifference(file, picture);
  if (difference === undefined) return;
  if (expect.getState().snapshotState.snapshotUpdateState !== "all") throw new Error(difference);
  writeFileSync(file, encode(picture));
}

/**
 * Compares a picture with its baseline. Returns undefined if they are alike, else a message that names the files of the picture
 * and of the difference, in a temporary folder that stays.
 */
function findDifference(file: string, picture: PNG): string | undefined {
  const remedy = "Look at it, and if the page should be so, renew the baseline with vitest -u.";
  const folder = (): string => mkdtempSync(join(tmpdir(), "mirrorfeed-picture-"));
  if (!existsSync(file)) {
    const actual = join(folder(), "actual.png");
    writeFileSync(actual, encode(picture));
    return `${file} does not exist. The page is ${actual}. ${remedy}`;
  }
  const baseline = PNG.sync.read(readFileSync(file));
  const { width, height } = baseline;
  const difference = new PNG({ width, height });
  const hasSize = picture.width === width && picture.height === height;
  const pixels = hasSize
    ? pixelmatch(baseline.data, picture.data, difference.data, width, height, { threshold })
    : width * height;
  const share = pixels / (width * height);
  if (share <= tolerance) return undefined;
  const written = folder();
  const [actual, marked] = [join(written, "actual.png"), join(written, "difference.png")];
  writeFileSync(actual, encode(picture));
  writeFileSync(marked, encode(difference));
  return (
    `${file} differs in ${(share * 100).toFixed(2)} % of its pixels, and ${tolerance * 100} % are allowed. ` +
    `The page is ${actual}, the difference is ${marked}. ${remedy}`
  );
}

/** Returns a picture as a small file: rare colors, those of the edges of letters, are rounded to 16 levels, which compare as equal. */
function encode({ width, height, data }: PNG): Buffer {
  const counts = new Map<number, number>();
  const colorAt = (at: number): number => data.readUInt32BE(at);
  for (let at = 0; at < data.length; at += 4) counts.set(colorAt(at), (counts.get(colorAt(at)) ?? 0) + 1);
  const isRare = (at: number): boolean => (counts.get(colorAt(at)) ?? 0) < data.length / 4000;
  const rounded = new PNG({ width, height });
  rounded.data = Buffer.from(
    data.map((level, at) => (isRare(at - (at % 4)) ? Math.round(level / 17) * 17 : level)),
  );
  return PNG.sync.write(rounded, { colorType: 2, inputHasAlpha: true, deflateStrategy: 0, filterType: 0 });
}
