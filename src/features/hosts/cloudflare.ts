import { join } from "node:path";
import type { SiteFile } from "../../core/base/files/site-file.ts";
import { errorDocuments, jsonText } from "../../core/contract/contract.ts";
import { worker } from "./cloudflare-worker.ts";
import { branchDelivery, type Host, wholeContract } from "./host.ts";

/**
 * The maximum number of files in a deployment to Workers or Pages
 * (https://developers.cloudflare.com/workers/platform/limits/).
 */
const fileLimits = { free: 20_000, paid: 100_000 };

/** Cloudflare: the same worker runs on Pages, on Workers with static assets, and in front of any other origin. */
export const cloudflare: Host<"cloudflare"> = {
  name: "cloudflare",
  title: "Cloudflare",
  capabilities: wholeContract,
  delivery: branchDelivery,
  siteFiles: ({ basePath }) => [
    { path: "_worker.js", content: worker(basePath) },
    // A deployment to Workers uploads the whole folder, but fails if the folder contains a _worker.js.
    { path: ".assetsignore", content: "_worker.js\n.mirrorfeed\n" },
    // Without this file, Pages answers a missing path with index.html, as for a single-page application.
    { path: "404.html", content: jsonText(errorDocuments["not-found"]) },
  ],
  serverFiles: ({ basePath, root, companions }) => {
    const shared = { main: join(companions, "worker.js"), compatibility_date: "2026-01-01" };
    return [
      configuration(
        "wrangler.jsonc",
        "Serves the site as a worker's static assets. Deploy it with npx wrangler deploy --config wrangler.jsonc",
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
      configuration(
        "wrangler-origin.jsonc",
        "Runs the worker in front of a static host. Set ORIGIN to the site's URL on that host, and run\n" +
          "// npx wrangler deploy --config wrangler-origin.jsonc",
        {
          name: "mirrorfeed-edge",
          ...shared,
          vars: { ORIGIN: "https://user.github.io/repository", ORIGIN_TIMEOUT_MS: "10000" },
        },
      ),
      { path: "worker.js", content: worker(basePath) },
    ];
  },
  warnings: ({ files }) => {
    if (files <= fileLimits.free) return [];
    const fits = files <= fileLimits.paid;
    const plan = fits ? `on a free plan allows ${fileLimits.free}` : `allows ${fileLimits.paid} on any plan`;
    const paid = fits ? `use a paid plan (${fileLimits.paid}), ` : "";
    return [
      `The site has ${files} files, but a deployment to Cloudflare ${plan}: ${paid}split the feed into several sites, or serve it from another host with the worker in front of it (ORIGIN in wrangler-origin.jsonc).`,
    ];
  },
};

function configuration(path: string, comment: string, settings: object): SiteFile {
  return { path, content: `// ${comment}\n${JSON.stringify(settings, null, 2)}\n` };
}
