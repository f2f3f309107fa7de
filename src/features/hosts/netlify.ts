import { relative } from "node:path";
import {
  cacheControl,
  type ErrorName,
  errorDocuments,
  errorPath,
  networkRoot,
  type Place,
  placesOf,
  reportRoot,
} from "../../core/contract/contract.ts";
import { decode, ifValidNames, intro, isName, tables } from "./edge-function.ts";
import { branchDelivery, type Host, type HostInput, wholeContract } from "./host.ts";

/**
 * Netlify tries rules one by one. With more rules than this, a request takes at least 5 ms, and Netlify recommends an
 * edge function. It documents no hard limit.
 */
const maxRules = 2000;

/**
 * A second path to the documents. No other rule applies to it, and the edge function does not run for it, so that the
 * edge function can fetch the documents from there.
 */
const documentsAlias = "_documents";

/**
 * Paths of the report's documents: one for the feed, and one for each system, project and target, but none for a
 * status.
 */
const reports = ["", "/:system", "/:system/:project", "/:system/:project/:target"].map(
  (below) => `${reportRoot}${below}`,
);

/** Netlify: rules for every name in `_redirects`, or an edge function if there would be too many rules. */
export const netlify: Host<"netlify"> = {
  name: "netlify",
  title: "Netlify",
  capabilities: { ...wholeContract, methodNotAllowed: "other", rules: "named" },
  delivery: branchDelivery,
  publishing: [
    "Run `npx netlify-cli deploy --prod --no-build --dir=_site`. The rules are in the site's `_redirects`. They are tested",
    "with Netlify's own matcher. Netlify's documentation allows rules that answer 403 and 400, but they are not tested on the live service.",
    `To get 405 answers, or if the site needs more than ${maxRules} rules (four per target), run \`mirrorfeed host netlify --root _site --out .\` and`,
    "`npx netlify-cli deploy --prod`. This deploys `netlify.toml` and an edge function, which is tested in Node.js.",
    "To publish below `/status/`, put the site in `status/`, but `_redirects` and `_headers` at the top of the deployment.",
  ],
  siteFiles: (input) => [
    { path: "_redirects", content: redirects(input) },
    { path: "_headers", content: headers(input) },
  ],
  serverFiles: ({ basePath, root, companions }) => [
    { path: "netlify.toml", content: netlifyToml(relative(companions, topOf(root, basePath))) },
    {
      path: "netlify/edge-functions/mirrorfeed.js",
      content: edgeFunction(`${basePath}/${networkRoot}`, `${basePath}/${documentsAlias}`),
    },
    { path: "netlify/edge-functions/mirrorfeed-pages.js", content: pageFunction(basePath) },
  ],
  warnings: (input) => {
    const rules = namedRules(input).length;
    if (rules <= maxRules) return [];
    return [
      `Netlify would need ${rules} rules for this feed, but its practical limit is ${maxRules}, so the rules were left out. ` +
        "Use an edge function instead; write it with mirrorfeed host netlify --out FOLDER.",
    ];
  },
};

function topOf(root: string, basePath: string): string {
  return root.endsWith(basePath) ? root.slice(0, root.length - basePath.length) : root;
}

/** The first rule that matches decides. `!` gives a rule precedence over files. */
function redirects(input: HostInput): string {
  const { basePath } = input;
  const named = namedRules(input);
  const rules = [
    ...["/_redirects", "/_headers", `${basePath}/.mirrorfeed/*`].map((path) =>
      error(path, "not-found", basePath, "!"),
    ),
    `${basePath}/${documentsAlias}/* ${basePath}/${networkRoot}/:splat 200`,
    ...(named.length > maxRules ? [] : named),
    ...reports.map((path) => document(`${basePath}/${path}`)),
    error(`${basePath}/*`, "not-found", basePath),
  ];
  return `${rules.join("\n")}\n`;
}

function namedRules({ feed, basePath }: HostInput): string[] {
  const list = `${basePath}/${networkRoot}`;
  const unknown = (path: string, name: ErrorName): string => error(`${path}/*`, name, basePath, "!");
  const rulesOf = ({ level, place }: Place): string[] => {
    const path = `${list}/${place}`;
    return level === "target"
      ? [document(path), document(`${path}/0`), document(`${path}/1`), unknown(path, "status")]
      : [document(path), unknown(path, level === "project" ? "target" : "project")];
  };
  // The first rule that matches decides, and a place's rules also match the paths below it. So the rules of lower
  // places come first.
  return [...placesOf(feed).toReversed().flatMap(rulesOf), document(list), unknown(list, "system")];
}

function document(path: string): string {
  return `${path} ${path}/index.json 200`;
}

function error(path: string, name: ErrorName, basePath: string, force: "" | "!" = ""): string {
  return `${path} ${basePath}/${errorPath(name)} ${errorDocuments[name].code}${force}`;
}

function headers({ basePath }: HostInput): string {
  const list = `${basePath}/${networkRoot}`;
  return `${basePath}/*
  Access-Control-Allow-Origin: *
  Cache-Control: ${cacheControl}
${list}
  Content-Type: application/json
${list}/*
  Content-Type: application/json
`;
}

function netlifyToml(publish: string): string {
  return `# Publishes the site on Netlify with an edge function, for a feed with more names than Netlify's rules allow.
# Keep this file and the folder netlify/ at the top of the repository, or in the folder where you run:
# npx netlify-cli deploy --prod
[build]
  publish = ${JSON.stringify(publish.replaceAll("\\", "/") || ".")}
`;
}

/**
 * Returns an edge function that redirects a page's path without a final slash to the path with the slash, because
 * relative links need the slash. It is plain JavaScript, and contains no names from the feed.
 */
function pageFunction(base: string): string {
  const folders = ["status", "incidents", "subscribe"].flatMap((name) => [
    `${base}/${name}`,
    `${base}/${name}/*`,
  ]);
  const paths = [...(base === "" ? [] : [base]), `${base}/docs`, ...folders];
  return String.raw`// Redirects pages to the path with a slash. A response is a page if Netlify sends it as HTML.

export const config = { path: ${JSON.stringify(paths)} };

export default async function answer(request, context) {
  const found = await context.next();
  const { pathname, search } = new URL(request.url);
  const isPage = found.status === 200 && (found.headers.get("Content-Type") ?? "").startsWith("text/html");
  const last = pathname.slice(pathname.lastIndexOf("/") + 1);
  if (!isPage || last === "" || last === "index.html") return found;
  await found.body?.cancel();
  const headers = { "Access-Control-Allow-Origin": "*", "Cache-Control": ${JSON.stringify(cacheControl)} };
  return new Response(null, { status: 301, headers: { ...headers, Location: "./" + last + "/" + search } });
}
`;
}

/**
 * Returns an edge function for the paths below `list`. It is plain JavaScript, and contains no names from the feed.
 * `documents` is a second path to the same files. The function does not run for that path, so it can fetch the files
 * from there.
 */
function edgeFunction(list: string, documents: string): string {
  return String.raw`${intro}

export const config = { path: [${JSON.stringify(list)}, ${JSON.stringify(`${list}/*`)}] };

const list = ${JSON.stringify(list)};
const documents = ${JSON.stringify(documents)};
${tables}
const shared = {
  "Access-Control-Allow-Origin": "*",
  "Cache-Control": ${JSON.stringify(cacheControl)},
  "Content-Type": "application/json",
};

export default async function answer(request) {
  const { method } = request;
  if (method !== "GET" && method !== "HEAD") return answerError("method", method);
  const url = new URL(request.url);
  const names = url.pathname.slice(list.length).split("/").slice(1).map(decode);
  if (names.at(-1) === "") names.pop();

  // An existing document takes one fetch. If there is none, the error names the first level
  // (system, project or target) without a document.
${ifValidNames}
    const found = await fetchDocument(url, names, method, conditional(request));
    if (found.status !== 404) return answerFound(found);
    if (names.length === 0) return answerError("not-found", method);
  }
  for (const [depth, name] of parents.entries()) {
    if (!isName(name) || depth === names.length - 1) return answerError(levels[depth], method);
    const found = await fetchDocument(url, names.slice(0, depth + 1), "HEAD", {});
    if (found.status === 404) return answerError(levels[depth], method);
    if (found.status !== 200) return answerFound(found);
  }
  return answerError("status", method);
}

function fetchDocument(url, names, method, headers) {
  return fetch(new URL([documents, ...names, "index.json"].join("/"), url), { method, headers });
}

// If the site fails, clients get its status, because a failure does not show which documents exist.
function answerFound({ status, body, headers: found }) {
  const headers = new Headers(status === 200 || status === 304 ? shared : { ...shared, "Cache-Control": "no-store" });
  for (const name of ["ETag", "Last-Modified"]) {
    if (found.has(name)) headers.set(name, found.get(name));
  }
  return new Response(body, { status, headers });
}

function answerError(name, method) {
  const { status, body } = errors[name];
  const headers = name === "method" ? { ...shared, Allow: "GET, HEAD" } : shared;
  return new Response(method === "HEAD" ? null : body, { status, headers });
}

function conditional({ headers }) {
  const sent = ["If-None-Match", "If-Modified-Since"].filter((name) => headers.has(name));
  return Object.fromEntries(sent.map((name) => [name, headers.get(name)]));
}

${isName}

${decode}
`;
}
