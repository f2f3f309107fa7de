import { visible } from "../../../src/core/base/text/quote.ts";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CheckOptions } from "../../../src/features/pick/check-command.ts";
import { cacheFolder, openFeedCache } from "../../../src/features/trust/cache.ts";
import type { CommandContext } from "../../../src/core/base/terminal/context.ts";
import { misbehaviours as lab } from "../../support/misbehaviours.ts";
import { InputError } from "../../../src/core/base/errors.ts";
import {
  expiry,
  feedOf,
  mirror,
  page,
  type Routes,
  serve,
  serveRendered,
  serveRoutes,
  soon,
  target,
} from "../../support/serving.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { feedContext, runCheck } from "../../support/feed-context.ts";

const mirrors = [
  mirror(1, 1, { state: "behind", freshness: "behind", mean_latency_ms: 12 }),
  mirror(2, 0),
  mirror(3, 1, { freshness: "in_sync" }),
];

const run = (url: string, options: Parameters<typeof runCheck>[1] = {}, more: Partial<CommandContext> = {}) =>
  runCheck(url, options, feedContext(more));

const since = "2026-03-09T00:00:00.000Z";
const init = { headers: {}, signal: new AbortController().signal };

const badStatus = "The feed answered with an unexpected HTTP status; check its URL, including the path.";
const unread = (why: string): RegExp => new RegExp(`^Unknown: The feed could not be read\\. ${why}`);

describe("the exit code and what is said", () => {
  test("0 and the mirrors where enough are reachable", async () => {
    const { url } = await serveRoutes(feedOf(mirrors));
    expect(await run(url, { min: 2 })).toEqual({
      code: 0,
      printed: `${target}: 2 of 3 mirrors reachable.
  ● online   in sync         https://mirror-3.example.org/jcb/packages
  ◐ behind            12 ms  https://mirror-1.example.org/jcb/packages
  ○ offline                  https://mirror-2.example.org/jcb/packages`,
      logged: "",
    });
  });

  test("no latency that is none", async () => {
    const { url } = await serveRoutes(feedOf([mirror(1, 1, { mean_latency_ms: 1e300 })]));
    expect((await run(url)).printed).not.toContain(" ms");
  });

  test("1 where too few are", async () => {
    const { url } = await serveRoutes(feedOf(mirrors));
    const few = await run(url, { min: 3 });
    expect(few).toMatchObject({ code: 1, logged: "" });
    expect(few.printed.split("\n")[0]).toBe(`${target}: 2 of 3 mirrors reachable; --min requires 3.`);
    const stale = await run(url, { min: 2, fresh: true });
    expect(stale.code).toBe(1);
    expect(stale.printed).toMatch(
      /^community\/jcb\/packages: 2 of 3 mirrors reachable, 1 known to be in sync; --min requires 2\.\n.* in sync /,
    );
  });

  test("--fresh says whose freshness is unknown, and why", async () => {
    const node = { id: 1, status: 1, freshness: "unknown" };
    const logged = async (network: readonly object[], reference?: object): Promise<string[]> => {
      const report = { target: "packages", reference, network };
      const routes = { ...feedOf(mirrors), [`/v1/report/${target}/`]: { document: report } };
      const { code, printed } = await run((await serveRoutes(routes)).url, { fresh: true });
      expect(code).toBe(1);
      return printed.split("\n").filter((line) => line.startsWith("The freshness"));
    };
    const reference = { revision: "a", branch: "main" };
    expect(await logged([node, { ...node, id: 3 }])).toEqual([
      "The freshness of 2 mirrors is unknown: the target has no primary, and no revision that most mirrors share.",
    ]);
    expect(await logged([node], reference)).toEqual([
      "The freshness of 1 mirror is unknown: no revision was ever read.",
      "The freshness of 1 mirror is unknown: the feed cannot tell yet.",
    ]);
    const onBranch = { ...node, revision: "b", branch: "dev" };
    const unconfirmed = { ...node, id: 3, freshness: "in_sync", unverified_since: since };
    expect(await logged([onBranch, { ...node, id: 2 }, unconfirmed], reference)).toEqual([
      "The freshness of 1 mirror is unknown: HEAD is on a different branch than the reference's.",
      "The freshness of 1 mirror is unknown: the status is unconfirmed.",
    ]);
    const differing = { ...node, id: 3, freshness: "differs" };
    expect(await logged([{ ...node, freshness: "behind" }, differing])).toEqual([]);
  });

  test("an unverified mirror is shown as one, counts, and does not with --fresh", async () => {
    const unverified = mirror(1, 1, { freshness: "in_sync", unverified_since: since });
    const { url } = await serveRoutes(feedOf([unverified, mirror(2, 0)]));
    const { code, printed } = await run(url);
    expect([code, printed]).toEqual([0, expect.stringContaining(`in sync, unverified since ${since}`)]);
    expect(await run(url, { fresh: true })).toMatchObject({ code: 1 });
  });

  test("2 where the feed has no such target", async () => {
    const url = await serveRendered(["https://a.example.org/a"], [[{}]]);
    const sentence = "Not found: The feed has no such";
    const paths = { system: "no/jcb/packages", project: "community/no/packages", target: "community/jcb/no" };
    for (const [level, path] of Object.entries(paths)) {
      const logged = `${sentence} ${level}: ${path}.`;
      expect(await run(url, { path })).toEqual({ code: 2, printed: "", logged });
    }
    const pages = await serve(page(404, '{"error":"Not found","code":404}\n'));
    const logged = `${sentence} system, project or target: ${target}. Check the path in the URL of the feed.`;
    expect(await run(pages.url)).toMatchObject({ code: 2, logged });
  });

  test.each<[string, (url: string) => string, Partial<CheckOptions>, Partial<CommandContext>, RegExp]>([
    ["expired", (url) => url, {}, { now: () => expiry }, /^Unknown: The feed has expired: /],
    ["too old", (url) => url, { maxAge: 1000 }, {}, /^Unknown: The feed is older than --max-age allows\.$/],
    ["away", () => "http://127.0.0.1:1", {}, {}, unread("It refused the connection\\.$")],
    ["nameless", () => "http://feed.invalid", {}, {}, unread("Its name could not be")],
  ])("4 where it is %s, or 0 by --fail-open", async (_, where, options, more, logged) => {
    const { url } = await serveRoutes(feedOf(mirrors));
    const closed = await run(where(url), options, more);
    expect(closed).toMatchObject({ code: 4, printed: "" });
    expect(closed.logged).toMatch(logged);
    const open = await run(where(url), { ...options, failOpen: true }, more);
    expect([open.code, open.logged]).toEqual([0, expect.stringMatching(/^Warning: The feed /)]);
  });

  test.each([
    ["silence", lab.silent(), "The feed did not answer in time."],
    ["a loop", lab.redirectLoop(), "The feed redirects in a way that mirrorfeed does not follow."],
    ["no HTTP at all", lab.sshBanner(), "The feed could not be read. Its answer is not valid HTTP."],
    ["a very long body", page(200, "a".repeat(9_000_000)), "The feed's answer is too large."],
    ["no content", page(204, ""), badStatus],
  ])("4 for %s", async (name, handler, sentence) => {
    const { url } = await serve(handler);
    const { code, logged } = await run(url, { timeout: name === "silence" ? 300 : 20_000 });
    expect([code, logged]).toEqual([4, `Unknown: ${sentence}`]);
  });
});

describe("--json", () => {
  test("is all there is on stdout", async () => {
    const { url } = await serveRoutes(feedOf(mirrors));
    const jsonOf = async (feed: string, options: Partial<CheckOptions> = {}) => {
      const { code, printed } = await run(feed, { json: true, ...options });
      return { code, document: JSON.parse(printed) as object };
    };
    const [behind, down, best] = mirrors;
    const { code, document } = await jsonOf(url, { fresh: true });
    expect(code).toBe(0);
    expect(document).toEqual({
      ...{ url: `${url}/`, target, outcome: "reachable", count: 1, min: 1 },
      mirrors: [best, behind, { ...down, freshness: "unknown", freshness_reason: "no_reference" }],
      generated_at: "2026-03-10T12:00:00.000Z",
      expires_at: "2026-03-10T14:00:00.000Z",
    });
    const unknown = { url: `${url}/`, target, outcome: "unknown", reason: "too_old" };
    expect(await jsonOf(url, { maxAge: 1 })).toEqual({ code: 4, document: unknown });
    const { url: missing } = await serve(page(403, '{"error":"Project not found"}'));
    const notFound = { outcome: "not_found", level: "project" };
    expect(await jsonOf(missing)).toMatchObject({ code: 2, document: notFound });
  });

  test("of a hostile feed is never obeyed, and means the same", async () => {
    const name = "\u001b[2J\u009b31m\n::error::x ##[error]y \u202e\u2028\u{e0001}";
    const { url } = await serveRoutes(feedOf([mirror(1, 1, { name })]));
    for (const json of [true, false]) {
      const printed = visible((await run(url, { json })).printed);
      expect(printed.replaceAll("\n", "")).not.toMatch(/[\p{C}\p{Zl}]/u);
      expect(printed).not.toMatch(/^\s*::|##\[/m);
      if (json) expect(JSON.parse(printed)).toMatchObject({ mirrors: [{ name }] });
    }
  });
});

/** Serves a feed and queries it once, which fills the cache. */
async function asked(routes: Routes = feedOf(mirrors), environment: Environment = newCache()) {
  const { url, close } = await serveRoutes(routes);
  const ask = (options: Parameters<typeof run>[1] = {}, more: Partial<CommandContext> = {}) =>
    run(url, options, { environment, ...more });
  expect(await ask()).toMatchObject({ code: 0, logged: "" });
  const folder = cacheFolder(environment) ?? "";
  const files = (): string[] => readdirSync(folder).map((file) => join(folder, file));
  return { ask, close, files };
}

type Environment = CommandContext["environment"];

function newCache(): { XDG_CACHE_HOME: string } {
  return { XDG_CACHE_HOME: temporaryFolder() };
}

describe("the cache", () => {
  test("is a file a document, of the user alone, and no more of it", async () => {
    const { ask, files } = await asked();
    for (const fresh of [true, false]) await ask({ fresh });
    expect(files()).toHaveLength(3);
    for (const file of files()) {
      expect(file).toMatch(/\/[\da-f]{64}\.json$/);
      expect(statSync(file).mode & 0o077).toBe(0);
    }
  });

  test.each(["{", '{"schema":2,"url":"x","status":200,"body":""}'])(
    "whose files hold %j counts as empty, and is repaired",
    async (text) => {
      const { ask, close, files } = await asked();
      for (const file of files()) writeFileSync(file, text);
      expect(await ask()).toMatchObject({ code: 0, logged: "" });
      expect(JSON.parse(readFileSync(files()[0] ?? "", "utf8"))).toMatchObject({ schema: 1 });
      for (const file of files()) writeFileSync(file, text);
      await close();
      expect((await ask()).code).toBe(4);
    },
  );

  test("of another document does not stand in for this one", async () => {
    const { ask, close, files } = await asked();
    const texts = files().map((file) => readFileSync(file, "utf8"));
    for (const [place, file] of files().entries()) writeFileSync(file, texts.at(place - 1) ?? "");
    await close();
    expect((await ask()).code).toBe(4);
  });

  const taken = newCache();
  writeFileSync(join(taken.XDG_CACHE_HOME, "mirrorfeed"), "");

  test.each([
    ["a file is in its place", taken],
    // In Node.js 20, a recursive mkdir below /proc never ends.
    ["the system has no such folder", { XDG_CACHE_HOME: "/proc/mirrorfeed" }],
    ["there is no place for it", {}],
    ["its place is not absolute", { XDG_CACHE_HOME: "cache", HOME: "" }],
  ])("is done without where %s", async (_, environment) => {
    const { ask, close } = await asked(feedOf(mirrors), environment);
    expect(await ask()).toMatchObject({ code: 0, logged: "" });
    await close();
    expect((await ask()).code).toBe(4);
    expect(existsSync("cache")).toBe(false);
  });

  test("spares what has not changed, by its entity tag, and follows redirects as they were", async () => {
    const folder = temporaryFolder();
    const seen: string[] = [];
    const { url, close } = await serve(({ request, response }) => {
      seen.push(`${request.url} ${request.headers["if-none-match"] ?? ""}`.trim());
      if (request.url === "/old") return void response.writeHead(301, { location: "/new" }).end();
      const isKnown = request.headers["if-none-match"] === '"1"';
      response.writeHead(isKnown ? 304 : 200, { etag: '"1"' }).end(isKnown ? undefined : '{"a":1}');
    });
    const ask = async (cached: boolean): Promise<string[]> => {
      const cache = openFeedCache(folder, undefined, fetch, () => soon);
      const means = cached ? cache.last : cache.fetch;
      const moved = await means(`${url}/old`, { ...init, redirect: "manual" });
      const answer = await means(`${url}${moved.headers.get("location") ?? ""}`, init);
      await cache.keep(new Date(expiry).toISOString());
      return [String(moved.status), String(answer.status), await answer.text()];
    };
    for (const cached of [false, false, true]) expect(await ask(cached)).toEqual(["301", "200", '{"a":1}']);
    expect(seen).toEqual(["/old", "/new", "/old", '/new "1"']);
    await close();
    expect(await ask(true)).toEqual(["301", "200", '{"a":1}']);
  });

  test("is where the environment says, else in the home folder", () => {
    expect(cacheFolder({ XDG_CACHE_HOME: "/x" })).toBe("/x/mirrorfeed");
    expect(cacheFolder({ XDG_CACHE_HOME: "x", HOME: "/h" })).toMatch(/^\/h\/.*\/mirrorfeed$/);
  });
});

test("the proxy of the environment is asked, and a broken one named", async () => {
  const { url } = await serveRoutes(feedOf(mirrors));
  const { code, logged } = await run(url, {}, { environment: { http_proxy: "http://127.0.0.1:1" } });
  expect([code, logged]).toEqual([4, expect.stringMatching(/^Unknown: The feed could not be read\. /)]);
  await expect(run(url, {}, { environment: { http_proxy: "nothing" } })).rejects.toThrow(InputError);
});

test("it ends with the interrupt", async () => {
  const interrupt = new AbortController();
  const { url } = await serve(lab.silent());
  const running = run(url, {}, { interrupt: interrupt.signal });
  interrupt.abort(new Error("Enough."));
  await expect(running).rejects.toThrow("Enough.");
});

test("an argument that is invalid is refused before anything is asked", async () => {
  await expect(run("ftp://a.example.org")).rejects.toThrow(InputError);
  await expect(run("http://127.0.0.1:1", { path: "a/b" })).rejects.toThrow(InputError);
});
