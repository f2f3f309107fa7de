import {
  cacheControl,
  type ErrorName,
  errorDocuments,
  errorPath,
  networkRoot,
  placesOf,
  reportRoot,
} from "../../core/contract/contract.ts";
import { branchDelivery, type Host, type HostInput, wholeContract } from "./host.ts";

/**
 * Netlify tries rules one by one. With more rules than this, a request takes at least 5 ms. Netlify documents no hard
 * limit.
 */
const maxRules = 2000;

/** Netlify: rules for every name in `_redirects`. */
export const netlify: Host<"netlify"> = {
  name: "netlify",
  title: "Netlify",
  capabilities: { ...wholeContract, methodNotAllowed: "other", rules: "named" },
  delivery: branchDelivery,
  siteFiles: (input) => [
    { path: "_redirects", content: redirects(input) },
    { path: "_headers", content: headers(input) },
  ],
  warnings: (input) => {
    const rules = namedRules(input).length;
    const warning = `Netlify gets slow with more than ${maxRules} rules, and this feed needs ${rules}: split the feed into several sites, or serve it from a host whose rules do not grow with the feed, such as cloudflare.`;
    return rules > maxRules ? [warning] : [];
  },
};

/** The first rule that matches decides. `!` gives a rule precedence over files. */
function redirects(input: HostInput): string {
  const { basePath } = input;
  const rules = [
    ...["/_redirects", "/_headers", `${basePath}/.mirrorfeed/*`].map((path) =>
      error(path, "not-found", basePath, "!"),
    ),
    ...namedRules(input),
    // The report has no documents for a status.
    ...["", "/:system", "/:system/:project", "/:system/:project/:target"].map((below) =>
      document(`${basePath}/${reportRoot}${below}`),
    ),
    error(`${basePath}/*`, "not-found", basePath),
  ];
  return `${rules.join("\n")}\n`;
}

/** The error for an unknown name below each level. */
const below = { system: "project", project: "target", target: "status" } as const;

function namedRules({ feed, basePath }: HostInput): string[] {
  const list = `${basePath}/${networkRoot}`;
  const unknown = (path: string, name: ErrorName): string => error(`${path}/*`, name, basePath, "!");
  // The first rule that matches decides, and a place's rules also match the paths below it. So the rules of lower
  // places come first.
  const rules = placesOf(feed)
    .toReversed()
    .flatMap(({ level, place }) => {
      const path = `${list}/${place}`;
      const statuses = level === "target" ? [document(`${path}/0`), document(`${path}/1`)] : [];
      return [document(path), ...statuses, unknown(path, below[level])];
    });
  return [...rules, document(list), unknown(list, "system")];
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
