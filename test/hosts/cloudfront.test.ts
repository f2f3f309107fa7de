import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { type AnyNode, parse } from "acorn";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { cacheControl, errorDocuments, type FeedNames, jsonText } from "../../src/hosts/contract.ts";
import { cloudfront } from "../../src/hosts/cloudfront.ts";
import { listenOnLoopback } from "../support/loopback.ts";
import { ask } from "../support/contract/answers.ts";
import { feedConfig, feedFiles, writeFiles } from "../support/contract/feed.ts";
import { describeEngine, type Engine, type EngineSite } from "./engine.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const noFunctionOnErrors =
  "CloudFront calls no function for an error of the origin, and its policies add CORS headers to CORS requests alone";

describe("cloudfront (its function in Node, before a stand-in of CloudFront and S3)", () => {
  describeEngine(cloudfront, startStandIn, {
    restartsOnRebuild: true,
    exceptions: {
      "GET /v1/networks": noFunctionOnErrors,
      "GET /v1/networks/{system}/": noFunctionOnErrors,
      "GET /v2/network/{system}": noFunctionOnErrors,
      "GET /no-such-file.json": noFunctionOnErrors,
      "HEAD /v1/networks": noFunctionOnErrors,
    },
  });

  describe("besides the contract", () => {
    let folder = "";
    let engine: Engine;
    beforeAll(async () => {
      folder = temporaryFolder("mirrorfeed-cloudfront-");
      const root = join(folder, "site");
      writeFiles(root, [
        ...feedFiles,
        { path: "index.html", content: "the page" },
        { path: "docs/index.html", content: "the documentation" },
        { path: "v1/report/a.b/index.json", content: '{"report":true}' },
        { path: "badge/ä b.svg", content: "<svg/>" },
        { path: ".mirrorfeed/manifest.json", content: "secret" },
      ]);
      engine = await startStandIn({ root, scratch: folder, feed: feedConfig.systems, basePath: "/base" });
    });
    afterAll(async () => {
      await engine.close();
    });

    test.each([
      ["/base/", "the page"],
      ["/base/docs/?x", "the documentation"],
      ["/base/v1/report/a.b", '{"report":true}'],
      ["/base/v1/report/a.b/", '{"report":true}'],
      ["/base/v1/report/a.b/index.json", '{"report":true}'],
      ["/base/badge/%C3%A4%20b.svg", "<svg/>"],
    ])("%s is there", async (path, body) => {
      const answer = await ask(engine.url, path);
      expect([answer.status, answer.body.toString()]).toEqual([200, body]);
      expect(answer.headers["access-control-allow-origin"]).toBe("*");
      expect(answer.headers["cache-control"]).toBe(cacheControl);
    });

    test.each([
      "/base/nothing",
      "/base/no.css",
      "/base/v1/networks/",
      "/base/.mirrorfeed/manifest.json",
      "/base/%2Emirrorfeed/manifest.json",
      "/base/docs%2Findex.html",
      "/",
      "/basement",
    ])("%s is not found, and says so to other origins too", async (path) => {
      const answer = await ask(engine.url, path, { headers: { Origin: "https://example.org" } });
      expect([answer.status, answer.body.toString()]).toEqual([404, jsonText(errorDocuments["not-found"])]);
      expect(answer.headers["content-type"]).toBe("application/json");
      expect(answer.headers["access-control-allow-origin"]).toBe("*");
    });

    test("an error may be kept as long as a document", async () => {
      const { status, headers } = await ask(engine.url, "/base/v1/network/no-such-name");
      expect([status, headers["cache-control"]]).toEqual([403, cacheControl]);
    });
  });

  test("the function looks into the store as little as it can", async () => {
    const looked: string[] = [];
    const edge = loadFunction(serverFile("cloudfront-function.js"), (key) => {
      looked.push(key);
      return key === "alpha" || key === "alpha/main-tools/t1";
    });
    await edge(requestEvent("GET", "/v1/network/alpha/main-tools/t1/1"));
    expect(looked.splice(0)).toEqual(["alpha/main-tools/t1"]);
    await edge(requestEvent("GET", "/v1/network/alpha/no-such-name/t1/1"));
    expect(looked.splice(0)).toEqual(["alpha/no-such-name/t1", "alpha", "alpha/no-such-name"]);
    await edge(requestEvent("GET", "/v1/network/alpha%2Fmain-tools%2Ft1"));
    await edge(requestEvent("POST", "/v1/network/alpha"));
    await edge(requestEvent("GET", `/v1/network/alpha/main-tools/${"x".repeat(600)}`));
    await edge(requestEvent("GET", "/v1/network//alpha"));
    // What can be no key is not asked for, but what stands above it is.
    expect(looked).toEqual(["alpha", "alpha/main-tools"]);
  });
});

describe("the files for CloudFront", () => {
  const source = serverFile("cloudfront-function.js");
  const program = parse(source, { ecmaVersion: "latest", sourceType: "module" });
  const nodes = nodesOf(program);

  test("put nothing into the site", () => {
    expect(cloudfront.siteFiles({ feed: feedConfig.systems, basePath: "" })).toEqual([]);
  });

  test("have one function for all feeds, half as large as it may be", () => {
    expect(serverFile("cloudfront-function.js", manyTargets(100))).toBe(source);
    expect(Buffer.byteLength(source)).toBeLessThan(5_000);
  });

  test("have one key for each name", () => {
    const feed = [
      { system: "a", projects: [{ project: "b", targets: [{ target: "c" }, { target: "d.e" }] }] },
    ];
    expect([...readKeys(serverFile("cloudfront-key-values.json", feed))]).toEqual([
      "a",
      "a/b",
      "a/b/c",
      "a/b/d.e",
    ]);
  });

  test.each([
    [60_000, []],
    [200_000, [/The key-value data has \d{7} bytes, and CloudFront allows 5000000: split the feed/]],
  ])("warn of data that is too large: %i targets", (count, expected) => {
    const warnings = cloudfront.warnings?.({ feed: manyTargets(count), basePath: "", files: 0 });
    expect(warnings).toEqual(expected.map((pattern): unknown => expect.stringMatching(pattern)));
  });

  test("warn of a function that is too large", () => {
    const basePath = `/${"x".repeat(10_000)}`;
    const warnings = cloudfront.warnings?.({ feed: feedConfig.systems, basePath, files: 0 });
    expect(warnings).toEqual([expect.stringMatching(/^The function .* CloudFront allows 10000: publish/)]);
  });

  // https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/functions-javascript-runtime-20.html
  test("use the syntax that the runtime is documented to have", () => {
    const documented = `Program Identifier ImportDeclaration ImportDefaultSpecifier VariableDeclaration
      VariableDeclarator FunctionDeclaration BlockStatement IfStatement ForStatement ReturnStatement
      ExpressionStatement TryStatement CatchClause CallExpression MemberExpression ArrowFunctionExpression
      AssignmentExpression BinaryExpression LogicalExpression UnaryExpression UpdateExpression ConditionalExpression
      AwaitExpression ArrayExpression ObjectExpression Property Literal`.split(/\s+/);
    expect([...new Set(nodes.map(({ type }) => type))].filter((type) => !documented.includes(type))).toEqual(
      [],
    );
    const operators = nodes.flatMap((node) => ("operator" in node ? [node.operator] : []));
    const known = ["=", "===", "!==", "&&", "||", "!", "+", "++", "-", "*", "<", "<=", ">"];
    expect([...new Set(operators)].filter((operator) => !known.includes(operator))).toEqual([]);
    // "async arguments and closures are not supported": functions at the top alone.
    const nested = nodes.filter(
      (node) => "async" in node && node.async && !program.body.some((one) => one === node),
    );
    expect(nested).toEqual([]);
  });

  test("use the globals and methods that the runtime is documented to have", () => {
    const properties = nodes.flatMap((node) => {
      if (node.type === "MemberExpression" && !node.computed) return [node.property];
      return node.type === "Property" && !node.computed && !node.shorthand ? [node.key] : [];
    });
    const declarations: readonly (AnyNode | null | undefined)[] = nodes.flatMap((node) => {
      if (node.type === "VariableDeclarator") return [node.id];
      if (node.type === "FunctionDeclaration") return [node.id, ...node.params];
      if (node.type === "ArrowFunctionExpression") return node.params;
      if (node.type === "CatchClause") return [node.param];
      return node.type === "ImportDefaultSpecifier" ? [node.local] : [];
    });
    const declared = new Set(
      declarations.flatMap((node) => (node?.type === "Identifier" ? [node.name] : [])),
    );
    const free = nodes
      .filter((node) => node.type === "Identifier")
      .filter((node) => !properties.includes(node) && !declared.has(node.name));
    expect([...new Set(free.map(({ name }) => name))].sort()).toEqual([
      "Math",
      "Object",
      "decodeURIComponent",
      "encodeURIComponent",
    ]);

    const methods = nodes.flatMap((node) =>
      node.type === "CallExpression" &&
      node.callee.type === "MemberExpression" &&
      node.callee.property.type === "Identifier"
        ? [node.callee.property.name]
        : [],
    );
    const ofStrings = ["split", "startsWith", "includes", "lastIndexOf"];
    const ofArrays = ["concat", "every", "join", "map", "pop", "slice"];
    const ofOthers = ["kvs", "exists", "min", "keys"];
    const documented = [...ofStrings, ...ofArrays, ...ofOthers];
    expect([...new Set(methods)].filter((name) => !documented.includes(name))).toEqual([]);
  });
});

function nodesOf(node: AnyNode): AnyNode[] {
  const isNode = (value: unknown): value is AnyNode =>
    typeof value === "object" && value !== null && "type" in value;
  return [node, ...Object.values(node).flat().filter(isNode).flatMap(nodesOf)];
}

function manyTargets(count: number): FeedNames {
  const targets = Array.from({ length: count }, (_, index) => ({ target: `t${index}` }));
  return [{ system: "large", projects: [{ project: "all", targets }] }];
}

function serverFile(name: string, feed: FeedNames = feedConfig.systems, basePath = ""): string {
  const places = { listen: { address: "127.0.0.1", port: 0 }, root: "/site", companions: "/edge" };
  const files = cloudfront.serverFiles?.({ feed, basePath, ...places }) ?? [];
  return String(files.find(({ path }) => path === name)?.content);
}

const importFormat = z.strictObject({
  data: z.array(z.strictObject({ key: z.string().min(1).max(512), value: z.string().min(1).max(1024) })),
});

function readKeys(text: string): Set<string> {
  const { data } = importFormat.parse(JSON.parse(text));
  const keys = new Set(data.map(({ key }) => key));
  if (keys.size < data.length) throw new Error("a key stands twice in the data");
  return keys;
}

const header = z.record(z.string(), z.strictObject({ value: z.string() }));
const edgeRequest = z.object({ method: z.string(), uri: z.string().startsWith("/") });
const edgeResponse = z.object({
  statusCode: z.int(),
  headers: header,
  body: z.strictObject({ encoding: z.literal("text"), data: z.string() }).optional(),
});
const edgeAnswer = z.union([edgeResponse, edgeRequest]);

type EdgeFunction = (event: object) => Promise<z.infer<typeof edgeAnswer>>;

/** The function as CloudFront would run it: with its language, a store, and nothing of Node. */
function loadFunction(source: string, exists: (key: string) => boolean): EdgeFunction {
  const store = {
    exists: (key: string) => {
      if (key === "" || Buffer.byteLength(key) > 512) throw new Error(`${key} cannot be a key`);
      return Promise.resolve(exists(key));
    },
  };
  const context = createContext({ cf: { kvs: () => store } });
  runInContext(source.replace('import cf from "cloudfront";', ""), context);
  const handler: (event: object) => Promise<unknown> = runInContext("handler", context);
  return async (event) => edgeAnswer.parse(JSON.parse(JSON.stringify(await handler(event))));
}

function requestEvent(method: string, uri: string, query = ""): object {
  const pairs = query.split("&").filter((pair) => pair !== "");
  const querystring = pairs.map((pair) => {
    const [name = "", ...value] = pair.split("=");
    return [name, { value: value.join("=") }];
  });
  return {
    version: "1.0",
    context: { eventType: "viewer-request" },
    viewer: { ip: "127.0.0.1" },
    request: { method, uri, querystring: Object.fromEntries(querystring), headers: {}, cookies: {} },
  };
}

const types: Record<string, string> = { json: "application/json", html: "text/html", svg: "image/svg+xml" };

/**
 * What CloudFront and S3 do with the settings named in the function: the function gets the path as it was sent; S3
 * decodes it once and looks for that very key; its 404, and that alone, has the custom error response.
 */
async function startStandIn({ root, feed, basePath }: EngineSite): Promise<Engine> {
  const keys = readKeys(serverFile("cloudfront-key-values.json", feed, basePath));
  const edge = loadFunction(serverFile("cloudfront-function.js", feed, basePath), (key) => keys.has(key));
  const bucket = new Set(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [uri = ""] = (request.url ?? "").split("?", 1);
    const query = (request.url ?? "").slice(uri.length + 1);
    const decided = await edge(requestEvent(request.method ?? "", uri, query));
    if ("statusCode" in decided) {
      send(response, decided.statusCode, decided.headers, decided.body?.data ?? "");
      return;
    }
    const file = `${root}${decodeURIComponent(decided.uri)}`;
    const type = { "content-type": { value: types[file.split(".").at(-1) ?? ""] ?? "binary/octet-stream" } };
    if (!bucket.has(file)) {
      const simpleCors =
        request.headers.origin === undefined ? {} : { "access-control-allow-origin": { value: "*" } };
      const page = readFileSync(join(root, "errors/not-found.json"));
      send(response, 404, { "content-type": { value: "application/json" }, ...simpleCors }, page);
      return;
    }
    const found = { statusCode: 200, statusDescription: "OK", headers: type, cookies: {} };
    const shared = edgeResponse.parse(
      await edge({ context: { eventType: "viewer-response" }, response: found }),
    );
    send(response, shared.statusCode, shared.headers, readFileSync(file));
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(503).end(String(error));
    });
  });
  return listenOnLoopback(server);
}

function send(
  response: ServerResponse,
  status: number,
  headers: z.infer<typeof header>,
  body: string | Buffer,
): void {
  for (const [name, { value }] of Object.entries(headers)) response.setHeader(name, value);
  response.writeHead(status).end(body);
}
