import { existsSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, test } from "vitest";
import { servePages } from "../../support/pages-site.ts";
import { describeInBrowser, narrow, phone, type Tabs } from "./browser.ts";
import { healthyFeed, hostileFeed, manyMirrorsFeed, partialFeed, type PlayedFeed } from "./feeds.ts";
import { expectPicture, findDifference, takePicture } from "./picture.ts";

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
    test.each(Object.entries(states))("%s", async (name, state) => {
      await expectPicture(await open(tabs, state), name);
    });

    test("a changed colour and a heading two pixels lower are found, and the files of the difference are named", async () => {
      const tab = await open(tabs, { feed: healthyFeed });
      const file = join(baselines, "overview-healthy.png");
      for (const [name, value] of [
        ["color", "#0b6e50"],
        ["paddingTop", "2px"],
      ] as const) {
        await tab.evaluate(
          ([property, to]) => {
            const heading = document.querySelector("h1");
            if (heading !== null) heading.style[property] = to;
          },
          [name, value] as const,
        );
        const message = findDifference(file, await takePicture(tab)) ?? "";
        const names =
          /(\S+actual\.png), the difference is (\S+difference\.png)\./.exec(message)?.slice(1) ?? [];
        expect(
          names.map((path) => existsSync(path)),
          message,
        ).toEqual([true, true]);
      }
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

/** Shows a state in a tab of its own. */
async function open(tabs: Tabs, { feed, path = "/", after = 5, options = {} }: State): Promise<Page> {
  return tabs.show(await servePages(feed()), path, after, { viewport: desktop, ...options });
}
