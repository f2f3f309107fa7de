import { hash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setImmediate } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import type { CheckOptions } from "../../../src/features/pick/check-command.ts";
import { pick } from "../../../src/features/pick/pick-command.ts";
import { loadPublicKey } from "../../../src/features/trust/query.ts";
import type { Handler } from "../../support/mirror-server.ts";
import { runInProcess } from "../../support/in-process.ts";
import { sentence } from "../../support/command-context.ts";
import { feedContext, runCheck } from "../../support/feed-context.ts";
import { misbehaviours as lab } from "../../support/misbehaviours.ts";
import {
  answer,
  contractOf,
  documentText,
  feedOf,
  heartbeatOf,
  madeAt,
  mirror,
  page,
  type Routes,
  serve,
  soon,
  target,
} from "../../support/serving.ts";
import { commentOf, key, otherKey, signedRoutes } from "../../support/signing.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { randomNumbers, trials } from "../../support/trials.ts";

const minute = 60_000;
const [site, otherSite] = ["https://status.example.org", "https://other.example.org"];
const mirrors = [mirror(1, 1), mirror(2, 0)];

/** What a feed claims about itself. `at` and `until` are in minutes after `madeAt`. */
interface State {
  readonly at: number;
  readonly until: number;
  readonly site?: string | undefined;
}

/** A feed that cannot be used, and the reason that must be reported. */
interface Failure {
  readonly reason: string;
  readonly handler: Handler | Routes;
}

const right: State = { at: 0, until: 120, site };

const downloads = {
  right,
  expired: { at: -180, until: -60, site },
  older: { at: -45, until: 75, site },
  "of another site": { at: 0, until: 120, site: otherSite },
  "of no site": { at: 0, until: 120 },
  cut: { reason: "no_answer", handler: lab.truncatedBody() },
  "a page": { reason: "not_contract", handler: page(200) },
  "a 404 of any server": { reason: "http_status", handler: page(404, '{"error":"Not found","code":404}') },
} satisfies Record<string, State | Failure>;

/** Each of these waits for the timeout, so they are combined with few others. */
const silent: Failure = { reason: "timeout", handler: lab.silent() };

const publicLine = key.publicKey.split("\n")[1] ?? "";
const rightSigned = signed(routesOf(right), right);
const secondRun = feedOf([mirror(1, 0)]);
const forged = (handler: Routes): Failure => ({ reason: "bad_signature", handler });

/**
 * Like `downloads`, but for readers with a public key. The feeds are signed, and some have problems that only
 * signatures can have.
 */
const signedDownloads = {
  right,
  expired: downloads.expired,
  older: downloads.older,
  "of another site": downloads["of another site"],
  cut: downloads.cut,
  "not signed": { reason: "unsigned", handler: routesOf(right) },
  "signed without a site": forged(signed(routesOf({ ...right, site: undefined }), right)),
  "signed by another key": forged(signed(routesOf(right), right, otherKey)),
  "signed for a later time": forged(signed(routesOf(right), { ...right, until: 600 })),
  "mixed with another run": { reason: "bad_digest", handler: { ...rightSigned, ...secondRun } },
} satisfies Record<string, State | Failure>;

/** What the cache contains. `of` is the index of the cached feed. */
interface Cache {
  readonly of?: number;
  readonly state?: State;
  readonly damaged?: true;
}

const good: Cache = { of: 0, state: { at: -30, until: 90, site } };

const caches: Record<string, Cache> = {
  none: {},
  good,
  "good, of the second feed": { of: 1, state: { at: -30, until: 90, site } },
  expired: { of: 0, state: { at: -300, until: -180, site } },
  "of another site": { of: 0, state: { at: -30, until: 90, site: otherSite } },
  newer: { of: 0, state: { at: 2, until: 122, site } },
  damaged: { ...good, damaged: true },
};

function timestamp(minutes: number): string {
  return new Date(madeAt + minutes * minute).toISOString();
}

function routesOf({ at, until, site: site_url }: State): Routes {
  const times = { generated_at: timestamp(at), expires_at: timestamp(until) };
  return { ...feedOf(mirrors), "/v1/report/": { document: heartbeatOf(mirrors, { ...times, site_url }) } };
}

/** Signs a feed's documents. The comment in the signature claims the given times and site. */
function signed(routes: Routes, { at, until, site: feed = "" }: State, by = key): Routes {
  const times = { generated_at: timestamp(at), expires_at: timestamp(until) };
  return signedRoutes(routes, {}, commentOf({ feed, run: "r1", ...times }), by);
}

/** Starts one server with a feed below each path. Tests can replace the feeds. */
async function serveFeeds() {
  const feeds = new Map<string, Routes | Handler>();
  const { url } = await serve((exchange) => {
    const [, name = "", path = ""] = /^\/([^/]+)(\/.*)$/.exec(exchange.path) ?? [];
    const feed = feeds.get(name);
    return answer(typeof feed === "function" ? feed : (feed?.[path] ?? page(404)), exchange);
  });
  return { feeds, at: (name: string): string => `${url}/${name}/` };
}

interface Seen {
  readonly code: number;
  readonly url?: string;
  readonly at?: string;
  readonly stale?: true;
  readonly passed_over?: readonly { readonly url: string; readonly reason: string }[];
}

/** Returns the expected result, by going through the feeds in order. */
function expectedOf(
  urls: readonly string[],
  states: readonly (State | Failure)[],
  { of = 0, state: cached, damaged }: Cache,
  maxStale: number,
  isSigned: boolean,
): Seen {
  const ofSite = (state: State): boolean => !isSigned || state.site === site;
  const seen = damaged || cached === undefined || !ofSite(cached) ? undefined : cached;
  const usable: { url: string; at: number; stale: boolean }[] = [];
  const passed: { url: string; reason: string }[] = [];
  const now = 1;
  for (const [place, state] of states.entries()) {
    const url = urls[place] ?? "";
    if ("reason" in state) passed.push({ url, reason: state.reason });
    else if (!ofSite(state)) passed.push({ url, reason: "other_site" });
    else if (now >= state.until + maxStale) passed.push({ url, reason: "expired" });
    else if (isSigned && seen !== undefined && state.at < seen.at) passed.push({ url, reason: "older" });
    else if (now >= state.until) {
      passed.push({ url, reason: "expired" });
      usable.push({ url, at: state.at, stale: true });
    } else return { code: 0, url, at: timestamp(state.at), ...(passed[0] && { passed_over: passed }) };
  }
  if (seen !== undefined && now < seen.until + maxStale)
    usable.push({ url: urls[of] ?? "", at: seen.at, stale: now >= seen.until });
  const [best] = usable.sort((left, right) => right.at - left.at);
  const isUsage = passed.every(({ reason }) => reason === "http_status");
  if (best === undefined) return { code: isUsage ? 2 : 4, passed_over: passed };
  const stale = best.stale && { stale: true as const };
  return { code: 0, url: best.url, at: timestamp(best.at), ...stale, passed_over: passed };
}

describe("every state of the cache and of two feeds", () => {
  let count = 0;

  /** Fills the cache as an earlier call would, then queries the feeds. */
  async function observe(
    { feeds, at }: Awaited<ReturnType<typeof serveFeeds>>,
    cache: Cache,
    states: readonly (State | Failure)[],
    maxStale: number,
    publicKey: string | undefined,
  ): Promise<[actual: Seen, expected: Seen]> {
    const served = (state: State): Routes =>
      publicKey === undefined ? routesOf(state) : signed(routesOf(state), state);
    count += 1;
    const names = [`${count}-a`, `${count}-b`];
    const urls = names.map(at);
    const environment = { XDG_CACHE_HOME: temporaryFolder() };
    const ask = async (now: number, timeout: number, from = site) => {
      const trusting = { publicKey, site: publicKey && from };
      const options = { timeout, json: true, feed: urls.slice(1), maxStale: maxStale * minute, ...trusting };
      return runCheck(urls[0] ?? "", options, feedContext({ environment, now: () => now }));
    };
    if (cache.state !== undefined) {
      for (const name of names) feeds.set(name, page(404));
      feeds.set(names[cache.of ?? 0] ?? "", served(cache.state));
      const asked = await ask(madeAt + (cache.state.at + 1) * minute, 20_000, cache.state.site);
      expect(asked.code).toBe(0);
    }
    const folder = join(environment.XDG_CACHE_HOME, "mirrorfeed");
    if (cache.damaged) for (const file of readdirSync(folder)) writeFileSync(join(folder, file), "{");
    for (const [place, state] of states.entries())
      feeds.set(names[place] ?? "", "handler" in state ? state.handler : served(state));
    const { code, printed, logged } = await ask(soon, states.includes(silent) ? 1000 : 20_000);
    const { url, generated_at, stale, passed_over } = JSON.parse(printed);
    for (const { url: skipped } of passed_over ?? []) expect(logged).toContain(`Warning: ${skipped}: `);
    const answer = generated_at === undefined ? {} : { url, at: generated_at };
    const actual = { code, ...answer, ...(stale && { stale }), ...(passed_over && { passed_over }) };
    return [actual, expectedOf(urls, states, cache, maxStale, publicKey !== undefined)];
  }

  const kinds = [
    { how: "without a key", states: downloads, publicKey: undefined, maxStales: [0, 1440] },
    { how: "with a key", states: signedDownloads, publicKey: publicLine, maxStales: [0] },
  ];
  const rows = kinds.flatMap((kind) => [
    ...Object.entries(caches).map(([cached, cache]) => ({ cached, cache, ...kind })),
    { cached: "silent feeds", cache: good, ...kind, states: { right, silent }, maxStales: [0] },
  ]);

  test.each(rows)("$cached, $how", async ({ cache, states, publicKey, maxStales }) => {
    const served = await serveFeeds();
    const feeds = Object.entries<State | Failure>(states);
    const every = maxStales.flatMap((maxStale) =>
      feeds.flatMap(([first, one]) =>
        feeds.map(([second, two]) => ({ maxStale, first, second, states: [one, two] })),
      ),
    );
    const random = randomNumbers();
    const share = "silent" in states ? 1 : trials(50, 100) / 100;
    const cases = every.filter(() => random() < share);
    const compare = async ({ states: pair, ...names }: (typeof cases)[number]): Promise<void> => {
      const [actual, expected] = await observe(served, cache, pair, names.maxStale, publicKey);
      expect({ ...names, ...actual }).toEqual({ ...names, ...expected });
    };
    await Promise.all(cases.map(compare));
  });
});

/** Two feeds that tests can replace, and a command that queries both through one cache. */
async function twoFeeds() {
  const { feeds, at } = await serveFeeds();
  const environment = { XDG_CACHE_HOME: temporaryFolder() };
  const urls = { a: at("a"), b: at("b") };
  const ask = async (options: Partial<CheckOptions> = {}, now = soon) => {
    const context = feedContext({ environment, now: () => now });
    const { logged, ...seen } = await runCheck(urls.a, { feed: [urls.b], ...options }, context);
    return { ...seen, logged: logged.split("\n") };
  };
  return { feeds, urls, ask, folder: join(environment.XDG_CACHE_HOME, "mirrorfeed") };
}

function writeKey(text: string): string {
  const file = join(temporaryFolder(), "mirrorfeed.pub");
  writeFileSync(file, text);
  return file;
}

const refusal = { status: 403, document: { error: "Target not found", code: 403 } };

describe("what is said", () => {
  test("of a cached answer, current or stale, and of none", async () => {
    const { feeds, urls, ask } = await twoFeeds();
    feeds.set("b", routesOf(right));
    await ask();
    feeds.clear();
    const skipped = [urls.a, urls.b].map((url): unknown =>
      expect.stringContaining(`Warning: ${url}: The feed `),
    );
    const answer = `None of the feeds is current. Using the answer that ${urls.b} published at ${timestamp(0)}, which`;
    const current = `Warning: ${answer} is valid until ${timestamp(120)}.`;
    expect((await ask()).logged).toEqual([...skipped, current]);
    const later = madeAt + 180 * minute;
    expect(await ask({ maxStale: 60 * minute + 1 }, later)).toEqual({
      code: 0,
      printed: expect.stringContaining("1 of 2 mirrors reachable."),
      logged: [...skipped, `Warning: ${answer} expired at ${timestamp(120)}.`],
    });
    expect(await ask({ maxStale: 60 * minute }, later)).toEqual({
      code: 4,
      printed: "",
      logged: [...skipped, "Unknown: None of the feeds can be used."],
    });
  });
});

describe("with several feeds", () => {
  test("the answer that there is no such target is one, if the feed is current", async () => {
    const { feeds, urls, ask } = await twoFeeds();
    const without = (state: State): Routes => ({ ...routesOf(state), [`/v1/network/${target}/`]: refusal });
    feeds.set("b", routesOf(right));
    await ask();
    for (const [state, code, reasons] of [
      [right, 2, []],
      [downloads.expired, 0, ["expired"]],
      [downloads["of another site"], 0, ["other_site"]],
    ] as const) {
      feeds.set("a", without(state));
      const { printed, ...seen } = await ask({ json: true, site });
      expect(seen.code).toBe(code);
      const { passed_over = [], url } = JSON.parse(printed);
      expect(url).toBe(code === 2 ? urls.a : urls.b);
      expect(passed_over).toEqual(reasons.map((reason) => ({ url: urls.a, reason })));
    }
  });

  test("the cached answer of a feed is not replaced by what was passed over", async () => {
    const { feeds, urls, ask } = await twoFeeds();
    for (const name of ["a", "b"]) feeds.set(name, routesOf(right));
    await ask();
    const other = routesOf({ ...right, at: 2, until: 999, site: otherSite });
    feeds.set("a", { ...other, [`/v1/network/${target}/`]: { document: contractOf([mirror(9, 1)]) } });
    feeds.delete("b");
    const cached = { instead_of: "other_site", generated_at: timestamp(0), mirrors: [{ id: 1 }, { id: 2 }] };
    for (const round of [1, 2]) {
      const { printed, logged } = await ask({ json: true, site });
      expect(JSON.parse(printed), `round ${round}`).toMatchObject({ url: urls.a, ...cached });
      expect(logged).toHaveLength(3);
    }
  });

  test("pick takes the fallback only if none answers", async () => {
    const { feeds, urls } = await twoFeeds();
    const fallback = "https://fallback.example.org/a";
    const picked = async () => {
      const { context, printed } = feedContext();
      const options = { format: "url" as const, timeout: 5000, feed: [urls.b], fallback };
      return [await pick(urls.a, target, options, context), printed()];
    };
    expect(await picked()).toEqual([0, fallback]);
    feeds.set("b", routesOf(right));
    expect(await picked()).toEqual([0, mirrors[0]?.url]);
  });
});

describe("what is remembered", () => {
  const newer = { ...right, at: 0.5 };

  test("the newest run of a signed site, whatever other feeds are named or signed", async () => {
    const { feeds, urls, ask } = await twoFeeds();
    const serve = (state: State): unknown => feeds.set("a", signed(routesOf(state), state));
    const atOf = async (options: Partial<CheckOptions>): Promise<unknown> => {
      const { printed } = await ask({ json: true, feed: [], ...options });
      const { generated_at } = JSON.parse(printed);
      return generated_at;
    };
    const trusting = { publicKey: publicLine, site };
    serve(newer);
    expect(await atOf(trusting)).toBe(timestamp(newer.at));
    serve(right);
    expect(await atOf(trusting)).toBe(timestamp(newer.at));
    const { logged } = await ask({ feed: [], ...trusting });
    expect(logged.join()).toContain("The feed is older than one seen before.");
    expect(await atOf({})).toBe(timestamp(right.at));
    const more = { feed: [urls.b], publicKey: writeKey(key.publicKey) };
    feeds.set("b", signed(routesOf(right), right));
    expect(await atOf({ ...trusting, ...more })).toBe(timestamp(newer.at));
    feeds.delete("a");
    expect(await atOf({ ...trusting, ...more })).toBe(timestamp(newer.at));
    serve({ ...downloads["of another site"], at: 0 });
    expect(await atOf({ ...trusting, site: otherSite })).toBe(timestamp(0));
  });

  test("a time ahead of the clock counts as now", async () => {
    const { feeds, ask } = await twoFeeds();
    const ahead = { ...right, at: 5 };
    const trusting = { publicKey: publicLine, site, feed: [] };
    feeds.set("a", signed(routesOf(ahead), ahead));
    expect(await ask(trusting)).toMatchObject({ code: 0, logged: [""] });
    const next = { ...right, at: 2 };
    feeds.set("a", signed(routesOf(next), next));
    expect(await ask(trusting, soon + 2 * minute)).toMatchObject({ code: 0, logged: [""] });
  });
});

describe("--public-key", () => {
  const trusting = { publicKey: publicLine, site, feed: [] };
  test("is the file of a key, of several, or the line of one", async () => {
    const { feeds, urls, ask } = await twoFeeds();
    feeds.set("a", rightSigned);
    const files = [key.publicKey, otherKey.publicKey + key.publicKey].map(writeKey);
    for (const publicKey of [publicLine, ...files])
      expect(await ask({ ...trusting, publicKey })).toMatchObject({ code: 0, logged: [""] });
    const { context, printed } = feedContext();
    const options = { format: "url", timeout: 5000, publicKey: publicLine, site } as const;
    expect(await pick(urls.a, target, options, context)).toBe(0);
    expect(printed()).toBe(mirrors[0]?.url);
  });

  const [missing, invalid] = ["does not exist", "is not a minisign public key"];
  test.each<[string, () => string, string]>([
    ["a missing file", () => "no.pub", missing],
    ["a line that was cut off", () => publicLine.slice(1), missing],
    ["the secret key", () => writeKey(key.secretKey), invalid],
    ["an empty file", () => writeKey(""), invalid],
    ["a line with another algorithm", () => `RWX${publicLine.slice(3)}`, invalid],
  ])("refuses %s", async (_, given, problem) => {
    const message = `${problem}; give --public-key the file mirrorfeed.pub`;
    expect(await sentence(loadPublicKey(given()))).toContain(message);
  });

  test("causes no warning of Node.js, however often it asks", async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on("warning", note);
    onTestFinished(() => void process.off("warning", note));
    const { feeds, ask } = await twoFeeds();
    feeds.set("a", { ...rightSigned, ...secondRun });
    expect(await ask(trusting)).toMatchObject({ code: 4 });
    await setImmediate();
    expect(warnings).toEqual([]);
  });

  test("replaces an answer that is not signed by the cached one, and says so", async () => {
    const { feeds, ask } = await twoFeeds();
    feeds.set("a", rightSigned);
    await ask(trusting);
    feeds.set("a", routesOf(right));
    expect(await ask(trusting)).toMatchObject({
      code: 0,
      logged: [
        `Warning: The feed is not signed, but --public-key requires a signature. Using its answer of ${timestamp(0)}, which is valid until ${timestamp(120)}.`,
      ],
    });
  });

  test("replaces a damaged document in the cache, although the server says that it has not changed", async () => {
    const { feeds, ask, folder } = await twoFeeds();
    feeds.set("a", ({ path, request, response }) => {
      const found = rightSigned[path.slice("/a".length)];
      const text = typeof found === "object" ? documentText(found) : "";
      const etag = `"${hash("sha256", text)}"`;
      const isKnown = request.headers["if-none-match"] === etag;
      response.writeHead(isKnown ? 304 : 200, { etag }).end(isKnown ? undefined : text);
    });
    expect(await ask(trusting)).toMatchObject({ code: 0 });
    for (const file of readdirSync(folder).map((name) => join(folder, name)))
      writeFileSync(file, readFileSync(file, "utf8").replaceAll("mirror 1", "mirror 3"));
    expect(await ask(trusting)).toMatchObject({ code: 0, logged: [""] });
  });

  test("takes no cached answer that another key signed, or none", async () => {
    const { feeds, ask } = await twoFeeds();
    feeds.set("a", routesOf(right));
    expect(await ask({ feed: [] })).toMatchObject({ code: 0 });
    feeds.clear();
    expect(await ask({ feed: [] })).toMatchObject({ code: 0 });
    expect(await ask(trusting)).toMatchObject({ code: 4 });
  });
});

test("the program asks several feeds in the order given", async () => {
  const { feeds, at } = await serveFeeds();
  feeds.set("a", lab.truncatedBody());
  feeds.set("c", routesOf(right));
  const folder = temporaryFolder();
  const parameters = ["check", at("a"), target, "--feed", at("b"), "--feed", at("c")];
  const environment = { XDG_CACHE_HOME: folder };
  const { code, stderr } = await runInProcess(parameters, { folder, environment, now: () => soon });
  expect([code, stderr.match(/(?<=^Warning: )\S+(?=: )/gm)]).toEqual([0, [at("a"), at("b")]]);
});
