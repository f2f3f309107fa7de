import { subscribe } from "node:diagnostics_channel";
import { readdirSync, statSync } from "node:fs";
import { ServerResponse } from "node:http";
import type { SiteFile } from "../../src/core/base/files/site-file.ts";
import { renderPages } from "../../src/features/pages/pages.tsx";
import type { Feed } from "../../src/core/feed/feed.ts";
import { renderReport } from "../../src/core/site/report.ts";
import { readPublic } from "../../src/core/site/public.ts";
import { serveSite } from "../../src/features/serve/serve.ts";
import { closeAfterTest } from "./close-after-test.ts";
import { writeFiles } from "./contract/feed.ts";
import type { PlayedFeed } from "../features/pages/feeds.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const scripts = "src/features/pages/browser";
const sources = ["public/assets/status.css", ...readdirSync(scripts).map((name) => `${scripts}/${name}`)];
const builtAt = statSync("dist/public/assets/status.js").mtimeMs;
const isOlder = sources.some((source) => statSync(source).mtimeMs > builtAt);
if (isOlder)
  throw new Error("The built scripts or stylesheet are older than their source; run npm run build.");

/** The site's static files: icons, and the stylesheet and scripts as built. */
export const assets = [
  ...readPublic("public").filter(({ path }) => /\.(?:svg|png|ico)$/.test(path)),
  ...readPublic("dist/public").filter(({ path }) => /^assets\/(?:.*\.js|status\.css)$/.test(path)),
];

/** The time the test's servers report, in epoch milliseconds. By default they report none. */
export const hostClock: { now: number | undefined } = { now: undefined };

// Replaces the Date header of every response, because in these tests the browser's clock follows the feed, not this machine.
subscribe("http.server.request.start", (message) => {
  if (typeof message !== "object" || message === null || !("response" in message)) return;
  const { response } = message;
  if (!(response instanceof ServerResponse)) return;
  response.sendDate = false;
  if (hostClock.now !== undefined) response.setHeader("Date", new Date(hostClock.now).toUTCString());
});

/** Rendered files by feed, since many tests share them. */
const rendered = new WeakMap<Feed, readonly SiteFile[]>();

function filesOf(feed: Feed): readonly SiteFile[] {
  const files =
    rendered.get(feed) ??
    [...renderPages(feed), ...renderReport(feed)].map(({ path, content }) => ({ path, content }));
  rendered.set(feed, files);
  return files;
}

export type ServedSite = Awaited<ReturnType<typeof servePages>>;

/**
 * Serves a feed's pages on loopback, below its base path, until the test ends. `show` replaces the feed. `close` makes the
 * site unreachable, like a host that is down.
 */
export async function servePages({ feed }: Pick<PlayedFeed, "feed">, base = "") {
  const folder = temporaryFolder("mirrorfeed-page-");
  const show = (shown: Feed): void => {
    const files = [...assets, ...filesOf(shown)];
    writeFiles(
      folder,
      files.map(({ path, content }) => ({ path: `${base.slice(1)}${base && "/"}${path}`, content })),
    );
  };
  show(feed);
  // The preview server accepts only folders with this file.
  writeFiles(folder, [{ path: "v1/network/index.json", content: "{}" }]);
  const { url, close } = closeAfterTest(await serveSite(folder, { port: 0 }));
  return { url, folder, show, close };
}
