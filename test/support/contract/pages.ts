import type { SiteFile } from "../../../src/core/base/files/site-file.ts";

const pages =
  `index.html docs/index.html status/index.html status/alpha/index.html status/alpha/main-tools/index.html
  status/alpha/main-tools/t1/index.html status/alpha/main-tools/a.b_c/index.html status/alpha/main-tools/t1/7/index.html
  incidents/index.html incidents/i-1/index.html subscribe/index.html`.split(/\s+/);
const documents = ["v1/report/index.json", "v1/report/alpha/main-tools/t1/index.json"];
const others = `favicon.ico assets/icon-180.png site.webmanifest feed.atom metrics.txt
  mirrorlist/alpha/main-tools/t1.txt badge/alpha/main-tools/t1.svg`.split(/\s+/);

/** What a site has besides the contract: pages, the report, and single files. */
export const pageFiles: readonly SiteFile<string>[] = [
  ...pages.map((path) => ({ path, content: `<title>${path}</title>` })),
  ...documents.map((path) => ({ path, content: `{"path":"${path}"}\n` })),
  ...others.map((path) => ({ path, content: `${path}\n` })),
];

/** A request outside the contract, and its answer: a file, a redirect, or the error for a missing file. */
export interface PageCase {
  readonly method: "GET" | "HEAD";
  readonly path: string;
  readonly expect:
    | { readonly kind: "file"; readonly path: string }
    | { readonly kind: "redirect"; readonly location: string }
    | { readonly kind: "not-found" }
    /** Servers differ, but none may redirect to another host. */
    | { readonly kind: "stays" };
}

const folders = pages.map((path) => `/${path.replace(/\/?index\.html$/, "")}`);

const redirects: readonly (readonly [path: string, location: string])[] = [
  ...folders.slice(1).map((path) => [path, `.${path.slice(path.lastIndexOf("/"))}/`] as const),
  ["/docs?x=1", "./docs/?x=1"],
  ["/docs?a=/b/&c=//example.org", "./docs/?a=/b/&c=//example.org"],
  ["/status/alpha/main-tools/t1?x", "./t1/?x"],
];

const files: readonly (readonly [path: string, file: string])[] = [
  ...pages.map((path) => [`/${path.replace(/index\.html$/, "")}`, path] as const),
  ["/docs/?x=1", "docs/index.html"],
  // JSON documents are served with and without a slash at the end.
  ...documents.flatMap((path) =>
    ["", "/"].map((end) => [`/${path.replace(/\/index\.json$/, end)}`, path] as const),
  ),
  ...others.map((path) => [`/${path}`, path] as const),
];

/** Single files are served only without a slash at the end. */
const missing = ["/feed.atom/", "/metrics.txt/", "/mirrorlist/alpha/main-tools/t1.txt/", "/docs/nothing/"];

const tricks =
  String.raw`//docs //example.org/docs //example.org/../docs /docs/../docs /x/..//example.org/docs
  /%2F%2Fexample.org/docs /\example.org/docs /docs%0d%0aX-Injected:1 /docs?%0d%0aX-Injected:1 /https:docs`.split(
    /\s+/,
  );

export const pageCases: readonly PageCase[] = [
  ...redirects.flatMap(([path, location]) => [
    pageCase(path, { kind: "redirect", location }),
    pageCase(path, { kind: "redirect", location }, "HEAD"),
  ]),
  ...files.map(([path, file]) => pageCase(path, { kind: "file", path: file })),
  ...missing.map((path) => pageCase(path, { kind: "not-found" })),
  ...tricks.map((path) => pageCase(path, { kind: "stays" })),
];

function pageCase(path: string, expect: PageCase["expect"], method: PageCase["method"] = "GET"): PageCase {
  return { method, path, expect };
}
