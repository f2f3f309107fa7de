import { relative } from "node:path";
import {
  cacheControl,
  type ErrorName,
  errorDocuments,
  errorPath,
  networkRoot,
  type Place,
  placesOf,
} from "../contract/contract.ts";
import { branchDelivery } from "./delivery.ts";
import { type Host, type HostInput, wholeContract } from "./host.ts";
import { edgeFunction, pageFunction } from "./netlify-edge.ts";

/**
 * Netlify tries one rule after the other. With more rules than this, a request takes at least 5 ms, and Netlify advises
 * an edge function. No number is documented from which a deployment fails.
 */
const maxRules = 2000;

/** A second path of the documents, without other rules. The edge function fetches them there. */
const documentsAlias = "_documents";

/** The report has a document at each level, without the statuses. */
const reports = ["", "/:system", "/:system/:project", "/:system/:project/:target"].map(
  (below) => `v1/report${below}`,
);

/** Netlify: rules with names in `_redirects`, or an edge function without names if there would be too many rules. */
export const netlify: Host<"netlify"> = {
  name: "netlify",
  title: "Netlify",
  capabilities: { ...wholeContract, methodNotAllowed: "other", rules: "named" },
  delivery: branchDelivery,
  publishing: [
    "`npx netlify-cli deploy --prod --no-build --dir=_site`; the rules are in the site. Tested with Netlify's own matcher;",
    "that the live service answers 403 and 400 from a rule is documented (any status except redirects), not tested.",
    `For more than ${maxRules} rules (four a target), and for 405: \`mirrorfeed host netlify --root _site --out .\` writes`,
    "`netlify.toml` and an edge function without names (tested in Node); then `npx netlify-cli deploy --prod`.",
    "Below a path: put the site into that folder of the deployment, and its `_redirects` and `_headers` at the top.",
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
      `Netlify would need ${rules} rules for this feed, and ${maxRules} are its practical limit, so the site has none. ` +
        "Use an edge function instead; write it with mirrorfeed host netlify --out FOLDER.",
    ];
  },
};

/** Returns the folder that Netlify publishes, which has the site at its base path. */
function topOf(root: string, basePath: string): string {
  return root.endsWith(basePath) ? root.slice(0, root.length - basePath.length) : root;
}

/** Returns the rules. The first one that matches decides. `!` gives a rule precedence over files. */
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
  // A place comes after those below it, since its rule matches theirs too.
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
  return `# The site on Netlify with an edge function, for a feed with more names than Netlify's rules allow.
# Keep this file and the folder netlify/ at the top of the repository, or of the folder in which you run:
# npx netlify-cli deploy --prod
[build]
  publish = ${JSON.stringify(publish.replaceAll("\\", "/") || ".")}
`;
}
