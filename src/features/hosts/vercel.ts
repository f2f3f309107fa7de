import {
  cacheControl,
  errorDocuments,
  type ErrorName,
  errorPath,
  networkRoot,
  reportRoot,
} from "../../core/contract/contract.ts";
import { branchDelivery, type Host, type HostInput, wholeContract } from "./host.ts";

/**
 * Vercel's limits for the number of routes in a deployment (https://vercel.com/docs/limits) and for the length of a
 * pattern (the schema of @vercel/routing-utils).
 */
const maxRoutes = 2048;
const maxPatternLength = 4096;

/** An upper limit for the number of characters in a pattern besides the path and the names. */
const punctuation = 64;

/** One rule of `vercel.json`: https://vercel.com/docs/build-output-api/configuration#routes */
type Route = { readonly handle: "filesystem" } | PatternRoute;

interface PatternRoute {
  readonly src: string;
  readonly caseSensitive: true;
  readonly methods?: readonly string[];
  readonly status?: number;
  readonly dest?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly continue?: true;
  /** If `dest` does not exist, Vercel continues with the next route. */
  readonly check?: true;
}

/** Vercel's patterns are PCRE: `$` alone would allow a newline at the end of a path, and `.` matches no newline. */
const end = "/?(?![\\s\\S])$";
const anything = "[\\s\\S]*$";

/** Vercel: routes in `vercel.json`, each of which can match many names. */
export const vercel: Host<"vercel"> = {
  name: "vercel",
  title: "Vercel",
  capabilities: { ...wholeContract, rules: "named" },
  delivery: branchDelivery,
  siteFiles: (input) => [
    { path: "vercel.json", content: `${JSON.stringify({ routes: routes(input) }, null, 1)}\n` },
    { path: ".vercelignore", content: ".mirrorfeed\n" },
  ],
  warnings: (input) => {
    const count = routes(input).length;
    const warning = `vercel.json has ${count} routes, but a deployment to Vercel allows ${maxRoutes}: merge projects, split the feed into several sites, or serve it from a host whose rules do not grow with the feed, such as cloudflare.`;
    return count > maxRoutes ? [warning] : [];
  },
};

/** The first route that matches decides, unless it has `continue`. */
function routes({ feed, basePath }: HostInput): Route[] {
  const base = `^${literal(basePath)}`;
  const list = `${basePath}/${networkRoot}`;
  const error = (src: string, name: ErrorName): PatternRoute =>
    route(src, { status: errorDocuments[name].code, dest: `${basePath}/${errorPath(name)}` });
  const level = (path: string, below: ErrorName): PatternRoute[] => [
    route(`^${literal(path)}${end}`, { dest: `${path}/index.json` }),
    error(`^${literal(path)}/${anything}`, below),
  ];
  const shared = route(`${base}/${anything}`, {
    headers: { "Access-Control-Allow-Origin": "*", "Cache-Control": cacheControl },
    continue: true,
  });
  return [
    shared,
    {
      ...error(`${base}/${anything}`, "method"),
      methods: ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"],
      headers: { Allow: "GET, HEAD" },
    },
    error("^/vercel\\.json$", "not-found"),
    error(`${base}/(?:\\.|%2[Ee])${anything}`, "not-found"),
    ...feed.flatMap(({ system, projects }) => [
      ...projects.flatMap(({ project, targets }) => {
        const path = `${list}/${system}/${project}`;
        const maxLength = maxPatternLength - literal(path).length - punctuation;
        const names = targets.map(({ target }) => literal(target));
        return [
          ...alternations(names, maxLength).flatMap((some) => [
            route(`^${literal(path)}/((?:${some})(?:/[01])?)${end}`, { dest: `${path}/$1/index.json` }),
            error(`^${literal(path)}/(?:${some})/${anything}`, "status"),
          ]),
          ...level(path, "target"),
        ];
      }),
      ...level(`${list}/${system}`, "project"),
    ]),
    ...level(list, "system"),
    ...pages(basePath),
    // This route is repeated because `vercel dev` forgets headers if the last route before the files does not match.
    shared,
    { handle: "filesystem" },
    route(`${base}/${reportRoot}((?:/[^/]+){0,3})${end}`, {
      dest: `${basePath}/${reportRoot}$1/index.json`,
      check: true,
    }),
    error(`^${anything}`, "not-found"),
  ];
}

/**
 * Returns the routes that redirect a page's path without a final slash to the path with the slash, because relative
 * links need the slash.
 */
function pages(basePath: string): PatternRoute[] {
  const base = literal(basePath);
  const folders = "status|incidents|subscribe";
  const below = [
    `${base}/(docs|${folders})`,
    `${base}/(?:${folders})/(?:[^/]+/){0,3}(?!index\\.html(?![\\s\\S]))([^/]+)`,
  ];
  const root = base.replace(/[^/]+$/, "($&)");
  return [...(base === "" ? [] : [root]), ...below].map((path) =>
    route(`^${path}(?![\\s\\S])$`, { status: 301, headers: { Location: "./$1/" } }),
  );
}

function route(src: string, action: Omit<PatternRoute, "src" | "caseSensitive">): PatternRoute {
  return { src, caseSensitive: true, ...action };
}

/** Joins the names with `|` into as few patterns as possible, each of at most `maxLength` characters. */
function alternations(names: readonly string[], maxLength: number): string[] {
  const joined: string[] = [];
  for (const name of names) {
    const last = joined.at(-1);
    if (last === undefined || last.length + 1 + name.length > maxLength) joined.push(name);
    else joined[joined.length - 1] = `${last}|${name}`;
  }
  return joined;
}

/** Escapes a path for a pattern. The dot is the only special character in names and base paths. */
function literal(path: string): string {
  return path.replaceAll(".", "\\.");
}
