import { feedWith } from "../support/feed-with.ts";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { InputError, Interrupted } from "../../src/errors.ts";
import { renderContract } from "../../src/pipeline/render-site.ts";
import { type ContractCase } from "../../src/verify/cases.ts";
import { serveSite } from "../../src/site/serve.ts";
import { Client } from "../../src/verify/client.ts";
import { parseDeploymentUrl } from "../../src/verify/deployment-url.ts";
import { isSpecified } from "../../src/verify/severity.ts";
import { type Limits, type NamesFrom, verifySite } from "../../src/verify/verify.ts";
import {
  contractCases,
  feedConfig,
  feedDocuments,
  feedFiles,
  feedStatuses,
  writeFiles,
} from "../support/contract/feed.ts";
import { halfOnline, largeConfig } from "../support/large-feed.ts";
import { startPagesServer } from "../support/pages-server.ts";
import { deploy } from "../support/deployment.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const all = contractCases;
const configured: NamesFrom = { kind: "configuration", feed: feedConfig.systems };
const slashlessConfig = { ...feedConfig, site: { ...feedConfig.site, slashless: true } };
const t1 = "/v1/network/alpha/main-tools/t1";

interface Options {
  readonly names?: NamesFrom;
  readonly profile?: string;
  readonly limits?: Partial<Limits>;
  readonly interrupt?: AbortSignal;
}

async function verify(url: string, options: Options = {}) {
  const verification = await verifySite(parseDeploymentUrl(url), {
    names: { kind: "list" },
    profile: "full",
    userAgent: "mirrorfeed/test",
    interrupt: new AbortController().signal,
    now: () => performance.now(),
    ...options,
  });
  const ids = (wanted: string): string[] =>
    verification.cases.filter(({ outcome }) => outcome === wanted).map(({ id }) => id);
  return { ...verification, failed: ids("failed"), warned: ids("warned") };
}

function folder(): string {
  const path = temporaryFolder("mirrorfeed-verify-");
  writeFiles(path, feedFiles);
  return path;
}

/** The feed's documents, some of them changed. */
function changed(changes: Readonly<Record<string, (text: string) => string>>): Map<string, string> {
  return new Map(
    [...feedDocuments].map(([path, body]) => [
      path,
      changes[`/${path}`]?.(body.toString()) ?? body.toString(),
    ]),
  );
}

function idsOf(isWanted: (one: ContractCase) => boolean): string[] {
  return all.filter(isWanted).map(({ id }) => id);
}

const isError = ({ expect: { kind, ...rest } }: ContractCase): boolean =>
  kind === "error" && "name" in rest && rest.name !== "method";

describe("a deployment that keeps the contract", () => {
  test.each<[string, NamesFrom]>([
    ["lists them itself", { kind: "list" }],
    ["has them in the documents of its systems", { kind: "systems", systems: ["alpha", "beta-2"] }],
    ["has them from a configuration", configured],
  ])("holds in every case; who asks for the names %s", async (_, names) => {
    const site = await serveSite(folder(), { port: 0 });
    onTestFinished(site.close);
    const { failed, warned, cases, sampled, own, stopped } = await verify(site.url, { names });
    expect({ failed, warned, own, stopped }).toEqual({
      failed: [],
      warned: [],
      own: true,
      stopped: undefined,
    });
    expect(cases.map(({ id }) => id)).toEqual(expect.arrayContaining(all.map(({ id }) => id)));
    expect(sampled).toEqual({ systems: { checked: 2, of: 2 }, targets: { checked: 13, of: 13 } });
    expect(cases.map(({ id }) => id)).toEqual(
      expect.arrayContaining([`conditional ${t1.replace("t1", "t-two")}/`]),
    );
  });

  test("is asked for paths as they are, politely", async () => {
    const { url, asked, maxAtOnce, maxConnections } = await deploy(feedDocuments);
    expect((await verify(url)).failed).toEqual([]);
    expect(asked).toEqual(
      expect.arrayContaining([
        "/v1/network/alpha/%2e%2e",
        "/../../../../../../etc/passwd",
        "//v1/network/alpha",
      ]),
    );
    expect(maxAtOnce()).toBeLessThanOrEqual(8);
    // A connection that has only just ended counts too.
    expect(maxConnections()).toBeLessThanOrEqual(10);
    expect(asked.length).toBeLessThanOrEqual(600);
  });

  test("holds while it is published anew", async () => {
    const later = changed(
      Object.fromEntries([...feedDocuments.keys()].map((path) => [`/${path}`, moveMirrors])),
    );
    let count = 0;
    const { url } = await deploy(feedDocuments, (draft) => {
      count += 1;
      if (count < 40 || draft.status !== 200) return draft;
      return { ...draft, body: bodyOf(later, feedDocuments, draft.body) };
    });
    const { failed, stopped } = await verify(url);
    expect({ failed, stopped }).toEqual({ failed: [], stopped: undefined });
  });

  let large: [path: string, content: string][];
  beforeAll(() => {
    const config = largeConfig(5000);
    const files = renderContract(feedWith(config, halfOnline(config)));
    large = files.map(({ path, content }) => [path, String(content)]);
  });

  test("of 5,000 targets is sampled, within the number of requests", async () => {
    const { url, asked } = await deploy(new Map(large));
    const { failed, warned, sampled } = await verify(url);
    expect([failed, warned]).toEqual([[], []]);
    expect(asked.length).toBeLessThanOrEqual(600);
    expect(sampled?.targets.of).toBe(5000);
    expect(sampled?.targets.checked).toBeGreaterThan(20);
    expect(asked).toEqual(expect.arrayContaining(["/v1/network/large/all/t0/1"]));
    expect(asked.some((path) => /^\/v1\/network\/large\/all\/t4[89]\d\d/.test(path))).toBe(true);
  });

  test("of 5,000 targets that disagrees with itself is looked at twice, within the number of requests", async () => {
    const broken = [["v1/network/large/all/t0/1/index.json", '{"target":"t0","network":[]}\n']] as const;
    const { url, asked } = await deploy(new Map([...large, ...broken]));
    expect((await verify(url)).failed).toEqual(["partition /v1/network/large/all/t0"]);
    expect(asked.length).toBeLessThanOrEqual(600);
  });

  test("on GitHub Pages keeps what GitHub Pages can, and not more", async () => {
    const root = folder();
    const { url, close } = await startPagesServer(root, { basePath: "/repository" });
    onTestFinished(close);
    for (const given of [`${url}/repository`, `${url}/repository/`]) {
      const { failed, warned } = await verify(given, { profile: "pages" });
      expect([failed, warned]).toEqual([[], []]);
    }
    const { failed } = await verify(`${url}/repository/`);
    expect(failed).toEqual(expect.arrayContaining([`GET ${t1}`, "GET /v1/network/{system}/no-such-name"]));
  });

  test("on GitHub Pages with site.slashless redirects no path of the contract", async () => {
    const root = folder();
    const { url, close } = await startPagesServer(root, { basePath: "/repository" });
    onTestFinished(close);
    const slashless = (ids: readonly string[]): string[] =>
      ids.filter((id) => /^[A-Z]+ [^?]*[^/?](?:\?|$)/.test(id));
    const site = `${url}/repository/`;
    const redirected = await verify(site, { profile: "pages-slashless" });
    expect(redirected.failed).toEqual(
      expect.arrayContaining([`GET ${t1}`, `GET ${t1}/1`, "GET /v1/network"]),
    );
    expect(redirected.failed).toEqual(slashless(redirected.failed));

    writeFiles(root, renderContract(feedWith(slashlessConfig, feedStatuses)));
    const { failed, warned, profile } = await verify(site, { profile: "pages-slashless" });
    expect({ failed, warned, profile }).toEqual({ failed: [], warned: [], profile: "pages-slashless" });
    const { failed: unexpected } = await verify(site, { profile: "pages" });
    expect(unexpected).toEqual(redirected.failed);
  });

  test.each([
    ["another document", (text: string) => text.replace('"status":1', '"status":0')],
    ["no JSON", () => "<h1>Target</h1>"],
  ])("on GitHub Pages with site.slashless has a page that holds %s", async (_, change) => {
    const root = folder();
    const page = `${t1.slice(1)}.html`;
    const files = renderContract(feedWith(slashlessConfig, feedStatuses)).map(({ path, content }) => ({
      path,
      content: path === page ? change(content.toString()) : content,
    }));
    writeFiles(root, files);
    const { url, close } = await startPagesServer(root);
    onTestFinished(close);
    const { failed } = await verify(url, { profile: "pages-slashless" });
    expect(failed).toEqual([`GET ${t1}`]);
  });

  test("on GitHub Pages lacks the body of its errors where it has no 404.html", async () => {
    const root = folder();
    rmSync(join(root, "404.html"));
    const { url, close } = await startPagesServer(root);
    onTestFinished(close);
    const { failed } = await verify(url, { profile: "pages" });
    expect(failed).toEqual(
      idsOf((one) => isError(one) && one.method === "GET" && !one.path.endsWith("/index.json")),
    );
  });
});

describe("what is broken is named, and nothing else", () => {
  test("a host that answers 404 for everything", async () => {
    const { url } = await deploy(feedDocuments, () => ({ status: 404, headers: {}, body: "<h1>404</h1>" }));
    await expect(verify(url)).rejects.toThrow(/lists no systems \(404, no type, "<h1>404<\/h1>"\).*--config/);
    await expect(verify(url, { names: { kind: "systems", systems: ["alpha"] } })).rejects.toThrow(/--system/);
    const { failed, own } = await verify(url, { names: configured });
    expect(own).toBe(false);
    expect(failed).toEqual(idsOf((one) => isSpecified(one)));
    expect(failed).toEqual(expect.arrayContaining([`GET ${t1}`, "GET /v1/network/no-such-name/"]));
  });

  test.each<[string, Readonly<Record<string, (text: string) => string>>, string[]]>([
    [
      "a filter without a node",
      { [`${t1}/1/index.json`]: () => '{"target":"t1","network":[]}' },
      [`partition ${t1}`],
    ],
    [
      "a filter with a node of the other status",
      { [`${t1}/0/index.json`]: () => feedDocuments.get(`${t1.slice(1)}/index.json`)?.toString() ?? "" },
      [`GET ${t1}/0`, `GET ${t1}/0/`, `partition ${t1}`],
    ],
    [
      "a project that disagrees with its target",
      { "/v1/network/alpha/v1/index.json": (text) => text.replace('"status":1', '"status":0') },
      ["system /v1/network/alpha", "project /v1/network/alpha/v1"],
    ],
    [
      "a system without a target",
      { "/v1/network/alpha/index.json": (text) => text.replace(/,\{"target":"t1".*?\]\}/, "") },
      ["system /v1/network/alpha"],
    ],
    [
      "a list without a system",
      { "/v1/network/index.json": () => '{"systems":["alpha"]}' },
      ["systems /v1/network"],
    ],
    [
      "a status of 2",
      { [`${t1}/index.json`]: (text) => text.replace('"status":1', '"status":2') },
      [`GET ${t1}`, `GET ${t1}/`],
    ],
    [
      "a status that is a text",
      { [`${t1}/index.json`]: (text) => text.replace('"status":1', '"status":"1"') },
      [`GET ${t1}`, `GET ${t1}/`],
    ],
    [
      "an invalid URL",
      { [`${t1}/index.json`]: (text) => text.replace("https://", "") },
      [`GET ${t1}`, `GET ${t1}/`],
    ],
    [
      "a node without a name",
      { [`${t1}/index.json`]: (text) => text.replace(/"name":"[^"]*",/, "") },
      [`GET ${t1}`, `GET ${t1}/`],
    ],
    [
      "one more field",
      { [`${t1}/index.json`]: (text) => text.replace("{", '{"at":1,') },
      [`GET ${t1}`, `GET ${t1}/`],
    ],
    [
      "the name of another target",
      { [`${t1}/index.json`]: (text) => text.replace('"t1"', '"t2"') },
      [`GET ${t1}`, `GET ${t1}/`],
    ],
    [
      "a 200 with an error",
      { [`${t1}/index.json`]: (text) => text.replace("{", '{"error":null,') },
      [`GET ${t1}`, `GET ${t1}/`],
    ],
    ["what is not JSON", { [`${t1}/index.json`]: () => "{" }, [`GET ${t1}`, `GET ${t1}/`]],
    [
      "a million brackets",
      { [`${t1}/index.json`]: () => "[".repeat(1e6) + "]".repeat(1e6) },
      [`GET ${t1}`, `GET ${t1}/`],
    ],
    [
      "the wrong text of a 403",
      { "/errors/project.json": () => '{"error":"No such project","code":403}' },
      idsOf(({ expect, method }) => expect.kind === "error" && expect.name === "project" && method === "GET"),
    ],
    [
      "a code that is not the status",
      { "/errors/status.json": () => '{"error":"Invalid status provided","code":404}' },
      idsOf(({ expect, method }) => expect.kind === "error" && expect.name === "status" && method === "GET"),
    ],
    ["an error without a code", { "/errors/status.json": () => '{"error":"Invalid status provided"}' }, []],
    [
      "two nodes of one id",
      Object.fromEntries(
        [...feedDocuments.keys()].map((path) => [
          `/${path}`,
          (text: string) => text.replaceAll('"id":2,', '"id":1,'),
        ]),
      ),
      ["ids /v1/network"],
    ],
  ])("%s", async (_, changes, expected) => {
    const { url } = await deploy(changed(changes));
    expect((await verify(url, { names: configured })).failed).toEqual(expected);
  });

  test("HTML as the type of errors", async () => {
    const { url } = await deploy(feedDocuments, (draft) => ({
      ...draft,
      headers: { ...draft.headers, ...(draft.status >= 400 ? { "Content-Type": "text/html" } : {}) },
    }));
    const { failed, warned } = await verify(url);
    expect(failed).toEqual(idsOf(isError));
    expect(warned).toEqual(idsOf(({ expect }) => expect.kind === "error" && expect.name === "method"));
  });

  test("no CORS on errors", async () => {
    const { url } = await deploy(feedDocuments, (draft) => ({
      ...draft,
      headers: draft.status === 200 ? draft.headers : { "Content-Type": "application/json", Allow: "GET" },
    }));
    const { failed, cases } = await verify(url);
    expect(failed).toEqual(idsOf(isError));
    expect(cases.find(({ id }) => id === "GET /v1/network/no-such-name")).toMatchObject({
      expected: "Access-Control-Allow-Origin: *",
      actual: "none",
    });
  });

  test("a redirect to the slash", async () => {
    const { url } = await deploy(feedDocuments, (draft, { url: target = "" }) => {
      const [path = "", query] = target.split("?");
      if (draft.status !== 200 || path.endsWith("/") || path.startsWith("/errors")) return draft;
      const Location = `${path}/${query === undefined ? "" : `?${query}`}`;
      return { status: 301, headers: { ...draft.headers, Location }, body: "" };
    });
    const { failed } = await verify(url);
    expect(failed).toEqual(
      idsOf(({ expect, path }) => expect.kind === "document" && !path.split("?")[0]?.endsWith("/")),
    );
  });

  test("other bytes without the slash", async () => {
    const { url } = await deploy(feedDocuments, (draft, { url: target }) =>
      target === t1 ? { ...draft, body: draft.body.toString().replace("\n", " \n") } : draft,
    );
    const { cases, failed } = await verify(url);
    expect(failed).toEqual([`GET ${t1}`]);
    expect(cases.find(({ id }) => id === `GET ${t1}`)?.actual).toMatch(
      /^\d+ bytes, from byte \d+ on " \\u000a"$/,
    );
  });

  test("a body without an end", async () => {
    const { url } = await deploy(feedDocuments, (draft, { url: target }, response) => {
      if (target !== `${t1}/1`) return draft;
      response.writeHead(200, draft.headers);
      const more = (): void => {
        if (!response.destroyed) response.write("[".repeat(65_536), more);
      };
      more();
      return undefined;
    });
    const { cases, failed } = await verify(url);
    expect(failed).toEqual([`GET ${t1}/1`]);
    expect(cases.find(({ id }) => id === `GET ${t1}/1`)?.expected).toBe("an answer with an end");
  });

  test("one path that never answers, and one that is broken off", async () => {
    const { url } = await deploy(feedDocuments, (draft, { url: target }, response) => {
      if (target === t1) return undefined;
      if (target !== `${t1}/0`) return draft;
      response.destroy();
      return undefined;
    });
    const { cases, failed, stopped } = await verify(url, { limits: { requestMs: 500 } });
    expect({ failed, stopped }).toEqual({ failed: [`GET ${t1}`, `GET ${t1}/0`], stopped: undefined });
    expect(cases.filter(({ outcome }) => outcome === "failed").map(({ actual }) => actual)).toEqual([
      "It did not answer in time.",
      "It broke the connection off.",
    ]);
  });

  test("a file from outside of the site", async () => {
    const { url } = await deploy(feedDocuments, (draft, { url: target = "" }) =>
      target.includes("..%5c") ? { ...draft, status: 200, body: "root:x:0:0:" } : draft,
    );
    expect((await verify(url)).failed).toEqual(idsOf(({ path }) => path.includes("..%5c")));
  });

  test("a conditional request that is refused, and no word about caching", async () => {
    const { url } = await deploy(feedDocuments, ({ status, body }, { headers }) => ({
      status: headers["if-none-match"] === undefined ? status : 412,
      headers: {
        "Content-Type": "application/json",
        "Access-Control-Allow-Origin": "*",
        Allow: "GET, HEAD",
        ...(body.includes('"target":"t-two","network"') ? { ETag: '"1"' } : {}),
      },
      body,
    }));
    const { failed, warned } = await verify(url);
    expect(failed).toEqual([
      "conditional /v1/network/alpha/",
      "conditional /v1/network/alpha/main-tools/",
      "conditional /v1/network/alpha/main-tools/t-two/",
    ]);
    expect(warned).toEqual(["caching"]);
  });

  test("a listed system that is not there", async () => {
    const { url } = await deploy(
      changed({ "/v1/network/index.json": () => '{"systems":["gamma","alpha"]}' }),
    );
    const { failed } = await verify(url);
    expect(failed).toEqual(["GET /v1/network/gamma", "GET /v1/network/gamma/"]);
  });
});

describe("a service other than mirrorfeed", () => {
  const alpha = feedConfig.systems.slice(0, 1);
  const documentOf = (place: string): unknown =>
    JSON.parse(feedDocuments.get(`v1/network/${place}/index.json`)?.toString() ?? "");
  const projects = Object.fromEntries(
    (alpha[0]?.projects ?? []).map(({ project, targets }) => [
      project,
      Object.fromEntries(targets.map(({ target }) => [target, documentOf(`alpha/${project}/${target}`)])),
    ]),
  );

  /** A service of the specification with its own fields above the targets, without CORS and without other documents. */
  async function original(spoil: (text: string) => string = (text) => text): Promise<string> {
    const documents = changed({
      "/v1/network/alpha/index.json": () => JSON.stringify({ name: "alpha", parts: projects }),
      "/v1/network/alpha/main-tools/index.json": () => spoil(JSON.stringify(projects["main-tools"])),
      "/v1/network/alpha/v1/index.json": () => JSON.stringify(projects["v1"]),
    });
    const { url } = await deploy(documents, (draft, { url: target = "" }) => {
      const isForeign = /^\/(?:errors|v1\/network\/?(?:\?|$))/.test(target);
      if (isForeign || draft.status === 404) return { status: 404, headers: {}, body: "<h1>404</h1>" };
      const error = draft.status === 200 ? {} : { body: draft.body.toString().replace(/,"code":\d+/, "") };
      return { ...draft, ...error, headers: { "Content-Type": "application/json" } };
    });
    return url;
  }
  const names: NamesFrom = { kind: "configuration", feed: alpha };

  test("is held to the specification, and warned of the rest", async () => {
    const { failed, warned, own } = await verify(await original(), { names });
    expect({ failed, own }).toEqual({ failed: [], own: false });
    expect(warned).toEqual(expect.arrayContaining(["GET /v1/network", "GET /v1/network/", "caching"]));
  });

  test.each([
    [
      "a node that its project lacks",
      (text: string) => text.replace('"id":2,', '"id":999,'),
      ["project /v1/network/alpha/main-tools", "system /v1/network/alpha"],
    ],
    [
      "a status of 2",
      (text: string) => text.replace('"status":0', '"status":2'),
      ["GET /v1/network/alpha/main-tools/"],
    ],
  ])("fails for %s", async (_, spoil, expected) => {
    const { failed } = await verify(await original(spoil), { names });
    expect(failed.toSorted()).toEqual(expected);
  });
});

describe("what cannot be found out", () => {
  test("a host that refuses, one that has no name and one without TLS", async () => {
    const { url } = await deploy(feedDocuments);
    for (const [given, reason] of [
      ["http://127.0.0.1:1", "It refused the connection."],
      ["http://name.invalid", "Its name could not be resolved."],
      [url.replace("http:", "https:"), "Its certificate or its TLS is not acceptable."],
    ] as const) {
      const { cases, stopped } = await verify(given);
      expect([cases, stopped]).toEqual([[], `${given}/ gave no answer. ${reason}`]);
    }
  });

  test.each([
    ["is silent", "It did not answer in time.", () => undefined],
    ["resets", "It broke the connection off.", (socket: { destroy: () => unknown }) => socket.destroy()],
  ])("a host that %s, from the start and later on", async (_, reason, act) => {
    for (const after of [0, 100]) {
      let count = 0;
      const { url, asked } = await deploy(feedDocuments, (draft, _request, response) => {
        count += 1;
        if (count <= after) return draft;
        act(response);
        return undefined;
      });
      const { cases, stopped } = await verify(url, { limits: { requestMs: 300 } });
      expect(stopped).toContain(reason);
      expect(cases.length).toBeGreaterThanOrEqual(after === 0 ? 0 : 80);
      expect(asked.length).toBeLessThan(after + 60);
    }
  });

  test("a host that takes too long, and one that sends too much", async () => {
    const { url } = await deploy(feedDocuments);
    expect((await verify(url, { limits: { totalMs: 0 } })).stopped).toBe(
      "It took longer than 0 seconds in all.",
    );
    expect((await verify(url, { limits: { totalBytes: (1024 * 1024) / 64 } })).stopped).toMatch(
      /^It sent more than/,
    );
  });

  test("a host that is asked too often", async () => {
    let count = 0;
    const { url, asked } = await deploy(feedDocuments, (draft) => {
      count += 1;
      return count <= 100 ? draft : { ...draft, status: 429 };
    });
    const { failed, stopped } = await verify(url);
    expect([failed, stopped]).toEqual([[], expect.stringContaining("asked too often")]);
    expect(asked.length).toBeLessThan(120);
  });

  test("whatever was interrupted", async () => {
    const interruption = new AbortController();
    const { url } = await deploy(feedDocuments, () => {
      interruption.abort(new Interrupted());
      return undefined;
    });
    await expect(verify(url, { interrupt: interruption.signal })).rejects.toBeInstanceOf(Interrupted);
  });

  test.each([
    ["nonsense", /is not a URL/],
    ["ftp://example.org/", /neither http nor https/],
    ["https://user:secret@example.org/", /credentials/],
    ["https://example.org/?a=b", /query/],
    ["https://example.org/v1/network/", /whole site/],
  ])("%s is refused", (text, message) => {
    expect(() => parseDeploymentUrl(text)).toThrow(InputError);
    expect(() => parseDeploymentUrl(text)).toThrow(message);
    expect(() => parseDeploymentUrl(text)).not.toThrow(/secret/);
  });
});

/** The same change in every document: they stay in agreement. */
function moveMirrors(text: string): string {
  return text.replaceAll("mirror-", "other-mirror-");
}

function bodyOf(
  later: ReadonlyMap<string, string>,
  before: ReadonlyMap<string, Buffer>,
  body: Buffer | string,
): string {
  const path = [...before].find(([, bytes]) => bytes === body)?.[0] ?? "";
  return later.get(path) ?? body.toString();
}

test("every case of the contract is sent as it is, odd paths and methods too", async () => {
  const { url, asked } = await deploy(feedDocuments);
  const client = new Client(parseDeploymentUrl(url), {
    userAgent: "mirrorfeed/test",
    interrupt: new AbortController().signal,
    requestMs: 60_000,
    maxBytes: 1024 * 1024,
  });
  try {
    for (const one of all) expect(await client.send(one)).toMatchObject({ kind: "answer", whole: true });
  } finally {
    await client.close();
  }
  expect(asked).toEqual(all.map(({ path }) => path));
});
