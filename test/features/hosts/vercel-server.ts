import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { Ajv } from "ajv";
import type { Engine, EngineSite } from "./engine.ts";
import { areInstalled, loadInstalled } from "./installed-engine.ts";
import { decodePath, isFile, listenOnLoopback } from "../../support/loopback.ts";

export const hasVercel = areInstalled("@vercel/routing-utils", "pcre-to-regexp");

interface Route {
  readonly handle?: "filesystem";
  readonly src?: string;
  readonly caseSensitive?: boolean;
  readonly methods?: readonly string[];
  readonly status?: number;
  readonly dest?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly continue?: boolean;
  readonly check?: boolean;
}

interface RoutingUtils {
  readonly routesSchema: object;
  readonly normalizeRoutes: (routes: unknown) => { routes: readonly Route[]; error: Error | null };
}

interface Matcher {
  readonly default: (pattern: string, keys: string[]) => RegExp;
}

type Pattern = RegExp | undefined;

/**
 * Starts a server that answers like Vercel. Vercel's own routing library validates and normalizes `vercel.json`, and
 * the library of `vercel dev` compiles the PCRE patterns. The code here applies routes as documented for the live
 * service, which honours `caseSensitive`, although `vercel dev` does not. The path is matched as the client sent it.
 */
export async function startVercel(site: EngineSite): Promise<Engine> {
  const routes = await readRoutes(join(site.root, "vercel.json"));
  const server = createServer((request, response) => {
    request.resume();
    answer(site, routes, request, response);
  });
  return listenOnLoopback(server);
}

function answer(
  { root, basePath }: EngineSite,
  routes: readonly (readonly [Route, Pattern])[],
  { method = "", url = "/" }: IncomingMessage,
  response: ServerResponse,
): void {
  const find = (place: string): string | undefined => {
    const path = decodePath(place);
    if (path?.startsWith(`${basePath}/`) !== true || /\0|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(path))
      return undefined;
    const inside = join(root, path.slice(basePath.length));
    return [inside, join(inside, "index.html")].find(isFile);
  };
  let [path = "/"] = url.split("?", 1);
  const query = url.slice(path.length);
  for (const [route, pattern] of routes) {
    if (route.handle === "filesystem") {
      const file = find(path);
      if (file === undefined) continue;
      sendFile(response, 200, file);
      return;
    }
    const match = route.methods?.includes(method) === false ? null : pattern?.exec(path);
    if (match == null) continue;
    const fill = (text: string): string =>
      text.replaceAll(/\$([1-9])/g, (_, group: string) => match[Number(group)] ?? "");
    for (const [name, value] of Object.entries(route.headers ?? {})) response.setHeader(name, fill(value));
    if (route.status === 301) {
      // A redirect keeps the query: https://vercel.com/docs/redirects
      response.setHeader("Location", `${fill(route.headers?.["Location"] ?? "")}${query}`);
      response.writeHead(301).end();
      return;
    }
    const to = fill(route.dest ?? path);
    if (route.continue === true || (route.check === true && find(to) === undefined)) {
      path = to;
      continue;
    }
    sendFile(response, route.status ?? 200, find(to));
    return;
  }
  sendFile(response, 404, undefined);
}

const types: Partial<Record<string, string>> = {
  ".json": "application/json; charset=utf-8",
  ".html": "text/html; charset=utf-8",
};

function sendFile(response: ServerResponse, status: number, file: string | undefined): void {
  if (file === undefined) {
    response.writeHead(404, { "Content-Type": "text/plain" }).end("The page could not be found\n");
    return;
  }
  const type = types[extname(file)];
  response.writeHead(status, type === undefined ? {} : { "Content-Type": type }).end(readFileSync(file));
}

async function readRoutes(file: string): Promise<(readonly [Route, Pattern])[]> {
  const { routesSchema, normalizeRoutes } = await loadInstalled<RoutingUtils>(
    "@vercel/routing-utils",
    "routesSchema",
    "normalizeRoutes",
  );
  const { default: compile } = await loadInstalled<Matcher>("pcre-to-regexp", "default");
  const written: unknown = JSON.parse(readFileSync(file, "utf8"));
  const schema = { type: "object", additionalProperties: false, properties: { routes: routesSchema } };
  const ajv = new Ajv({ strict: false });
  if (!ajv.validate(schema, written) || !hasRoutes(written)) throw new Error(ajv.errorsText());
  const { routes, error } = normalizeRoutes(written.routes);
  if (error !== null) throw error;
  return routes.map((route) => {
    const flags = route.caseSensitive === true ? "" : "i";
    return [route, route.src === undefined ? undefined : compile(`%${route.src}%${flags}`, [])] as const;
  });
}

function hasRoutes(written: unknown): written is { readonly routes: unknown } {
  return typeof written === "object" && written !== null && "routes" in written;
}
