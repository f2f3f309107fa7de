import { errorDocuments, jsonText } from "./contract.ts";
import { LazyFile, type SiteFile, type TextFile } from "../files/site-file.ts";
import { siteUrlProblem } from "../text/url.ts";
import type { Host } from "./host.ts";

/** GitHub Pages: serves the plain tree, and takes no configuration but one page for whatever is missing. */
export const githubPages: Host<"github-pages"> = {
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
  profile: "pages",
  delivery: {
    summary: "the workflow deploys it",
    workflow: {
      does: "deploys the site to\n# GitHub Pages",
      never: "deploys",
      done: "deployed",
      pushes: "the branch of the state",
      rightsAndOutputs: `      pages: read # to ask for the address of the site
    outputs:
      artifact: \${{ steps.run.outputs.artifact }}
`,
      address: `      - name: Ask GitHub for the address of the site
        id: pages
        uses: actions/configure-pages@45bfe0192ca1faeb007ade9deae92b16b8254a0d # v6.0.0
        # It fails until Pages is switched on. The site works without it: its feeds then do not link to its pages.
        continue-on-error: true
`,
      siteUrl: "          SITE_URL: ${{ steps.pages.outputs.base_url }}\n",
      siteUrlOption: '--site-url "$SITE_URL" ',
      success: `            # An artifact outlives the attempt it is of, and two of one name cannot be deployed.
            0) echo "artifact=github-pages-$GITHUB_RUN_ATTEMPT" >> "$GITHUB_OUTPUT" ;;`,
      lastStep: `      - uses: actions/upload-pages-artifact@fc324d3547104276b827a68afc52ff2a11cc49c9 # v5.0.0
        if: steps.run.outputs.artifact != ''
        with:
          name: \${{ steps.run.outputs.artifact }}
          path: _site
`,
      lastJob: `
  deploy:
    name: Deploy
    needs: refresh
    if: needs.refresh.outputs.artifact != ''
    runs-on: ubuntu-latest
    timeout-minutes: 15
    permissions:
      pages: write
      id-token: write
    environment:
      name: github-pages
      url: \${{ steps.deployment.outputs.page_url }}
    steps:
      - uses: actions/deploy-pages@cd2ce8fcbc39b97be8ca5fce6e763baed58fa128 # v5.0.0
        id: deployment
        with:
          artifact_name: \${{ needs.refresh.outputs.artifact }}
`,
    },
    steps: ({ commit }) => [
      commit,
      "On GitHub: Settings → Pages → Source: GitHub Actions; then Actions → Refresh the feed → Run workflow.",
    ],
  },
  publishing: [
    "From a workflow: `actions/upload-pages-artifact` with `path: _site`, then `actions/deploy-pages`;",
    "or `mirrorfeed publish`, with the branch `gh-pages` chosen in the repository's settings. Unknown names and",
    "statuses answer 404 with JSON as `text/html`, and every answer may be ten minutes old. A path without its slash",
    "redirects to the one with it. Clients that cannot follow need `site.slashless: true`: the contract then answers",
    "without a redirect, as `text/html`. For 403, 400 and the exact types put the Cloudflare worker in front of it.",
  ],
  siteFiles: () => [
    { path: "404.html", content: jsonText(errorDocuments["not-found"]) },
    // Published from a branch, a site without this goes through Jekyll, which drops some of its names.
    { path: ".nojekyll", content: "" },
  ],
  slashlessPages: (documents) => documents.map(slashlessPage),
  urlOfRemote: pagesUrl,
};

/**
 * The JSON of a document as the page that GitHub Pages serves at the same path without its slash: `x.html` answers `x`
 * before the folder `x/` does. Its type is HTML, so it holds no character that begins a tag or an entity.
 */
function slashlessPage(document: TextFile): SiteFile {
  const escaped = (character: string): string =>
    `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return new LazyFile(document.path.replace(/\/index\.json$/, ".html"), () =>
    document.content.replaceAll(/[<>&]/g, escaped),
  );
}

/**
 * Returns the URL at which GitHub Pages publishes a repository of github.com, by the address of its remote
 * (docs.github.com, "Types of GitHub Pages sites"): `https://OWNER.github.io/NAME/`.
 */
function pagesUrl(remote: string): string | undefined {
  const pattern =
    /^(?:https?:\/\/(?:[^@/]*@)?|ssh:\/\/git@|git@)github\.com[:/]([a-z\d-]+)\/([\w.-]+?)(?:\.git)?\/?$/i;
  const [, owner = "", name = ""] = pattern.exec(remote) ?? [];
  const host = `${owner.toLowerCase()}.github.io`;
  const url = `https://${host}/${name.toLowerCase() === host ? "" : `${name}/`}`;
  return owner === "" || siteUrlProblem(url) !== undefined ? undefined : url;
}
