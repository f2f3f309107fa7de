import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Config } from "../../../src/core/config/config-schema.ts";
import { errorDocuments, jsonText, placesOf } from "../../../src/core/contract/contract.ts";
import type { OpenapiDocument, Operation } from "../../../src/features/openapi/openapi.ts";
import { describeConfig } from "../../support/feed-with.ts";
import { defaultKind, kindNames } from "../../../src/core/kinds/kinds.ts";
import { targetsOf } from "../../../src/core/feed/feed.ts";
import { serveSite } from "../../../src/features/serve/serve.ts";
import { configArbitrary } from "../../support/arbitrary.ts";
import { type Answer, ask } from "../../support/contract/answers.ts";
import { feedConfig } from "../../support/contract/feed.ts";
import { largeConfig } from "../../support/large-feed.ts";
import { configFrom } from "../../support/mirrors-json.ts";
import type { Listening } from "../../support/loopback.ts";
import { startPagesServer } from "../../support/pages-server.ts";
import { publishedFiles, writePublished } from "../../support/published.ts";
import { type HostName, hostNames } from "../../../src/core/config/site-settings.ts";
import { lintOpenapi } from "./lint.js";
import { trials } from "../../support/trials.ts";

function on(host: HostName, config: Config = feedConfig, url?: string): Config {
  return { ...config, site: { ...config.site, host, ...(url === undefined ? {} : { url }) } };
}

/** The returned function validates a value against the schema at a JSON pointer, and returns the errors as text. */
function validator(description: OpenapiDocument): (pointer: string, value: unknown) => string {
  const ajv = new Ajv2020({ strict: true, strictSchema: "log", logger: false });
  ajv.addFormat("date-time", (text: string) => new Date(text).toISOString() === text);
  ajv.addFormat("date", (text: string) => new Date(text).toISOString().slice(0, 10) === text);
  ajv.addFormat("uri", (text: string) => URL.canParse(text));
  ajv.addSchema({ ...description, $id: "feed:openapi" });
  return (pointer, value) => {
    const check = ajv.getSchema(`feed:openapi#${pointer}`);
    if (check === undefined) throw new Error(`The document has no schema at ${pointer}.`);
    return check(value) === true ? "" : ajv.errorsText(check.errors);
  };
}

function pointer(...parts: string[]): string {
  return parts.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** Returns the pointer of a response's schema. */
function schemaOf(path: string, code: string, type: string): string {
  return pointer("paths", path, "get", "responses", code, "content", type, "schema");
}

function operationsOf({ paths }: OpenapiDocument): [path: string, operation: Operation][] {
  return Object.entries(paths).map(([path, { get }]) => [path, get]);
}

/** Returns every object in a document, with its path. */
function walk(value: unknown, path: string): (readonly [string, object])[] {
  if (typeof value !== "object" || value === null) return [];
  return [[path, value], ...Object.entries(value).flatMap(([key, own]) => walk(own, `${path}.${key}`))];
}

const network = "/v1/network/{system}/{project}/{target}";

describe("the document", () => {
  const mirrors = [{ id: 7, name: '<b>"&`', url: "https://a.example.org/?q=%3Cb%3E" }];
  const projects = [{ project: "0", targets: [{ target: "constructor", network: mirrors }] }];
  const hostile = configFrom({
    systems: [{ system: "s".repeat(100), projects }],
    probe: { kind: "http" },
    site: { title: "</script>` ](javascript:0)" },
  });
  const configurations: [string, Config][] = [
    ...hostNames.map((host): [string, Config] => [host, on(host)]),
    ["a URL", on("nginx", feedConfig, "https://status.example.org/")],
    ["a base path", on("github-pages", feedConfig, "https://user.example.org/repository/")],
    ["a large feed", on("nginx", largeConfig(1000))],
    ["hostile texts", hostile],
  ];

  test.each(configurations)("passes a linter: %s", async (_, config) => {
    expect(await lintOpenapi(jsonText(describeConfig(config)))).toEqual([]);
  });

  test("the linter finds an error", async () => {
    const { paths, ...rest } = describeConfig(feedConfig);
    const wrong = { ...rest, paths: { ...paths, "/wrong/{name}": { get: { responses: {} } } } };
    const problems = await lintOpenapi(JSON.stringify(wrong));
    expect(problems.map(([rule]) => rule)).toContain("path-parameters-defined");
  });

  test.each([
    [undefined, "."],
    ["https://status.example.org/", "https://status.example.org"],
    ["https://user.example.org/repository/", "https://user.example.org/repository"],
  ])("of a site at %s has the server %s", (url, server) => {
    const { servers, info } = describeConfig(on("nginx", feedConfig, url));
    expect(servers.map((one) => one.url)).toEqual([server]);
    expect([info.title, info.version]).toEqual([feedConfig.site.title, "1.2.3"]);
  });

  // Compiling schemas takes a while, so there is only one validator for each host. It is made from a feed with all
  // lists, so that it knows all schemas.
  const full = withLists(feedConfig);
  const validators = new Map(hostNames.map((host) => [host, validator(describeConfig(on(host, full)))]));

  test("of any configuration has valid examples, and is the same each time", () => {
    fc.assert(
      fc.property(configArbitrary, fc.constantFrom(...validators), (drawn, [host, check]) => {
        const config = on(host, drawn);
        const description = describeConfig(config);
        for (const [path, { responses }] of operationsOf(description)) {
          for (const [code, { content = {} }] of Object.entries(responses)) {
            for (const [type, { examples = {} }] of Object.entries(content)) {
              const place = schemaOf(path, code, type);
              for (const example of Object.values(examples)) expect(check(place, example.value)).toBe("");
            }
          }
        }
        expect(describeConfig(config)).toEqual(description);
      }),
      { numRuns: trials(20) },
    );
  });

  test("is the same for other names but for its examples, and its size does not grow with the feed", () => {
    const { parameters = [] } = describeConfig(feedConfig).paths[`${network}/`]?.get ?? {};
    expect(parameters).toHaveLength(3);
    for (const { schema } of parameters)
      expect(schema).toEqual({ type: "string", pattern: expect.any(String), maxLength: expect.any(Number) });
    const size = (targets: number): number => jsonText(describeConfig(largeConfig(targets))).length;
    expect(size(2000)).toBe(size(200));
    expect(size(200)).toBeLessThan(64 * 1024);
  });

  test("closes no object and no list of texts, so that generated clients accept a later feed", () => {
    const { schemas } = describeConfig(feedConfig).components;
    const all = Object.entries(schemas).flatMap(([name, schema]) => walk(schema, name));
    for (const [path, one] of all) {
      if ("enum" in one && Array.isArray(one.enum)) expect(one.enum.every(Number.isInteger), path).toBe(true);
      expect(one, path).not.toHaveProperty("additionalProperties");
      expect(one, path).not.toHaveProperty("properties", {});
      // By default, zod adds patterns to formats, and the keywords `$schema` and `$id`.
      if ("format" in one) expect(one, path).not.toHaveProperty("pattern");
      for (const key of ["$schema", "$id"]) expect(one, path).not.toHaveProperty(key);
      if ("description" in one) expect(one.description, path).toMatch(/^\S(?:[^]*\S)?$/);
    }
    const later = { at: new Date(0).toISOString(), status: 0, code: "a_code_of_tomorrow" };
    expect(validator(describeConfig(feedConfig))("/components/schemas/Transition", later)).toBe("");
  });

  test("has the first target and, if a node has one, a country in its examples", () => {
    const text = jsonText(describeConfig(feedConfig));
    expect(text).toContain("https://mirror-1.example.org/alpha/main-tools/t-two/0");
    expect(text).not.toContain("https://mirror-0.example.org/alpha/main-tools/t1/1");
    const countryOf = (config: Config): unknown => {
      const operation = describeConfig(config).paths["/country/{country}/{system}/{project}/{target}.txt"];
      return operation?.get.parameters.find(({ name }) => name === "country")?.example;
    };
    expect([countryOf(feedConfig), countryOf(full)]).toEqual([undefined, "de"]);
  });

  test.each(hostNames)("documents the responses of %s, which may not keep the contract", (host) => {
    const isPages = host === "github-pages";
    const { paths, info } = describeConfig(on(host));
    const statuses = Object.keys(paths[`${network}/{status}/`]?.get.responses ?? {});
    expect(statuses).toEqual(isPages ? ["200", "404"] : ["200", "400", "403"]);
    expect(info.description.includes("This host can't")).toBe(isPages);
  });
});

/** Returns a path filled with the names of each target, and then with one wrong name at a time. */
function requestsOf(path: string): string[] {
  const right = fillings().map((names) => fill(path, names));
  const [names = {}] = fillings();
  const wrong = ["system", "project", "target", "status", "name"]
    .filter((name) => path.includes(`{${name}}`))
    .map((name) => fill(path, { ...names, [name]: "2" }));
  return [...new Set([...right, ...wrong])];
}

function fillings(): Partial<Record<string, string>>[] {
  const errors = Object.keys(errorDocuments);
  const targets = placesOf(feedConfig.systems).filter(({ level }) => level === "target");
  return targets.flatMap(({ place }, index) => {
    const [system, project, target] = place.split("/");
    const name = errors[index % errors.length];
    return ["1", "0"].map((status) => ({ system, project, target, status, name, country: "de" }));
  });
}

function fill(path: string, names: Readonly<Partial<Record<string, string>>>): string {
  return path.replace(/\{(\w+)\}/g, (braced, name: string) => names[name] ?? braced);
}

/** Returns a feed with every list: each node has a country, and all kinds of targets occur. */
function withLists(config: Config): Config {
  const copy = structuredClone(config);
  targetsOf(copy.systems).forEach((target, index) => {
    const kind = kindNames[index % kindNames.length] ?? defaultKind;
    Object.assign(target, { probe: { kind, http: { content: { sha256: "reference" } } } });
    for (const node of target.network) node.country = "DE";
  });
  return copy;
}

function preview(root: string): Promise<Listening> {
  return serveSite(root, { port: 0 });
}

describe.each([
  ["nginx", false, preview, "the preview server", feedConfig],
  ["github-pages", false, startPagesServer, "a stand-in for GitHub Pages", feedConfig],
  ["github-pages", true, startPagesServer, "a stand-in for GitHub Pages", feedConfig],
  ["caddy", false, preview, "the preview server", withLists(feedConfig)],
] as const)("a site for %s, with site.slashless %s,", (host, slashless, start, server, feed) => {
  const plain = on(host, feed);
  const config = { ...plain, site: { ...plain.site, slashless } };
  const description = describeConfig(config);
  const check = validator(description);
  const operations = operationsOf(description);
  let site: Listening;
  beforeAll(async () => {
    site = await start(writePublished(publishedFiles(config)));
  });
  afterAll(() => site.close());

  test.each(operations)(`is answered by ${server} as documented: %s`, async (path, operation) => {
    const statuses = new Set<string>();
    for (const request of requestsOf(path)) {
      const answer = await ask(site.url, request);
      statuses.add(`${answer.status}`);
      expectDocumented(path, operation, request, answer);
    }
    // `4XX` stands for the host's own errors, which never occur on a published site. This one is not signed.
    const documented = Object.keys(operation.responses).filter((code) => code !== "4XX");
    expect([...statuses].toSorted()).toEqual(path.startsWith("/SHA256SUMS") ? ["404"] : documented);
  });

  function expectDocumented(path: string, { responses }: Operation, asked: string, answer: Answer): void {
    const { status, headers, body } = answer;
    const documented = responses[`${status}`];
    const named = `${asked}: ${status}`;
    if (documented?.content === undefined) throw new Error(`${named} is not documented.`);
    const type = (headers["content-type"] ?? "").split(";")[0] ?? "";
    const [[documentedType, { examples = {} }] = ["", {}]] = Object.entries(documented.content);
    if (documentedType !== "*/*") expect(documentedType, named).toBe(type);
    const text = body.toString();
    const value: unknown = type === "application/json" ? JSON.parse(text) : text;
    expect(check(schemaOf(path, `${status}`, documentedType), value), named).toBe("");
    const bodies = Object.values(examples).map((example) => example.value);
    if (status >= 400) expect(bodies, named).toContainEqual(value);
  }
});

test("a body that is not as documented is rejected", () => {
  const check = validator(describeConfig(feedConfig));
  const node = { id: 1, name: "a", url: "https://a.example.org/", status: 1 };
  const target = (more: object): unknown => ({ target: "t", network: [{ ...node, ...more }] });
  expect(check("/components/schemas/Target", target({}))).toBe("");
  expect(check("/components/schemas/Target", target({ more: 1 }))).toBe("");
  for (const wrong of [{ id: 0 }, { status: 2 }, { status: true }, { url: "/a" }])
    expect(check("/components/schemas/Target", target(wrong)), JSON.stringify(wrong)).not.toBe("");
});
