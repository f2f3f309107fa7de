import { hash } from "node:crypto";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import * as z from "zod";
import { validateConfig } from "../../../src/core/config/validate.ts";
import { tryParseJson } from "../../../src/core/base/text/json.ts";
import type { Exchange, Handler } from "../../support/mirror-server.ts";
import { damages, runFeed, writeFeed } from "../../support/mirror-feed.ts";
import { mirrorsJson, networkAt } from "../../support/mirrors-json.ts";
import { probeUrl } from "../../support/probing.ts";
import { startTestbed } from "../../support/start-testbed.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const testbed = await startTestbed();
const content = "a large file";
const lfs = { oid: hash("sha256", content), size: content.length };
const mediaType = "application/vnd.git-lfs+json";
const batchPath = "/good.git/info/lfs/objects/batch";
const batchRequest = z.object({
  operation: z.literal("download"),
  transfers: z.array(z.string()).optional(),
  objects: z.array(z.object({ oid: z.string(), size: z.number() })),
});

/** What an LFS server has: the contents of its objects, or an error for each (git-lfs, docs/api/batch.md). */
type Objects = Readonly<Record<string, string | { readonly code: number }>>;

/** Answers as git-lfs specifies: other objects, and other sizes, get an error of their own. */
function batchServer(objects: Objects): Handler {
  return async ({ request, response, path }) => {
    const send = (status: number, document: object): unknown =>
      response.writeHead(status, { "content-type": mediaType }).end(JSON.stringify(document));
    if (path.startsWith("/objects/")) return void response.end(objects[path.slice("/objects/".length)]);
    if (request.headers.accept !== mediaType) return void send(406, { message: "Set Accept." });
    const { data } = batchRequest.safeParse(tryParseJson(await text(request)));
    if (data === undefined) return void send(422, { message: "This is no batch request." });
    const answers = data.objects.map(({ oid, size }) => {
      const known = objects[oid] ?? { code: 404 };
      if (typeof known === "object") return { oid, size, error: { ...known, message: "It is missing." } };
      if (known.length !== size) return { oid, size, error: { code: 422, message: "The size is wrong." } };
      const href = `http://${request.headers.host ?? ""}/objects/${oid}`;
      return { oid, size, authenticated: true, actions: { download: { href } } };
    });
    send(200, { transfer: "basic", objects: answers, hash_algo: "sha256" });
  };
}

/** Serves a repository with `git http-backend`, and its LFS objects with `batch`. */
async function serve(batch: Handler = testbed.gitServer(testbed.folder)) {
  const posts: string[] = [];
  const backend = testbed.gitServer(testbed.folder);
  const { url } = await testbed.startServer(async (exchange) => {
    const isBatch = exchange.path.includes("/info/lfs/") || exchange.path.startsWith("/objects/");
    if (isBatch) posts.push(`${exchange.request.method} ${exchange.path}`);
    await (isBatch ? batch : backend)(exchange);
  });
  return { url, posts };
}

const answering = (status: number, type: string, body: string | object): Handler => {
  const sent = typeof body === "string" ? body : JSON.stringify(body);
  return ({ response }: Exchange) => void response.writeHead(status, { "content-type": type }).end(sent);
};
const errorFor = (oid: string, code: unknown) => ({
  objects: [{ oid, size: 1, error: { code, message: "" } }],
});

test.each<[string, Handler | undefined, string | undefined]>([
  ["that has the object", batchServer({ [lfs.oid]: content }), undefined],
  ["that lacks the object", batchServer({}), "missing_file"],
  ["that has removed the object", batchServer({ [lfs.oid]: { code: 410 } }), "missing_file"],
  ["that has the object in another size", batchServer({ [lfs.oid]: `${content}.` }), undefined],
  ["that refuses the object", batchServer({ [lfs.oid]: { code: 403 } }), undefined],
  ["without LFS", undefined, undefined],
  ["whose LFS server does not know the repository", answering(404, mediaType, { message: "No." }), undefined],
  ["whose LFS server wants a password", answering(401, mediaType, { message: "Log in." }), undefined],
  ["whose LFS server limits requests", answering(429, mediaType, errorFor(lfs.oid, 404)), undefined],
  ["whose LFS server fails", answering(500, "text/plain", ""), undefined],
  ["that answers with a page", answering(200, "text/html", "<h1>Log in</h1>"), undefined],
  ["that answers with half of a document", answering(200, mediaType, '{"objects":[{"oid":'), undefined],
  ["that answers for no object", answering(200, mediaType, { objects: [] }), undefined],
  ["that answers for another object", answering(200, mediaType, errorFor("0".repeat(64), 404)), undefined],
  ["that answers with a text as a code", answering(200, mediaType, errorFor(lfs.oid, "404")), undefined],
  ["that hangs up", ({ request }) => void request.socket.destroy(), undefined],
])("a mirror %s", async (_, batch, expected) => {
  const { url, posts } = await serve(batch);
  const { code, content_code } = await probeUrl(`${url}/good.git`, { options: { lfs }, timeoutMs: 20_000 });
  expect({ code, content_code }).toEqual({ code: "ok", content_code: expected });
  expect(posts).toEqual([`POST ${batchPath}`]);
});

test("a URL without .git, or with a slash, leads to the same LFS server, and without the setting to none", async () => {
  const { url, posts } = await serve(batchServer({}));
  for (const path of ["/good", "/good.git/"]) await probeUrl(`${url}${path}`, { options: { lfs } });
  await probeUrl(`${url}/good.git`);
  expect(posts).toEqual([`POST ${batchPath}`, `POST ${batchPath}`]);
});

test("a mirror that lacks the object is wrong, and is online", async () => {
  const [whole, partial] = [await serve(batchServer({ [lfs.oid]: content })), await serve(batchServer({}))];
  const folder = temporaryFolder();
  writeFeed(folder, [`${whole.url}/good.git`, `${partial.url}/good.git`], { timeout: "60s", git: { lfs } });
  expect(damages(["whole", "partial"], await runFeed(folder))).toEqual({
    whole: "1 ok in_sync",
    partial: "1 ok differs missing_file",
  });
});

test.each([
  [{ oid: `sha256:${lfs.oid}`, size: 1 }, "without sha256:"],
  [{ oid: lfs.oid }, "size"],
  [{ ...lfs, path: "big.iso" }, "path"],
])("the setting %j is refused", (wrong, expected) => {
  const config = mirrorsJson(networkAt(["https://a.example.org/a"]), { probe: { git: { lfs: wrong } } });
  expect(() => validateConfig(JSON.stringify(config), "mirrors.json")).toThrow(expected);
});
