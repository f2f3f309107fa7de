import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { extname, join } from "node:path";
import type { Engine, EngineSite } from "./engine.ts";
import { areInstalled, loadInstalled } from "./installed-engine.ts";
import { decodePath, isFile, listenOnLoopback } from "../../support/loopback.ts";

const packages = ["netlify-redirector", "@netlify/redirect-parser", "@netlify/headers-parser"];
export const hasNetlify = areInstalled(...packages);

interface Parsed {
  readonly errors: readonly Error[];
}

interface RedirectParser {
  readonly parseAllRedirects: (
    input: object,
  ) => Promise<Parsed & { readonly redirects: readonly ({ from: string; query: object } & object)[] }>;
}

interface HeadersParser {
  readonly parseAllHeaders: (
    input: object,
  ) => Promise<
    Parsed & { readonly headers: readonly { forRegExp: RegExp; values: Record<string, string> }[] }
  >;
}

interface Redirector {
  readonly parseJSON: (
    rules: string,
    options: object,
  ) => Promise<{ match: (request: object) => { to: string; status: number; force: boolean } | null }>;
}

type Rules = Awaited<ReturnType<Redirector["parseJSON"]>>;
type HeaderRules = Awaited<ReturnType<HeadersParser["parseAllHeaders"]>>["headers"];

/**
 * Starts a server that answers like Netlify. Netlify's own parsers read `_redirects` and `_headers`, and its own
 * matcher (C++ as WebAssembly, from its command line) finds the rule for a path. The code here applies the rule as
 * documented: without `!`, a file takes precedence over the rule; with status 301, 302, 303, 307 or 308, the rule
 * redirects; with any other status, the answer is the file that the rule names. Node.js serves the files.
 */
export async function startNetlify(site: EngineSite): Promise<Engine> {
  const rules = await readRules(join(site.root, "_redirects"));
  const headers = await readHeaders(join(site.root, "_headers"));
  const server = createServer((request, response) => {
    request.resume();
    answer(site, rules, headers, request, response);
  });
  return listenOnLoopback(server);
}

function answer(
  { root, basePath }: EngineSite,
  rules: Rules,
  headers: HeaderRules,
  { method = "", url = "/" }: IncomingMessage,
  response: ServerResponse,
): void {
  const { pathname, search } = new URL(url, "http://localhost");
  const path = decodePath(pathname);
  for (const { forRegExp, values } of headers.filter(({ forRegExp }) => forRegExp.test(path ?? ""))) {
    if (forRegExp.test(pathname)) response.setHeaders(new Headers(values));
  }
  const find = (place: string): string | undefined => {
    if (!`${place}/`.startsWith(`${basePath}/`) || /(?:^|[/\\])\.\.(?:[/\\]|$)/.test(place)) return undefined;
    const inside = join(root, place.slice(basePath.length));
    return [inside, `${inside.replace(/\/$/, "")}.html`, join(inside, "index.html")].find(isFile);
  };
  // Netlify's command line answers methods other than GET and HEAD with 405. What the live service answers is not
  // documented.
  if (method !== "GET" && method !== "HEAD") sendText(response, 405, "Method Not Allowed");
  else if (path === undefined || path.includes("\0")) sendText(response, 400, "Bad Request");
  else {
    const file = find(path);
    const rule = matchRule(rules, path, search.slice(1));
    if (rule === null || (file !== undefined && !rule.force)) sendFile(response, 200, file);
    else if ([301, 302, 303, 307, 308].includes(rule.status))
      response.writeHead(rule.status, { Location: rule.to }).end();
    else sendFile(response, rule.status, find(rule.to));
  }
}

function matchRule(rules: Rules, path: string, query: string): ReturnType<Rules["match"]> {
  const nothing = { headers: {}, cookieValues: {}, getHeader: () => "", getCookie: () => "" };
  return rules.match({ scheme: "http", host: "localhost", path, query, ...nothing });
}

const types: Partial<Record<string, string>> = { ".json": "application/json", ".html": "text/html" };

function sendFile(response: ServerResponse, status: number, file: string | undefined): void {
  if (file === undefined) {
    sendText(response, 404, "Not Found");
    return;
  }
  response.statusCode = status;
  const type = types[extname(file)];
  if (type !== undefined) response.setHeader("Content-Type", type);
  response.end(readFileSync(file));
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "Content-Type": "text/plain" }).end(text);
}

async function readRules(file: string): Promise<Rules> {
  const parser = await loadInstalled<RedirectParser>("@netlify/redirect-parser", "parseAllRedirects");
  const redirector = await loadInstalled<Redirector>("netlify-redirector", "parseJSON");
  const input = { redirectsFiles: [file], configRedirects: [], minimal: false };
  const parsed = await parser.parseAllRedirects(input);
  refuseErrors(parsed);
  const rules = parsed.redirects.map(({ from: origin, query: params, ...rest }) => {
    return { ...rest, origin, params };
  });
  return redirector.parseJSON(JSON.stringify(rules), {});
}

async function readHeaders(file: string): Promise<HeaderRules> {
  const parser = await loadInstalled<HeadersParser>("@netlify/headers-parser", "parseAllHeaders");
  const parsed = await parser.parseAllHeaders({ headersFiles: [file], configHeaders: [], minimal: false });
  refuseErrors(parsed);
  return parsed.headers;
}

function refuseErrors({ errors }: Parsed): void {
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"));
}
