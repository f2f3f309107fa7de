import { join } from "node:path";
import { worker } from "./cloudflare-worker.ts";
import { errorDocuments, jsonText } from "../contract/contract.ts";
import { branchDelivery } from "./delivery.ts";
import { type Host, wholeContract } from "./host.ts";

/** The maximum files of a deployment (https://developers.cloudflare.com/workers/platform/limits/), also for Pages. */
const fileLimits = { free: 20_000, paid: 100_000 };

/** How many files a build writes for one target of Git mirrors, with its page and badge. A test counts them. */
export const filesPerTarget = 10;

/** Cloudflare: the same worker for Pages, for Workers with static assets, and in front of any origin. */
export const cloudflare: Host<"cloudflare"> = {
  name: "cloudflare",
  title: "Cloudflare",
  capabilities: wholeContract,
  delivery: branchDelivery,
  publishing: [
    "**Pages**: `npx wrangler pages deploy _site`; the site holds its worker, `_worker.js`.",
    "**Workers**: `mirrorfeed host cloudflare --out edge`, then `npx wrangler deploy --config edge/wrangler.jsonc`.",
    "**In front of GitHub Pages** or another static host: write its URL as `ORIGIN` in `edge/wrangler-origin.jsonc`,",
    "and deploy that one. Missing documents answer 403, 400 or 404. If the host fails, the worker answers 502, 503 or 504.",
    `A free plan allows 100,000 requests a day and 20,000 files: ${filesPerTarget} a target. A build warns if there are more.`,
  ],
  siteFiles: ({ basePath }) => [
    { path: "_worker.js", content: worker(basePath) },
    // Workers upload the whole folder, and refuse a _worker.js in it.
    { path: ".assetsignore", content: "_worker.js\n.mirrorfeed\n" },
    // Without it, Pages answers a missing path with index.html, as for a single-page application.
    { path: "404.html", content: jsonText(errorDocuments["not-found"]) },
  ],
  serverFiles: ({ basePath, root, companions }) => {
    const shared = { main: join(companions, "worker.js"), compatibility_date: "2026-01-01" };
    return [
      {
        path: "wrangler.jsonc",
        content: configuration(
          "The site as static assets of a worker: npx wrangler deploy --config wrangler.jsonc",
          {
            name: "mirrorfeed",
            ...shared,
            assets: {
              directory: root,
              binding: "ASSETS",
              run_worker_first: true,
              html_handling: "none",
              not_found_handling: "none",
            },
          },
        ),
      },
      {
        path: "wrangler-origin.jsonc",
        content: configuration(
          "The worker in front of a static host that has the site: write the URL of the site as ORIGIN, and run\n" +
            "// npx wrangler deploy --config wrangler-origin.jsonc",
          {
            name: "mirrorfeed-edge",
            ...shared,
            vars: { ORIGIN: "https://user.github.io/repository", ORIGIN_TIMEOUT_MS: "10000" },
          },
        ),
      },
      { path: "worker.js", content: worker(basePath) },
    ];
  },
  warnings: ({ files }) => {
    if (files <= fileLimits.free) return [];
    const fits = files <= fileLimits.paid;
    const plan = fits ? `on a free plan allows ${fileLimits.free}` : `allows ${fileLimits.paid} on any plan`;
    const ways =
      "split the feed into several sites, or serve it from another host with the worker in front of it";
    return [
      `The site has ${files} files, and a deployment to Cloudflare ${plan}: ` +
        `${fits ? `take a paid plan (${fileLimits.paid}), ` : ""}${ways} (ORIGIN in wrangler-origin.jsonc).`,
    ];
  },
};

function configuration(comment: string, settings: object): string {
  return `// ${comment}\n${JSON.stringify(settings, null, 2)}\n`;
}
