import { subscribe } from "node:diagnostics_channel";
import { ServerResponse } from "node:http";
import { basename } from "node:path";
import { build } from "esbuild";
import { onTestFinished } from "vitest";
import type { SiteFile } from "../../src/core/base/files/site-file.ts";
import { renderPages } from "../../src/features/pages/pages.tsx";
import type { Feed } from "../../src/core/feed/feed.ts";
import { renderReport } from "../../src/core/site/report.ts";
import { readPublic } from "../../src/core/site/public.ts";
import { serveSite } from "../../src/features/serve/serve.ts";
import { writeFiles } from "./contract/feed.ts";
import type { PlayedFeed } from "../features/pages/feeds.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** The site's static files: the stylesheet, icons, and bundled scripts. */
const { outputFiles } = await build({
  entryPoints: [
    "src/features/pages/browser/status.ts",
    "src/features/pages/browser/days.ts",
    "src/features/pages/browser/filter.ts",
    "src/features/pages/browser/morph.ts",
    "src/features/pages/browser/search.ts",
    "src/features/pages/browser/search-index.ts",
    "public/assets/status.css",
  ],
  outdir: "assets",
  plugins: [
    {
      name: "on demand",
      setup(bundle) {
        bundle.onResolve(
          { filter: /^\.\/(?:days|filter|morph|search|search-index)\.ts$/ },
          ({ path, kind }) =>
            kind === "dynamic-import" ? { path: path.replace(".ts", ".js"), external: true } : undefined,
        );
      },
    },
  ],
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  write: false,
});
export const assets = [
  ...readPublic("public").filter(({ path }) => /\.(?:svg|png|ico)$/.test(path)),
  ...outputFiles.map(({ path, text }) => ({ path: `assets/${basename(path)}`, content: text })),
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

/** A site served until the test ends. */
export interface ServedSite {
  readonly url: string;
  readonly folder: string;
  /** Replaces the feed. */
  readonly show: (feed: Feed) => void;
  /** Makes the site unreachable, like a host that is down. */
  readonly close: () => Promise<void>;
}

/** Serves a feed's pages on loopback, below its base path. */
export async function servePages({ feed }: Pick<PlayedFeed, "feed">, base = ""): Promise<ServedSite> {
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
  const { url, close } = await serveSite(folder, { port: 0 });
  onTestFinished(close);
  return { url, folder, show, close };
}
