import { cacheControl, errorDocuments, type ErrorName, errorPath, networkRoot } from "./contract.ts";
import { branchDelivery } from "./delivery.ts";
import { type Host, type HostInput, wholeContract } from "./host.ts";

/** Of one deployment (https://vercel.com/docs/limits), and of one route's pattern (the schema of @vercel/routing-utils). */
const maxRoutes = 2048;
const maxPatternLength = 4096;

/** What a pattern has around a path and its names, and some to spare. */
const punctuation = 64;

/** One rule of `vercel.json`: https://vercel.com/docs/build-output-api/configuration#routes */
type Route = { readonly handle: "filesystem" } | Named;

interface Named {
  readonly src: string;
  readonly caseSensitive: true;
  readonly methods?: readonly string[];
  readonly status?: number;
  readonly dest?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly continue?: true;
  /** Goes on to the next route where `dest` is not there. */
  readonly check?: true;
}

/**
 * `$` alone would let a newline stand at the end of a path, and `.` does not match one in its middle: Vercel's patterns
 * are PCRE.
 */
const end = "/?(?![\\s\\S])$";
const anything = "[\\s\\S]*$";

/** Vercel: routes with names in `vercel.json`, many names to a route. */
export const vercel: Host<"vercel"> = {
  name: "vercel",
  title: "Vercel",
  capabilities: { ...wholeContract, rules: "named" },
  delivery: branchDelivery,
  publishing: [
    "`cd _site && npx vercel deploy --prod`: the routes are in the site, nothing is built.",
    "Tested with Vercel's routing library and the matcher of `vercel dev`; the live service was read about, not run.",
    "A name that is percent-encoded without need (`%74` for `t`) is not known there.",
    `A deployment takes ${maxRoutes} routes: two for some hundred targets, two a project and two a system.`,
    "Below a path: the site into that folder of the project, its `vercel.json` at the project's top.",
  ],
  siteFiles: (input) => [
    { path: "vercel.json", content: `${JSON.stringify({ routes: routes(input) }, null, 1)}\n` },
    { path: ".vercelignore", content: ".mirrorfeed\n" },
  ],
  warnings: (input) => {
    const count = routes(input).length;
    if (count <= maxRoutes) return [];
    return [
      `vercel.json has ${count} routes, and a deployment to Vercel takes ${maxRoutes}: join projects or split the ` +
        "feed into several sites, or serve it from another host whose rules do not grow, such as cloudflare.",
    ];
  },
};

/** The first route that matches decides, but for those that continue. */
function routes({ feed, basePath }: HostInput): Route[] {
  const base = `^${literal(basePath)}`;
  const list = `${basePath}/${networkRoot}`;
  const error = (src: string, name: ErrorName): Named => ({
    src,
    caseSensitive: true,
    status: errorDocuments[name].code,
    dest: `${basePath}/${errorPath(name)}`,
  });
  const level = (path: string, below: ErrorName): Named[] => [
    { src: `^${literal(path)}${end}`, caseSensitive: true, dest: `${path}/index.json` },
    error(`^${literal(path)}/${anything}`, below),
  ];
  const someTargets = (path: string, names: string): Named[] => [
    {
      src: `^${literal(path)}/((?:${names})(?:/[01])?)${end}`,
      caseSensitive: true,
      dest: `${path}/$1/index.json`,
    },
    error(`^${literal(path)}/(?:${names})/${anything}`, "status"),
  ];
  const shared: Named = {
    src: `${base}/${anything}`,
    caseSensitive: true,
    headers: { "Access-Control-Allow-Origin": "*", "Cache-Control": cacheControl },
    continue: true,
  };
  return [
    shared,
    {
      ...error(`${base}/${anything}`, "method"),
      methods: ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
      headers: { Allow: "GET, HEAD" },
    },
    error("^/vercel\\.json$", "not-found"),
    error(`${base}/(?:\\.|%2[Ee])${anything}`, "not-found"),
    ...feed.flatMap(({ system, projects }) => [
      ...projects.flatMap(({ project, targets }) => {
        const path = `${list}/${system}/${project}`;
        const room = maxPatternLength - literal(path).length - punctuation;
        const names = targets.map(({ target }) => literal(target));
        return [
          ...alternations(names, room).flatMap((some) => someTargets(path, some)),
          ...level(path, "target"),
        ];
      }),
      ...level(`${list}/${system}`, "project"),
    ]),
    ...level(list, "system"),
    ...pages(basePath),
    // Again, since `vercel dev` forgets headers where the last route before files does not match.
    shared,
    { handle: "filesystem" },
    {
      src: `${base}/v1/report((?:/[^/]+){0,3})${end}`,
      caseSensitive: true,
      dest: `${basePath}/v1/report$1/index.json`,
      check: true,
    },
    error(`^${anything}`, "not-found"),
  ];
}

/** Pages are redirected to the form with their slash, which their relative links need. */
function pages(basePath: string): Named[] {
  const base = literal(basePath);
  const below = [`${base}/(docs)`, `${base}/status/[^/]+/(?:[^/]+/)?([^/]+)`];
  const root = base.replace(/[^/]+$/, "($&)");
  return [...(base === "" ? [] : [root]), ...below].map((path) => ({
    src: `^${path}(?![\\s\\S])$`,
    caseSensitive: true,
    status: 301,
    headers: { Location: "./$1/" },
  }));
}

/** The names as alternations of a pattern, each as long as there is room for. */
function alternations(names: readonly string[], room: number): string[] {
  const joined: string[] = [];
  for (const name of names) {
    const last = joined.at(-1);
    if (last === undefined || last.length + 1 + name.length > room) joined.push(name);
    else joined[joined.length - 1] = `${last}|${name}`;
  }
  return joined;
}

/** The dot is the one character of names and base paths that means more in a pattern. */
function literal(path: string): string {
  return path.replaceAll(".", "\\.");
}
