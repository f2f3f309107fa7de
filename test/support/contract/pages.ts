import type { SiteFile } from "../../../src/base/files/site-file.ts";

/** What a site has beside the contract: pages, the report, and files that are asked for by their own names. */
export const pageFiles: readonly SiteFile[] = [
  { path: "index.html", content: "<title>The page</title>" },
  { path: "docs/index.html", content: "<title>The documents</title>" },
  { path: "status/alpha/main-tools/index.html", content: "<title>A project</title>" },
  { path: "status/alpha/main-tools/t1/index.html", content: "<title>A target</title>" },
  { path: "status/alpha/main-tools/a.b_c/index.html", content: "<title>A target with a dot</title>" },
  { path: "status/index.html", content: "<title>The systems</title>" },
  { path: "status/alpha/index.html", content: "<title>A system</title>" },
  { path: "status/alpha/main-tools/t1/7/index.html", content: "<title>A mirror</title>" },
  { path: "embed/alpha/main-tools/t1/index.html", content: "<title>An embed</title>" },
  { path: "incidents/index.html", content: "<title>The incidents</title>" },
  { path: "incidents/i-1/index.html", content: "<title>An incident</title>" },
  { path: "favicon.ico", content: "icon" },
  { path: "assets/icon-180.png", content: "picture" },
  { path: "site.webmanifest", content: "{}\n" },
  { path: "v1/report/index.json", content: '{"report":0}\n' },
  { path: "v1/report/alpha/main-tools/t1/index.json", content: '{"report":3}\n' },
  { path: "feed.atom", content: "<feed/>\n" },
  { path: "metrics.txt", content: "up 1\n" },
  { path: "mirrorlist/alpha/main-tools/t1.txt", content: "https://mirror.example.org/\n" },
  { path: "badge/alpha/main-tools/t1.svg", content: "<svg xmlns='http://www.w3.org/2000/svg'/>\n" },
];

/** One request beside the contract, and its answer: a file of the site, a redirect, or the error for a missing one. */
export interface PageCase {
  readonly method: "GET" | "HEAD";
  readonly path: string;
  readonly expect:
    | { readonly kind: "file"; readonly path: string }
    | { readonly kind: "redirect"; readonly location: string }
    | { readonly kind: "not-found" }
    /** Servers differ; what none may do is to lead to another host. */
    | { readonly kind: "stays" };
}

const redirects: readonly (readonly [path: string, location: string])[] = [
  ["/docs", "./docs/"],
  ["/docs?x=1", "./docs/?x=1"],
  ["/docs?a=/b/&c=//example.org", "./docs/?a=/b/&c=//example.org"],
  ["/status/alpha/main-tools", "./main-tools/"],
  ["/status/alpha/main-tools/t1", "./t1/"],
  ["/status/alpha/main-tools/t1?x", "./t1/?x"],
  ["/status/alpha/main-tools/a.b_c", "./a.b_c/"],
  ["/status", "./status/"],
  ["/status/alpha", "./alpha/"],
  ["/status/alpha/main-tools/t1/7", "./7/"],
  ["/embed/alpha/main-tools/t1", "./t1/"],
  ["/incidents", "./incidents/"],
  ["/incidents/i-1", "./i-1/"],
];

const files: readonly (readonly [path: string, file: string])[] = [
  ["/", "index.html"],
  ["/docs/", "docs/index.html"],
  ["/docs/?x=1", "docs/index.html"],
  ["/status/alpha/main-tools/", "status/alpha/main-tools/index.html"],
  ["/status/alpha/main-tools/t1/", "status/alpha/main-tools/t1/index.html"],
  ["/status/alpha/main-tools/a.b_c/", "status/alpha/main-tools/a.b_c/index.html"],
  // JSON answers both forms.
  ["/v1/report", "v1/report/index.json"],
  ["/v1/report/", "v1/report/index.json"],
  ["/v1/report/alpha/main-tools/t1", "v1/report/alpha/main-tools/t1/index.json"],
  ["/v1/report/alpha/main-tools/t1/", "v1/report/alpha/main-tools/t1/index.json"],
  ["/status/", "status/index.html"],
  ["/status/alpha/", "status/alpha/index.html"],
  ["/status/alpha/main-tools/t1/7/", "status/alpha/main-tools/t1/7/index.html"],
  ["/embed/alpha/main-tools/t1/", "embed/alpha/main-tools/t1/index.html"],
  ["/incidents/i-1/", "incidents/i-1/index.html"],
  ["/favicon.ico", "favicon.ico"],
  ["/assets/icon-180.png", "assets/icon-180.png"],
  ["/site.webmanifest", "site.webmanifest"],
  ["/feed.atom", "feed.atom"],
  ["/metrics.txt", "metrics.txt"],
  ["/mirrorlist/alpha/main-tools/t1.txt", "mirrorlist/alpha/main-tools/t1.txt"],
  ["/badge/alpha/main-tools/t1.svg", "badge/alpha/main-tools/t1.svg"],
];

/** Files that are no documents have one address, without a slash. */
const missing = ["/feed.atom/", "/metrics.txt/", "/mirrorlist/alpha/main-tools/t1.txt/", "/docs/nothing/"];

const tricks = [
  "//docs",
  "//example.org/docs",
  "//example.org/../docs",
  "/docs/../docs",
  "/x/..//example.org/docs",
  "/%2F%2Fexample.org/docs",
  "/\\example.org/docs",
  "/docs%0d%0aX-Injected:1",
  "/docs?%0d%0aX-Injected:1",
  "/https:docs",
];

/** Every case beside the contract. */
export const pageCases: readonly PageCase[] = [
  ...redirects.flatMap(([path, location]) =>
    (["GET", "HEAD"] as const).map((method): PageCase => ({
      method,
      path,
      expect: { kind: "redirect", location },
    })),
  ),
  ...files.map(([path, file]): PageCase => ({ method: "GET", path, expect: { kind: "file", path: file } })),
  ...missing.map((path): PageCase => ({ method: "GET", path, expect: { kind: "not-found" } })),
  ...tricks.map((path): PageCase => ({ method: "GET", path, expect: { kind: "stays" } })),
];
