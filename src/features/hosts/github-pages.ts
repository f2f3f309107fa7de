import { errorDocuments, jsonText } from "../../core/contract/contract.ts";
import { contentOf } from "../../core/base/files/site-file.ts";
import { siteUrlProblem } from "../../core/base/text/url.ts";
import type { Host } from "./host.ts";

/** GitHub Pages: serves the files as they are. Its only configuration is one page for all missing paths. */
export const githubPages: Host<"github-pages"> = {
  name: "github-pages",
  title: "GitHub Pages",
  capabilities: {
    errors: "not-found",
    methodNotAllowed: "own-body",
    jsonTypes: "documents",
    slashless: "redirect",
    cacheControl: "host",
    rules: "constant",
    proof: "documented",
  },
  profile: "pages",
  delivery: {
    summary: "the workflow deploys it",
    workflow: "pages",
    steps: ({ commit }) => [
      commit,
      "On GitHub: Settings → Pages → Source: GitHub Actions; then Actions → Refresh the feed → Run workflow.",
    ],
  },
  siteFiles: () => [
    { path: "404.html", content: jsonText(errorDocuments["not-found"]) },
    // Without this file, GitHub builds a branch with Jekyll, which drops files.
    { path: ".nojekyll", content: "" },
  ],
  // If `x.html` exists, GitHub Pages sends it for `x` instead of redirecting to `x/`.
  slashlessPages: (documents) =>
    documents.map((document) => ({
      path: document.path.replace(/\/index\.json$/, ".html"),
      content: () => slashlessText(contentOf(document)),
    })),
  urlOfRemote: pagesUrl,
};

/** Returns JSON that is safe to send as HTML: characters that begin a tag or an entity are escaped. */
export function slashlessText(json: string): string {
  return json.replaceAll(
    /[<>&]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * Returns the URL of a repository's site on GitHub Pages, such as `https://OWNER.github.io/NAME/`, or undefined if the
 * remote is not on github.com (docs.github.com, "Types of GitHub Pages sites").
 */
function pagesUrl(remote: string): string | undefined {
  const pattern =
    /^(?:https?:\/\/(?:[^@/]*@)?|ssh:\/\/git@|git@)github\.com[:/]([a-z\d-]+)\/([\w.-]+?)(?:\.git)?\/?$/i;
  const [, owner = "", name = ""] = pattern.exec(remote) ?? [];
  const host = `${owner.toLowerCase()}.github.io`;
  const url = `https://${host}/${name.toLowerCase() === host ? "" : `${name}/`}`;
  return owner === "" || siteUrlProblem(url) !== undefined ? undefined : url;
}
