import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import {
  check,
  type CheckOptions,
  type CheckResult,
  type PickOptions,
  type Reason,
} from "../../src/client/index.ts";
import { misbehaviours as lab } from "../support/misbehaviours.ts";
import type { Handler } from "../support/mirror-server.ts";
import {
  contractOf,
  feedOf,
  heartbeatOf,
  madeAt,
  mirror,
  page,
  reportOf,
  type Routes,
  type Served,
  serve,
  serveRendered,
  serveRoutes,
  soon,
  target,
  urlOf,
} from "../support/serving.ts";
import type { Seen } from "../support/rounds.ts";

const mirrors = [mirror(1, 1), mirror(2, 0), mirror(3, 1)];
const networkPath = `/v1/network/${target}`;
const reportPath = `/v1/report/${target}/`;

async function checkAt(url: string, options: CheckOptions = {}): Promise<CheckResult> {
  return check(url, target, { now: () => soon, ...options });
}

async function checkRoutes(routes: Routes, options: CheckOptions = {}): Promise<CheckResult> {
  return checkAt((await serveRoutes(routes)).url, options);
}

function unknown(reason: Reason): object {
  return { outcome: "unknown", reason };
}

/** Returns the client's time limit for a test: short only if the test waits for it to pass. */
function patienceFor(reason: Reason): number {
  return reason === "timeout" ? 300 : 20_000;
}

describe("a mirrorfeed's feed", () => {
  const [old, now] = ["a", "b"].map((digit) => ({ branch: "main", revision: digit.repeat(40) }));
  const rounds: Seen[][] = [
    [old, old, old, "timeout"],
    [{ ...now, latency_ms: 90 }, { ...now, latency_ms: 20 }, { ...old, latency_ms: 5 }, "timeout"],
  ];
  const urls = [1, 2, 3, 4].map((id) => `https://mirror-${id}.example.org/jcb/packages`);

  test.each<[string, CheckOptions, object]>([
    ["enough are reachable", { min: 3 }, { outcome: "reachable", count: 3, min: 3 }],
    ["too few are", { min: 4 }, { outcome: "unreachable", count: 3, min: 4 }],
    ["enough are in sync", { min: 2, fresh: true }, { outcome: "reachable", count: 2 }],
    ["one that lags does not count as fresh", { min: 3, fresh: true }, { outcome: "not_fresh", count: 2 }],
    ["too few are reachable, fresh or not", { min: 4, fresh: true }, { outcome: "unreachable", count: 2 }],
    ["it is young enough", { maxAgeMs: 60_000 }, { outcome: "reachable", count: 3, min: 1 }],
    ["it is too old", { maxAgeMs: 59_999 }, unknown("too_old")],
    ["clocks differ by some minutes", { now: () => madeAt - 300_000 }, { outcome: "reachable", count: 3 }],
    ["it is dated ahead", { now: () => madeAt - 300_001 }, unknown("ahead")],
    ["any age will do", { maxAgeMs: Infinity }, { outcome: "reachable", count: 3 }],
    ["it has expired", { now: () => madeAt + 86_400_000 }, unknown("expired")],
  ])("%s", async (_, options, expected) => {
    const url = await serveRendered(urls, rounds);
    expect(await checkAt(url, options)).toMatchObject(expected);
    expect(await checkAt(`${url}/`, options)).toMatchObject(expected);
  });

  test("returns the mirrors, the best first, and the timestamps of the feed", async () => {
    const url = await serveRendered(urls, rounds);
    expect(await checkAt(url, { fresh: true })).toEqual({
      ...{ outcome: "reachable", count: 2, min: 1 },
      generated_at: new Date(madeAt).toISOString(),
      expires_at: expect.stringMatching(/^2026-03-10T1[3-9]:/),
      mirrors: [
        expect.objectContaining({ id: 1, primary: true }),
        {
          ...{ id: 2, name: "mirror-2.example.org/jcb/packages", url: urls[1], status: 1, state: "online" },
          ...{ since: "2026-03-10T11:30:00.000Z", freshness: "in_sync", uptime: { "7d": { ratio: 1 } } },
          ...{ revision: now?.revision, kind: "git", options: {} },
        },
        expect.objectContaining({ id: 3, state: "online", freshness: "behind" }),
        expect.objectContaining({ id: 4, status: 0 }),
      ],
    });
  });

  test.each([
    { content_code: "\u001b[31mexpired" },
    { content_code: "x".repeat(65) },
    { revision: "\u001b[31m9f2c41d" },
    { revision: "x".repeat(65) },
    { mean_latency_ms: "1" as never },
  ])("without fields that no feed has: %j", async (more) => {
    const { url } = await serveRoutes(feedOf([mirror(1, 1, { freshness: "in_sync", ...more })]));
    const [found] = (await checkAt(url)).mirrors ?? [];
    expect(found).not.toHaveProperty(Object.keys(more).join());
  });

  test("below a path of its own", async () => {
    const below: Record<string, Served | undefined> = {};
    for (const [path, served] of Object.entries(feedOf(mirrors))) below[`/feeds/a${path}`] = served;
    const { url } = await serveRoutes(below);
    for (const site of [`${url}/feeds/a`, `${url}/feeds/a/`, `${url}/feeds/a//`])
      expect(await checkAt(site)).toMatchObject({ outcome: "reachable", count: 2 });
    expect(await checkAt(url)).toMatchObject(unknown("http_status"));
  });
});

describe("the original service, which has the contract alone", () => {
  const network = mirrors.map((one) => ({ ...one, checked: "now" }));
  const document = { target: "packages", extra: [{}], network };

  test.each<[string, string, Handler]>([
    [`${networkPath}/`, "404 in HTML", page(404)],
    [networkPath, "404 in HTML", page(404)],
    [`${networkPath}/`, "JSON of its own", page(200, '{"status":"up"}')],
    [networkPath, "JSON of its own", page(200, '{"status":"up"}')],
  ])("answers at %s, and to the rest %s", async (path, _, other) => {
    const { url } = await serveRoutes({ [path]: { document } }, other);
    const ordered = [mirrors[0], mirrors[2], mirrors[1]];
    expect(await checkAt(url)).toEqual({ outcome: "reachable", count: 2, min: 1, mirrors: ordered });
    expect(await checkAt(url, { fresh: true })).toMatchObject(unknown("no_report"));
    expect(await checkAt(url, { maxAgeMs: 3_600_000 })).toMatchObject(unknown("no_report"));
  });

  test.each([
    ["error", 403, "System not found", "system"],
    ["error", 403, "Project not found", "project"],
    ["message", 403, "Target not found", "target"],
    ["error", 404, "Target not found", "target"],
  ])("refuses by %s, %i %s", async (field, status, text, level) => {
    const refusal = { status, document: { [field]: text } };
    expect(await checkRoutes({ [`${networkPath}/`]: refusal })).toEqual({ outcome: "not_found", level });
  });

  test("a host that can only answer 404 does so with the body of the contract, as a page", async () => {
    const { url } = await serve(page(404, '{"error":"Not found","code":404}\n'));
    expect(await checkAt(url)).toEqual({ outcome: "not_found", level: "unknown" });
  });
});

describe("a feed that misbehaves", () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, " "));
  const body = (text: string | Buffer, headers = {}): Handler => {
    return ({ response }) => {
      response.writeHead(200, headers).end(text);
    };
  };
  const halfBody: Handler = ({ response }) => {
    response.writeHead(200, { "content-length": 99 }).write("{");
  };
  const networkText = (list: unknown): string => JSON.stringify({ target: "packages", network: list });
  const network = (list: unknown): Handler => body(networkText(list));
  const node = { id: 1, name: "a", url: "https://a.example.org/a", status: 1 };

  /** The feed with another heartbeat. */
  const heartbeat = (served: Served): Routes => ({ ...feedOf(mirrors), "/v1/report/": served });
  const broken = (more: object): Routes => heartbeat({ document: heartbeatOf(mirrors, more) });
  const alone = (served: Served): Routes => ({ [`${networkPath}/`]: served });
  const refusal = (status: number, document: unknown): Routes => alone({ status, document });
  const denied = refusal(403, { error: "Target not found", code: 403 });
  const expired = broken({ expires_at: new Date(soon).toISOString() });

  test.each<[string, Routes | Handler, Reason]>([
    ["another 404", refusal(404, { error: "Not found" }), "http_status"],
    ["the 404 of another API", refusal(404, { message: "Not Found", code: 404 }), "http_status"],
    ["404 without a body", refusal(404, ""), "http_status"],
    ["403 of a firewall", refusal(403, { error: "Forbidden" }), "http_status"],
    ["a refusal of another status", refusal(500, { error: "Target not found", code: 403 }), "http_status"],
    ["a refused status", refusal(400, { error: "Invalid status provided", code: 400 }), "http_status"],
    ["a heartbeat that is a page", heartbeat(page(200)), "not_contract"],
    ["a heartbeat without its end", broken({ expires_at: undefined }), "not_contract"],
    ["a heartbeat without its start", broken({ generated_at: undefined }), "not_contract"],
    ["a heartbeat with a day that is none", broken({ expires_at: "2026-13-45T00:00:00Z" }), "not_contract"],
    ["a heartbeat without a prober", broken({ prober: undefined }), "not_contract"],
    ["a heartbeat of a prober that is a text", broken({ prober: "online" }), "not_contract"],
    ["a heartbeat of an offline prober", broken({ prober: { state: "offline" } }), "prober_offline"],
    ["a heartbeat that expires now", expired, "expired"],
    ["a heartbeat that is silent", heartbeat(lab.silent()), "timeout"],
    ["a heartbeat that is reset", heartbeat(lab.reset()), "no_answer"],
    ["a heartbeat that cannot be had just now", heartbeat(page(503)), "http_status"],
    ["a heartbeat that has no end", heartbeat(lab.endlessBody()), "too_large"],
    ["an expired feed without the target", { ...expired, ...denied }, "expired"],
    ["a silent heartbeat without the target", { ...heartbeat(lab.silent()), ...denied }, "timeout"],
    ["a login page", page(200), "not_contract"],
    ["an error of the server", lab.serverError(), "http_status"],
    ["silence", lab.silent(), "timeout"],
    ["a body that never ends, slowly", lab.drip(), "timeout"],
    ["a body without end", lab.endlessBody(), "too_large"],
    ["a body that unpacks to very much", body(bomb, { "content-encoding": "gzip" }), "too_large"],
    ["a reset", lab.reset(), "no_answer"],
    ["half a body", halfBody, "timeout"],
    ["what calls itself gzip and is not", body("{}", { "content-encoding": "gzip" }), "no_answer"],
    ["a redirect to itself", lab.redirectLoop(), "redirect"],
    ["a long way of redirects", lab.redirectChain(6, network([node])), "redirect"],
    ["a redirect that leads nowhere", lab.redirectWithoutLocation(), "redirect"],
    ["a redirect with credentials", lab.redirectWithCredentials(), "redirect"],
    ["a redirect to an invalid URL", lab.redirect("http://["), "redirect"],
  ])("%s is unknown", async (_, feed, reason) => {
    const options = { timeoutMs: patienceFor(reason) };
    expect(await checkAt(await urlOf(feed), options)).toMatchObject(unknown(reason));
  });

  test.each([
    ["without a heartbeat", denied],
    ["with a current heartbeat", { ...feedOf(mirrors), ...denied }],
  ])("that has no such target, %s", async (_, feed) => {
    expect(await checkRoutes(feed)).toMatchObject({ outcome: "not_found", level: "target" });
  });

  test.each([
    "",
    "[]",
    "null",
    '{"target":"packages","network":[',
    "[".repeat(100_000),
    JSON.stringify(contractOf(mirrors, "other")),
    '{"__proto__":{"target":"packages","network":[]}}',
    '{"target":"packages","network":[{"__proto__":{"id":1}}]}',
    JSON.stringify({ target: "packages", network: [node], error: "down" }),
    ...[{ 0: node, length: 1 }, [node, null]].map(networkText),
    ...[{ status: "1" }, { status: 2 }, { id: 1.5 }, { name: undefined }].map((wrong) =>
      networkText([{ ...node, ...wrong }]),
    ),
  ])("%.60j is not the contract", async (text) => {
    const { url } = await serve(body(text));
    expect(await checkAt(url)).toMatchObject(unknown("not_contract"));
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  test.each([
    ...["ssh://git@a.example.org/a", "git+future.1-x:\u001b[2J", "javascript:alert(1)"],
    "https://user:secret@a.example.org/a",
    "https://a.example.org/a\nGIT_SSH_COMMAND=x",
    "https://a.example.org/a b",
    "https://a.example.org/\u001b[2J",
    "https://a.example.org/`id`",
    "https://a.example.org\\@b.example.org/",
    "https://a.example.org:99999/a",
    `https://a.example.org/${"a".repeat(2001)}`,
    "--upload-pack=x",
  ])("a mirror at %j is left out, and the others are not", async (url) => {
    const list = [{ ...node, id: 7, url }, node];
    const found = { outcome: "reachable", count: 1, mirrors: [node] };
    expect(await checkRoutes(alone(network(list)))).toMatchObject(found);
    const none = { outcome: "unreachable", mirrors: [] };
    expect(await checkRoutes(alone(network(list.slice(0, 1))))).toMatchObject(none);
  });

  test("a redirect is followed, with the method and to the end", async () => {
    const moved = await serve(lab.moved(await urlOf(feedOf(mirrors))));
    expect(await checkAt(moved.url)).toMatchObject({ outcome: "reachable", count: 2 });
  });
});

describe("a document of more than two megabytes", () => {
  const observed = { status: 1, code: "ok", checked_at: "2026-03-10T12:00:00.000Z", latency_ms: 5 };
  const many = Array.from({ length: 40_000 }, (_, index) => ({ id: index + 1, ...observed }));

  test("that is a heartbeat is read up to its nodes, so that a feed of any size can be checked", async () => {
    const heartbeat = heartbeatOf(mirrors, { run: 'a,"nodes":[b', totals: { nodes: 40_000 }, nodes: many });
    const routes = { ...feedOf(mirrors), "/v1/report/": { document: heartbeat } };
    expect(JSON.stringify(heartbeat).length).toBeGreaterThan(3_000_000);
    const result = await checkRoutes(routes);
    expect(result).toMatchObject({ outcome: "reachable", count: 2, expires_at: expect.any(String) });
    const tomorrow = { now: () => madeAt + 86_400_000 };
    expect(await checkRoutes(routes, tomorrow)).toMatchObject(unknown("expired"));
    const offline = { document: { ...heartbeat, prober: { state: "offline" } } };
    expect(await checkRoutes({ ...routes, "/v1/report/": offline })).toMatchObject(unknown("prober_offline"));
  });

  test("that is another one is not read", async () => {
    const list = many.map(({ id }) => mirror(id, 1));
    expect(await checkRoutes(feedOf(list))).toMatchObject(unknown("too_large"));
    const report = { document: { ...reportOf(mirrors), nodes: many, network: many } };
    const large = { ...feedOf(mirrors), [reportPath]: report };
    expect(await checkRoutes(large)).toMatchObject({ outcome: "reachable", count: 2 });
    expect(await checkRoutes(large, { fresh: true })).toMatchObject(unknown("too_large"));
    const beheaded = { ...heartbeatOf(mirrors), nodes: undefined, filler: "a".repeat(2_000_000) };
    const headless = { ...feedOf(mirrors), "/v1/report/": { document: beheaded } };
    expect(await checkRoutes(headless)).toMatchObject(unknown("too_large"));
  });
});

describe("a report", () => {
  test.each<[string, Routes[string], Reason]>([
    ["is missing", page(404), "no_report"],
    ["cannot be had just now", page(503), "http_status"],
    ["is silent", lab.silent(), "timeout"],
    ["is of another target", { document: reportOf(mirrors, "other") }, "no_report"],
    [
      "has no valid freshness",
      { document: { ...reportOf([]), network: [{ id: 1, freshness: 1 }] } },
      "no_report",
    ],
  ])("that %s makes --fresh unknown", async (_, report, reason) => {
    const routes = { ...feedOf(mirrors), [reportPath]: report };
    const options = { fresh: true, timeoutMs: patienceFor(reason) };
    expect(await checkRoutes(routes, options)).toMatchObject(unknown(reason));
    expect(await checkRoutes(routes)).toMatchObject({ outcome: "reachable" });
  });
});

describe("a question", () => {
  const requestsNothing = { fetch: () => Promise.reject(new Error("It was asked.")) };

  test.each([
    ...["packages", "community/jcb/packages/1", "/community/jcb/packages", "community//packages"],
    ...["community/../packages", "./jcb/packages", "community/jcb/a b", "community/jcb/%2e%2e"],
    ...["community/jcb/a?b", "community/jcb/a\n", `community/jcb/${"a".repeat(101)}`, ""],
  ])("for %j is refused", async (path) => {
    await expect(check("https://status.example.org", path, requestsNothing)).rejects.toThrow(TypeError);
  });

  test.each([
    ...["status.example.org", "ftp://status.example.org/", "https://user:secret@status.example.org/"],
    ...["https://status.example.org/?a=b", "https://status.example.org/#a", ""],
  ])("to %j is refused", async (url) => {
    await expect(check(url, target, requestsNothing)).rejects.toThrow(TypeError);
  });

  test.each<CheckOptions & PickOptions>([
    ...[0, -1, Number.NaN, Infinity, 2 ** 31].map((timeoutMs) => ({ timeoutMs })),
    ...[-1, Number.NaN].map((maxAgeMs) => ({ maxAgeMs })),
    ...[0, -1, 1.5, Number.NaN, Infinity].map((min) => ({ min })),
    ...["Germany", "D", "", "1a"].map((country) => ({ country })),
  ])("with %o is refused, and the option is named", async (options) => {
    const asked = check("https://status.example.org/", target, { ...requestsNothing, ...options });
    await expect(asked).rejects.toThrow(new TypeError(`Invalid ${Object.keys(options).join()}`));
  });

  test.each(["a.b/c_d/e-f~g", "0/1/2", "Community/JCB/..a"])("for %s is asked", async (path) => {
    const document = contractOf(mirrors, path.split("/")[2]);
    const { url } = await serveRoutes({ [`/v1/network/${path}/`]: { document } });
    expect(await check(url, path)).toMatchObject({ outcome: "reachable" });
  });

  test("ends with its signal, before it begins too", async () => {
    const { url } = await serve(lab.silent());
    const interrupt = new AbortController();
    const asked = check(url, target, { signal: interrupt.signal });
    interrupt.abort(new Error("Enough."));
    await expect(asked).rejects.toThrow("Enough.");
    await expect(check(url, target, { signal: interrupt.signal })).rejects.toThrow("Enough.");
  });

  test("is answered by a browser's redirects too, which are opaque", async () => {
    const routes = feedOf(mirrors);
    const opaque = (url: string, { redirect }: RequestInit): Promise<Response> => {
      const served = routes[new URL(url).pathname];
      if (redirect !== "manual")
        return Promise.resolve(Response.json(served && "document" in served ? served.document : {}));
      return Promise.resolve(Object.defineProperty(Response.error(), "type", { value: "opaqueredirect" }));
    };
    const result = await checkAt("https://status.example.org", { fetch: opaque });
    expect(result).toMatchObject({ outcome: "reachable", count: 2 });
  });
});
