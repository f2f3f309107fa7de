import { chmodSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import {
  cacheControl,
  errorDocuments,
  type ErrorName,
  errorPath,
} from "../../../src/core/contract/contract.ts";
import { InputError } from "../../../src/core/base/errors.ts";
import type { Host, ServerInput } from "../../../src/features/hosts/host.ts";
import { type Answer, ask } from "../../support/contract/answers.ts";
import { feedConfig, feedDocuments, feedFiles, writeFiles } from "../../support/contract/feed.ts";
import { closeAfterFile } from "../../support/close-after-test.ts";
import { address } from "../../support/server-process.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import type { Engine, EngineSite, StartEngine } from "./engine.ts";

/** Writes a web server's configuration files next to the site. Returns their paths. */
export function writeServerFiles({ serverFiles, title }: Host, site: EngineSite, port: number): string[] {
  if (serverFiles === undefined) throw new Error(`${title} has no configuration of its own.`);
  const { root, scratch, feed, basePath } = site;
  const files = serverFiles({ root, companions: scratch, feed, basePath, listen: { address, port } });
  writeFiles(scratch, files);
  // Servers that drop their privileges must still read the site.
  chmodSync(scratch, 0o755);
  return files.map(({ path }) => join(scratch, path));
}

const base = "/a.b/feed";
const known = `${base}/v1/network/alpha/main-tools/t1`;

const text = (type: string): RegExp => new RegExp(`^${type}; ?charset=utf-8$`, "i");
const either = (type: string): RegExp => new RegExp(`^${type}(; ?charset=utf-8)?$`, "i");
const json = /^application\/json$/;

/** Long enough to be compressed. */
const long = "\n".repeat(2000);

const notFound = "<!doctype html><title>Page not found</title>";

/** Files that are not part of the contract, with their types and the paths at which they are served. */
const besides: readonly [file: string, content: string, type: RegExp, ...paths: string[]][] = [
  ["index.html", `<!doctype html><title>é</title>${long}`, text("text/html"), "/", "/index.html"],
  ["errors/not-found.html", notFound, text("text/html"), "/errors/not-found.html"],
  ["docs/index.html", "<!doctype html><title>Documents</title>", text("text/html"), "/docs/?x=/1"],
  ["v1/report/a.b/index.json", '{"report":true}\n', json, "/v1/report/a.b", "/v1/report/a.b/"],
  ["badge/a b%2'.svg", "<svg/>", either("image/svg\\+xml"), "/badge/a%20b%252'.svg"],
  // Deno reads types only from text.
  ["client.d.ts", "export declare function pick(): void;\n", text("text/plain"), "/client.d.ts"],
  ["mirrorlist/t1.txt", `https://mirror.example.org/é\n${long}`, text("text/plain"), "/mirrorlist/t1.txt"],
  ["mirrorlist/t1.list", "https://a.example.org/\tpriority:1\n", text("text/plain"), "/mirrorlist/t1.list"],
  ["mirrorlist/t1.conf", "Server = https://a.example.org/$repo\n", text("text/plain"), "/mirrorlist/t1.conf"],
  ["mirrorlist/t1.metalink", "<metalink/>\n", /^application\/metalink\+xml$/, "/mirrorlist/t1.metalink"],
  ["mirrorlist/t1.meta4", "<metalink/>\n", /^application\/metalink4\+xml$/, "/mirrorlist/t1.meta4"],
  ["feed.atom", "<feed/>", either("application/atom\\+xml"), "/feed.atom"],
  ["sitemap.xml", "<urlset/>", either("(?:text|application)/xml"), "/sitemap.xml"],
  ["style.css", `a{}${long}`, text("text/css"), "/style.css"],
  ["page.js", `1;${long}`, text("text/javascript"), "/page.js"],
  ["openapi.json", `{}${long}`, json, "/openapi.json"],
  ["icon.png", long, /^image\/png$/, "/icon.png"],
  [".mirrorfeed/manifest.json", '{"secret":1}', json],
  [".nojekyll", "secret", json],
  ["docs/.secret.json", "secret", json],
];

const hidden = `/v1 /v1/ /badge /badge/ /nothing /nothing/ /feed.atom/ /docs/index.html/ /docs/index.html/x /no.css
  /.mirrorfeed /.mirrorfeed/ /.mirrorfeed/manifest.json /%2Emirrorfeed/manifest.json /.nojekyll /docs/.secret.json
  /docs//.secret.json /V1/network/alpha /no~`;

interface ServerOptions {
  /** Whether mirrorfeed's configuration is the only one that the server has. */
  readonly ownsServer: boolean;
}

/** Tests what a web server does besides the contract. */
export function describeServer(host: Host, start: StartEngine, { ownsServer }: ServerOptions): void {
  describe("besides the contract", () => {
    const scratch = temporaryFolder("mirrorfeed besides-");
    const root = join(scratch, "the site's own");
    const site: EngineSite = { root, scratch, feed: feedConfig.systems, basePath: base };
    let engine: Engine;
    beforeAll(async () => {
      const files = besides.map(([path, content]) => ({ path, content }));
      writeFiles(site.root, [...feedFiles, ...files, ...host.siteFiles(site)]);
      engine = closeAfterFile(await start(site));
    });
    const send = (method: string, path: string, headers: Record<string, string> = {}): Promise<Answer> =>
      ask(engine.url, path, { method, headers });
    const get = (path: string, headers?: Record<string, string>): Promise<Answer> =>
      send("GET", path, headers);

    const served = besides.flatMap(([, content, type, ...paths]) =>
      paths.map((path) => ({ path, content, type })),
    );
    test.each(served)("$path is served", async ({ path, content, type }) => {
      const answer = await get(`${base}${path}`);
      expect([answer.status, answer.body.toString()]).toEqual([200, content]);
      expect(answer.headers["content-type"]).toMatch(type);
      expect(answer.headers["access-control-allow-origin"]).toBe("*");
    });

    test.each(hidden.split(/\s+/))("%s is not found", async (path) => {
      expectError(await get(`${base}${path}`), "not-found");
    });

    test.each("/nothing /nothing/ /a.b/ /badge /docs/gone.html?x //docs//gone/ /%6Eothing".split(" "))(
      "%s answers with a page to a browser",
      async (path) => {
        for (const accept of ["text/html,*/*;q=0.8", "application/xhtml+xml, TEXT/HTML"]) {
          const asked = { Accept: accept, "If-None-Match": "*" };
          const { status, headers, body } = await get(`${base}${path}`, asked);
          expect([status, body.toString()]).toEqual([404, notFound]);
          expect(headers["content-type"]).toMatch(text("text/html"));
          expect(headers["vary"]).toMatch(/\baccept(?!-)/i);
          expect(headers["cache-control"]).toBe(cacheControl);
          expect(headers["access-control-allow-origin"]).toBe("*");
        }
        for (const accept of ["*/*", "application/json"]) {
          const answer = await get(`${base}${path}`, { Accept: accept });
          expectError(answer, "not-found");
          expect(answer.headers["vary"]).toMatch(/\baccept(?!-)/i);
        }
      },
    );

    test.each(
      "/v1 /v1/ /v1/report/x/ //v1//x /%761/x /v1/x.html /errors/x.html /no.json /no/no.txt".split(" "),
    )("%s answers with JSON to a browser too", async (path) => {
      expectError(await get(`${base}${path}`, { Accept: "text/html" }), "not-found");
    });

    test("a configuration of the host in the site is not served", async () => {
      for (const { path } of host.siteFiles(site)) {
        const answer = await get(`${base}/${path}`);
        expect([403, 404]).toContain(answer.status);
        expect(answer.body).toEqual(feedDocuments.get(errorPath("not-found")));
        expectShared(answer);
      }
    });

    if (ownsServer)
      test.each([
        ...["/", "/a.b", "/aXb/feed/v1/network", "/v1/network", `${base}2/v1/network`, "/docs/"],
        `${base}/${"x".repeat(2000)}`,
      ])("%s is outside of the base path, or too long for a file, and not found", async (path) => {
        expectError(await get(path), "not-found");
      });

    test("nothing but GET and HEAD is allowed anywhere", async () => {
      // Apache answers TRACE before it reads a .htaccess.
      for (const method of ownsServer ? ["POST", "TRACE"] : ["POST"])
        for (const path of ["/", "/docs/", "/style.css", "/nothing", "/v1/network/alpha/"])
          expectError(await send(method, `${base}${path}`), "method");
    });

    test("a document and an error have the same headers for HEAD as for GET", async () => {
      for (const path of [known, `${known}/2`, `${base}/v1/network/x`, `${base}/nothing`]) {
        const whole = await get(path);
        const head = await send("HEAD", path);
        expect([head.status, head.body.length]).toEqual([whole.status, 0]);
        for (const name of ["content-type", "content-length", "cache-control"]) {
          expect([name, head.headers[name]]).toEqual([name, whole.headers[name]]);
        }
        expect(whole.headers["content-length"]).toBe(String(whole.body.length));
      }
    });

    test("a document that did not change is not sent again", async () => {
      const encodings: Record<string, string>[] = [{}, { "Accept-Encoding": "gzip" }];
      // Apache sends no 304 for a folder without a trailing slash, because the .htaccess serves it with an ErrorDocument.
      const slashless = ownsServer ? [known, `${base}/v1/network`] : [];
      for (const path of [...slashless, `${known}/`, `${base}/openapi.json`])
        for (const encoding of encodings) {
          const { headers } = await get(path, encoding);
          expect(headers["cache-control"]).toBe(cacheControl);
          const conditions: Record<string, string>[] = [{ "If-None-Match": headers.etag ?? "" }];
          if (headers["last-modified"] !== undefined)
            conditions.push({ "If-Modified-Since": headers["last-modified"] });
          for (const condition of conditions) {
            const again = await get(path, { ...encoding, ...condition });
            expect([path, again.status, again.body.length]).toEqual([path, 304, 0]);
            expect(again.headers["cache-control"]).toBe(cacheControl);
            expect(again.headers["access-control-allow-origin"]).toBe("*");
          }
          const other = await get(path, { ...encoding, "If-None-Match": '"other"' });
          expect([path, other.status]).toEqual([path, 200]);
        }
    });

    test("an error is whole, whatever the client knows or wants of it", async () => {
      for (const [path, name] of errors) {
        const { etag, "last-modified": modified } = (await get(path)).headers;
        const conditions: Record<string, string>[] = [
          { "If-None-Match": "*" },
          { "If-None-Match": etag ?? "*" },
          { "If-Modified-Since": modified ?? new Date().toUTCString() },
          { "If-Match": '"other"' },
          { "If-Unmodified-Since": new Date(0).toUTCString() },
          { Range: "bytes=0-1" },
        ];
        for (const condition of conditions) expectError(await get(path, condition), name);
      }
    });

    test("text of some length is compressed, and no picture", async () => {
      const encoding = { "Accept-Encoding": "gzip" };
      for (const path of ["/openapi.json", "/style.css", "/page.js", "/index.html", "/mirrorlist/t1.txt"]) {
        const { headers, body } = await get(`${base}${path}`, encoding);
        expect([path, headers["content-encoding"]]).toEqual([path, "gzip"]);
        expect(headers["vary"]).toMatch(/accept-encoding/i);
        expect(gunzipSync(body)).toEqual((await get(`${base}${path}`)).body);
      }
      expect((await get(`${base}/icon.png`, encoding)).headers["content-encoding"]).toBeUndefined();
    });
  });
}

const errors: readonly [path: string, name: ErrorName][] = [
  [`${base}/v1/network/x`, "system"],
  [`${base}/v1/network/alpha/x/`, "project"],
  [`${base}/v1/network/alpha/main-tools/x`, "target"],
  [`${known}/2`, "status"],
  [`${base}/nothing`, "not-found"],
  // The next two are named like error documents. The last is not valid UTF-8.
  [`${base}/v1/network/system.json/`, "system"],
  [`${base}/not-found.json/`, "not-found"],
  [`${base}/v1/network/alpha/main-tools/%FF`, "target"],
];

/** Tests the text of a configuration, without a server. */
export function describeServerFiles(host: Host): void {
  describe("its configuration", () => {
    const input: ServerInput = {
      feed: feedConfig.systems,
      basePath: "",
      listen: { address, port: 80 },
      root: "/srv/site",
      companions: "/etc/mirrorfeed",
    };

    test.each([
      { root: '/srv/"; evil' },
      { root: "/srv/a\nevil" },
      { root: "/srv/\\" },
      { listen: { address: 'x"; evil', port: 80 } },
      { listen: { address: "x\nevil", port: 80 } },
    ])("is refused rather than injected into: %j", (evil) => {
      expect(() => host.serverFiles?.({ ...input, ...evil })).toThrow(InputError);
    });
  });
}

function expectError(answer: Answer, name: ErrorName): void {
  const bytes = feedDocuments.get(errorPath(name));
  expect(answer.body.toString()).toBe(bytes?.toString());
  expect(answer.status).toBe(errorDocuments[name].code);
  if (name === "method") expect(answer.headers.allow).toBe("GET, HEAD");
  expectShared(answer);
}

function expectShared({ headers }: Answer): void {
  expect(headers["content-type"]).toBe("application/json");
  expect(headers["cache-control"]).toBe(cacheControl);
  expect(headers["access-control-allow-origin"]).toBe("*");
}
