import { errorDocuments, jsonText } from "../contract.ts";
import type { Host } from "./host.ts";

/** GitHub Pages: serves the plain tree, and takes no configuration but one page for whatever is missing. */
export const githubPages: Host = {
  name: "github-pages",
  title: "GitHub Pages",
  capabilities: {
    forbidden: "not-found",
    badRequest: "not-found",
    methodNotAllowed: "own-body",
    jsonTypes: "documents",
    slashless: "redirect",
    cors: "all",
    cacheControl: "host",
    rules: "constant",
    proof: "read",
  },
  publishing: [
    "From a workflow: `actions/upload-pages-artifact` with `path: _site`, then `actions/deploy-pages`;",
    "or `mirrorfeed publish`, with the branch `gh-pages` chosen in the repository's settings.",
    "Unknown names and statuses answer 404 with the JSON of the contract as `text/html`; clients look at the code.",
    "A path without its slash is redirected to the one with it, `…/index.json` is served too, and every answer",
    "may be ten minutes old. For 403, 400 and the exact types put the Cloudflare worker in front of it.",
  ],
  siteFiles: () => [
    { path: "404.html", content: jsonText(errorDocuments["not-found"]) },
    // Published from a branch, a site without this goes through Jekyll, which drops some of its names.
    { path: ".nojekyll", content: "" },
  ],
};
