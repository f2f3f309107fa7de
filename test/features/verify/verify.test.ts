import { textOf } from "../../support/text-of.ts";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError, Interrupted } from "../../../src/core/base/errors.ts";
import { renderContract } from "../../../src/app/render-site.ts";
import { serveSite } from "../../../src/features/serve/serve.ts";
import { parseDeploymentUrl } from "../../../src/core/base/text/url.ts";
import { namedSystem, parseReply, systemList } from "../../../src/features/verify/check-feed.ts";
import { feedConfig, feedDocuments, feedFiles, writeFiles } from "../../support/contract/feed.ts";
import { closeAfterTest } from "../../support/close-after-test.ts";
import { deploy, type Tamper, verify } from "../../support/deployment.ts";
import { feedWith } from "../../support/feed-with.ts";
import { halfOnline, largeConfig } from "../../support/large-feed.ts";
import { sumsOf } from "../../support/signing.ts";
import { startPagesServer } from "../../support/pages-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const documents = [...feedDocuments.keys()].filter((path) => path.startsWith("v1/network/")).length;
const list = "/v1/network";
const project = `${list}/alpha/main-tools`;
const t1 = `${project}/t1`;
/** The target that the table of cases uses. */
const first = `${project}/t-two`;

function folder(): string {
  const path = temporaryFolder("mirrorfeed-verify-");
  writeFiles(path, feedFiles);
  return path;
}

/** Returns the feed's documents with these changes. */
function changed(changes: Readonly<Record<string, (text: string) => string>>): Map<string, string> {
  const texts = [...feedDocuments].map(([path, body]) => [path, body.toString()] as const);
  return new Map(texts.map(([path, text]) => [path, changes[`/${path}`]?.(text) ?? text]));
}

function changeErrors(headers: Record<string, string>): Tamper {
  return (draft) => (draft.status < 400 ? draft : { ...draft, headers: { ...draft.headers, ...headers } });
}

/** The requests in the table that must be answered with an error. */
const errors = {
  system: [`${list}/no-such-name`, `${list}/no-such-name/`, `${list}/no-such-name/main-tools/t-two/1`],
  project: [`${list}/alpha/no-such-name`, `${list}/alpha/no-such-name/t-two/2`],
  target: [`${project}/no-such-name/`, `${project}/t-two2`, `${project}/T-TWO`],
  status: ["2", "2/", "01", "-1", "online", "1/x"].map((status) => `${first}/${status}`),
  "not-found": ["/v1/networks", "/no-such-file.json"],
};
const getErrors = Object.values(errors).flatMap((paths) => paths.map((path) => `GET ${path}`));
const headError = `HEAD ${first}/2`;
const methods = [`POST ${first}/`, `DELETE ${first}/1/`];
const slashless = [
  "",
  "/alpha",
  "/alpha/main-tools",
  ...["", "/1", "/0"].map((end) => `/alpha/main-tools/t-two${end}`),
].map((path) => `GET ${list}${path}`);

describe("a deployment that keeps the contract", () => {
  test("holds in every case", async () => {
    const site = closeAfterTest(await serveSite(folder(), { port: 0 }));
    const { failed, noted, checked, cases, stopped } = await verify(site.url);
    expect({ failed, noted, stopped }).toEqual({ failed: [], noted: [], stopped: undefined });
    expect(checked.documents).toEqual({ checked: documents, of: documents });
    const asked = cases.map(({ method, path }) => `${method} ${path}`);
    expect(asked).toEqual(expect.arrayContaining([...getErrors, headError, ...methods, ...slashless]));
    for (const path of feedDocuments.keys())
      if (path.startsWith("v1/network/")) expect(asked).toContain(`GET /${path.replace("index.json", "")}`);
  });

  test("is asked for paths as they are, politely", async () => {
    const { url, asked, maxAtOnce, maxConnections } = await deploy(feedDocuments);
    expect((await verify(url)).failed).toEqual([]);
    expect(asked).toContain(`${first}/?status=0`);
    expect(asked).toContain("/..%2f..%2f..%2f..%2f..%2fetc/passwd");
    expect(maxAtOnce()).toBeLessThanOrEqual(8);
    // Connections that were just closed still count, so there may be two more connections than requests.
    expect(maxConnections()).toBeLessThanOrEqual(10);
    expect(asked.length).toBeLessThanOrEqual(100);
  });

  test("holds while it is published anew", async () => {
    let count = 0;
    const { url } = await deploy(feedDocuments, (draft) => {
      count += 1;
      const later = draft.body.toString().replaceAll("mirror-", "other-mirror-");
      return count < 20 ? draft : { ...draft, body: later };
    });
    const { failed, stopped } = await verify(url);
    expect({ failed, stopped }).toEqual({ failed: [], stopped: undefined });
    expect(count).toBeGreaterThan(100);
  });

  test("with 100 targets is checked up to a bound, and twice if it disagrees with itself", async () => {
    const config = largeConfig(100);
    const files = renderContract(feedWith(config, halfOnline(config)));
    const large = files.map((file) => [file.path, textOf(file)] as const);
    const broken = ["v1/network/large/all/t0/1/index.json", '{"target":"t0","network":[]}\n'] as const;
    const paths = ["GET /v1/network/large/all/t0/1", "GET /v1/network/large/all/t0/1/"];
    const cases = [
      { added: [], expected: [] },
      { added: [broken], expected: paths },
    ];
    for (const { added, expected } of cases) {
      const { url, asked } = await deploy(new Map([...large, ...added]));
      const { failed, checked } = await verify(url);
      expect(failed).toEqual(expected);
      expect(checked.documents).toEqual({ checked: 250, of: 303 });
      expect(asked.length).toBeLessThanOrEqual(600);
    }
  });

  describe("and is signed", () => {
    const heartbeat = '{"run":"r1"}';
    const signed = new Map<string, string | Buffer>([
      ...feedDocuments,
      ["v1/report/index.json", heartbeat],
      ["SHA256SUMS", sumsOf({ "v1/report/index.json": heartbeat })],
      ["SHA256SUMS.minisig", "untrusted comment: …"],
    ]);
    const unreadable: Tamper = (draft, { url }) =>
      url?.startsWith("/SHA256SUMS") ? { ...draft, headers: {} } : draft;

    test.each<[string, string[], Record<string, string | undefined>, Tamper?]>([
      ["as it is", [], {}],
      ["without its signature", ["GET /SHA256SUMS.minisig"], { "SHA256SUMS.minisig": undefined }],
      ["with sums of another run", ["GET /v1/report/"], { "v1/report/index.json": '{"run":"r2"}' }],
      ["without a heartbeat", ["GET /v1/report/"], { "v1/report/index.json": undefined }],
      ["for nobody else", ["GET /SHA256SUMS", "GET /SHA256SUMS.minisig"], {}, unreadable],
      ["no more", [], { SHA256SUMS: undefined }],
    ])("%s, it fails in %j", async (_, expected, changes, tamper) => {
      const documents = new Map(signed);
      for (const [path, text] of Object.entries(changes))
        if (text === undefined) documents.delete(path);
        else documents.set(path, text);
      const { url } = await deploy(documents, tamper);
      // The deployment has no pages, so `GET /` fails.
      const { failed } = await verify(url);
      expect(failed.filter((request) => request !== "GET /")).toEqual(expected);
    });
  });

  describe("on GitHub Pages", () => {
    async function deployPages(basePath = "/repository") {
      const root = folder();
      const { url } = closeAfterTest(await startPagesServer(root, { basePath }));
      return { root, site: `${url}${basePath}` };
    }

    test("keeps what GitHub Pages can, and not more", async () => {
      const { site } = await deployPages();
      for (const given of [site, `${site}/`]) {
        const { failed, noted } = await verify(given, { profile: "pages" });
        expect(failed).toEqual([]);
        expect(noted.toSorted()).toEqual([...getErrors, headError, ...methods, ...slashless].toSorted());
      }
      const { failed } = await verify(site);
      expect(failed.toSorted()).toEqual([...getErrors, headError, ...slashless].toSorted());
    });

    test("with site.slashless redirects no path of the contract", async () => {
      const { root, site } = await deployPages();
      const profile = "pages-slashless";
      expect((await verify(site, { profile })).failed).toEqual(expect.arrayContaining(slashless));
      const config = { ...feedConfig, site: { ...feedConfig.site, slashless: true } };
      writeFiles(root, renderContract(feedWith(config, halfOnline(config))));
      const { failed, noted } = await verify(site, { profile });
      expect(failed).toEqual([]);
      expect(noted).toEqual(expect.arrayContaining(slashless));
      expect((await verify(site, { profile: "pages" })).failed).toEqual(slashless);
      for (const content of ["<h1>Target</h1>", "[".repeat(1e6)]) {
        writeFiles(root, [{ path: `${first.slice(1)}.html`, content }]);
        expect((await verify(site, { profile })).failed).toEqual([`GET ${first}`]);
      }
    });

    test("lacks the body of its errors where it has no 404.html", async () => {
      const { root, site } = await deployPages("");
      rmSync(join(root, "404.html"));
      expect((await verify(site, { profile: "pages" })).failed).toEqual(getErrors);
    });
  });
});

describe("what is broken is named, and nothing else", () => {
  test("a host that answers 404 for everything", async () => {
    const { url } = await deploy(feedDocuments, () => ({ status: 404, headers: {}, body: "<h1>404</h1>" }));
    const { failed, failures, stopped } = await verify(url);
    expect({ failed, stopped }).toEqual({ failed: ["GET /v1/network/"], stopped: undefined });
    expect(failures[0]?.actual).toBe('404, no Content-Type, "<h1>404</h1>"');
  });

  const swap = (from: string | RegExp, to: string) => (text: string) => text.replace(from, to);
  const beta = `${list}/beta-2/index.json`;
  const spoiltSystem: [string, (text: string) => string, RegExp][] = [
    ["a status of 2", swap('"status":1', '"status":2'), /status/],
    ["an invalid URL", swap("https://", ""), /url: Not a URL/],
    ["the name of another system", swap('"beta-2"', '"alpha"'), /^system: .*"beta-2"/],
    ["a name that is a path", swap('"project":"0"', '"project":"../x"'), /project/],
    ["a 200 with an error", swap("{", '{"error":null,'), /error/],
    ["what is not JSON", () => "{", /not JSON: "\{"/],
    ["a million brackets", () => "[".repeat(1e6) + "]".repeat(1e6), /object/],
    ["a million numbers", () => `{"system":"beta-2","projects":[${"1,".repeat(1e6)}1]}`, /^projects\.0: /],
  ];
  test.each(spoiltSystem)("a system's document with %s", async (_, change, problem) => {
    const { url } = await deploy(changed({ [beta]: change }));
    const { failures, failed } = await verify(url);
    expect(failed).toEqual([`GET ${list}/beta-2/`]);
    expect(failures[0]?.actual).toMatch(problem);
    expect(failures[0]?.actual.length).toBeLessThan(400);
  });

  const [t1File, alpha] = [`${t1}/index.json`, "/v1/network/alpha/v1"];
  test.each<[string, path: string, (text: string) => string, string[]]>([
    ["a filter without a node", `${t1}/1/index.json`, () => '{"target":"t1","network":[]}\n', [`${t1}/1/`]],
    ["a project unlike its system", `${alpha}/index.json`, swap('"status":1', '"status":0'), [`${alpha}/`]],
    ["no newline at the end", t1File, (text) => text.trimEnd(), [`${t1}/`]],
    ["blanks", t1File, (text) => text.replaceAll(",", ", "), [`${t1}/`]],
    ["another order", t1File, swap(/("name":"[^"]*"),("url":"[^"]*")/, "$2,$1"), [`${t1}/`]],
    ["bytes that are no text", t1File, () => "\0\ud800\r\n", [`${t1}/`]],
    ["a lost target", beta, swap(/,\{"target":"constructor".*?\]\}/, ""), [`${list}/beta-2/alpha/`]],
    ["a list that is none", "/v1/network/index.json", () => '{"systems":{}}\n', ["/v1/network/"]],
    ["the wrong text of a 403", "/errors/project.json", swap("Project", "No"), errors.project],
    ["another code than the status", "/errors/status.json", swap("400", "404"), errors.status],
  ])("%s", async (_, path, change, expected) => {
    const { url } = await deploy(changed({ [path]: change }));
    expect((await verify(url)).failed).toEqual(expected.map((one) => `GET ${one}`));
  });

  const onErrors = [...getErrors, headError];
  const refusedWith =
    (status: number): Tamper =>
    (draft) =>
      draft.status === 405 ? { ...draft, status } : draft;
  test.each<[string, Tamper, failed: readonly string[], noted?: readonly string[]]>([
    ["HTML as the type of errors", changeErrors({ "Content-Type": "text/html" }), onErrors, methods],
    ["no CORS on errors", changeErrors({ "Access-Control-Allow-Origin": "" }), onErrors, methods],
    ["200 for other methods", refusedWith(200), methods],
    ["501 for them, the host's limit", refusedWith(501), [], methods],
    [
      "a document that is compressed unasked",
      (draft, { url: target }) => {
        if (target !== `${t1}/`) return draft;
        const headers = { ...draft.headers, "Content-Encoding": "gzip" };
        return { ...draft, headers, body: gzipSync(draft.body) };
      },
      [`GET ${t1}/`],
    ],
    [
      "a file from outside of the site, a refused revalidation, and a body of another length",
      (draft, { url: target = "", method, headers }, response) => {
        if (target.startsWith("/..")) return { ...draft, status: 200, body: "root:x:0:0:" };
        if (headers["if-none-match"] !== undefined) return { ...draft, status: 412 };
        if (method !== "HEAD" || draft.status !== 200) return draft;
        response.writeHead(200, { ...draft.headers, "Content-Length": 1 }).end();
        return undefined;
      },
      [`GET ${first}/`, `HEAD ${first}/`, "GET /..%2f..%2f..%2f..%2f..%2fetc/passwd"],
    ],
  ])("%s", async (_, tamper, failed, noted = []) => {
    const { url } = await deploy(feedDocuments, tamper);
    const found = await verify(url);
    expect(found.failed.toSorted()).toEqual(failed.toSorted());
    expect(found.noted).toEqual(noted);
  });

  test("a redirect to the slash, or to elsewhere", async () => {
    const { url } = await deploy(feedDocuments, (draft, { url: path = "" }) => {
      if (draft.status !== 200 || path.includes("?") || path.endsWith("/")) return draft;
      const Location = path === first ? "https://elsewhere.example.org/" : `${path.replace(/.*\//, "")}/`;
      return { status: 301, headers: { ...draft.headers, Location }, body: "" };
    });
    expect((await verify(url)).failed).toEqual(slashless);
    expect((await verify(url, { profile: "pages" })).failed).toEqual([`GET ${first}`]);
  });

  test("bodies without an end", async () => {
    const { url } = await deploy(feedDocuments, (draft, { url: target }, response) => {
      if (target !== `${t1}/1/`) return draft;
      response.writeHead(200, draft.headers);
      const more = (): void => {
        if (!response.destroyed) response.write("[".repeat(65_536), more);
      };
      more();
      return undefined;
    });
    const { failed, failures } = await verify(url);
    expect(failed).toEqual([`GET ${t1}/1/`]);
    expect(failures[0]?.actual).toMatch(/^200, "application\/json", incomplete: "\[/);
  });

  test("one path that never answers, and one that is broken off", async () => {
    const { url } = await deploy(feedDocuments, (draft, { url: target }, response) => {
      if (target === first) return undefined;
      if (target !== `${t1}/0/`) return draft;
      response.destroy();
      return undefined;
    });
    const { failed, failures, stopped } = await verify(url, { limits: { requestMs: 500 } });
    expect({ failed, stopped }).toEqual({ failed: [`GET ${first}`, `GET ${t1}/0/`], stopped: undefined });
    const problems = ["It did not answer in time.", "It dropped the connection."];
    expect(failures.map(({ actual }) => actual)).toEqual(problems);
  });

  test("a listed system that is not there", async () => {
    const systems = '{"systems":["gamma","alpha"]}\n';
    const { url } = await deploy(changed({ "/v1/network/index.json": () => systems }));
    expect((await verify(url)).failed).toEqual(["GET /v1/network/gamma/"]);
  });

  test("any document: it is read, or there is a problem in printable words", () => {
    const project = fc.record({ project: fc.string(), targets: fc.array(fc.jsonValue()) });
    const projects = fc.array(fc.oneof(fc.jsonValue(), project));
    const document = fc.oneof(
      fc.jsonValue(),
      fc.record({ systems: fc.array(fc.string()) }),
      fc.record({ system: fc.constant("s"), projects }),
    );
    fc.assert(
      fc.property(document, (value) => {
        const body = Buffer.from(JSON.stringify(value));
        const url = new URL("https://status.example.org/");
        const reply = { url, status: 200, headers: {}, body, complete: true };
        for (const parsed of [parseReply(systemList, reply), parseReply(namedSystem, reply)])
          expect("value" in parsed || /^[^\p{C}]+$/u.test(parsed.problem)).toBe(true);
      }),
    );
  });
});

test("a hostile list of millions of invalid items has one problem", () => {
  const systems = systemList.safeParse({ systems: [0, 0, 0] });
  const projects = namedSystem.safeParse({ system: "s", projects: [{}, {}, {}] });
  for (const { error } of [systems, projects]) expect(error?.issues).toHaveLength(1);
});

describe("what cannot be found out", () => {
  test("a host that refuses, one that has no name and one without TLS", async () => {
    const { url } = await deploy(feedDocuments);
    for (const [given, reason] of [
      ["http://127.0.0.1:1", "It refused the connection."],
      ["http://name.invalid", "Its name could not be resolved."],
      [url.replace("http:", "https:"), "Its certificate or TLS connection was not accepted."],
    ] as const) {
      const { cases, stopped } = await verify(given);
      expect([cases, stopped]).toEqual([[], `${given}/ did not answer. ${reason}`]);
    }
  });

  test("a host that is silent", async () => {
    const { url } = await deploy(feedDocuments, () => undefined);
    const { cases, stopped } = await verify(url, { limits: { requestMs: 500 } });
    expect([cases, stopped]).toEqual([[], expect.stringContaining("It did not answer in time.")]);
  });

  test("a host that takes too long", async () => {
    const { url } = await deploy(feedDocuments);
    const { stopped } = await verify(url, { limits: { totalMs: 0 } });
    expect(stopped).toBe("It took longer than 0 seconds in total.");
  });

  test("a host that falls silent", async () => {
    let count = 0;
    const { url } = await deploy(feedDocuments, (draft) => {
      count += 1;
      return count <= 20 ? draft : undefined;
    });
    const { stopped } = await verify(url, { limits: { requestMs: 100, totalMs: 1000 } });
    expect(stopped).toBe("It took longer than 1 seconds in total.");
  });

  test("a host that is asked too often", async () => {
    let count = 0;
    const { url, asked } = await deploy(feedDocuments, (draft) => {
      count += 1;
      return count <= 30 ? draft : { ...draft, status: 429 };
    });
    const { failed, stopped } = await verify(url);
    expect([failed, stopped]).toEqual([[], expect.stringContaining("too many requests")]);
    expect(asked.length).toBeLessThan(50);
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
    ["ftp://example.org/", /is not a URL of a site/],
    ["https://user:secret@example.org/", /credentials/],
    ["https://example.org/?a=b", /query/],
    ["https://example.org/v1/network/", /whole site/],
  ])("%s is refused", (text, message) => {
    expect(() => parseDeploymentUrl(text)).toThrow(InputError);
    expect(() => parseDeploymentUrl(text)).toThrow(message);
    expect(() => parseDeploymentUrl(text)).not.toThrow(/secret/);
  });
});
