import { feedWith } from "../../support/feed-with.ts";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { Config } from "../../../src/core/config/config-schema.ts";
import { errorDocuments, jsonText } from "../../../src/core/contract/contract.ts";
import { githubPages } from "../../../src/features/hosts/github-pages.ts";
import { InputError } from "../../../src/core/base/errors.ts";
import { renderContract } from "../../../src/app/render-site.ts";
import { type ContractCase, documentCases } from "../../support/contract/cases.ts";
import { overlay } from "../../../src/core/site/public.ts";
import { writeSite } from "../../../src/core/site/write.ts";
import { treeOf } from "../../../src/core/base/files/site-file.ts";
import { configArbitrary } from "../../support/arbitrary.ts";
import { type Answer, ask, expectAnswer } from "../../support/contract/answers.ts";
import {
  contractCases,
  feedConfig,
  feedDocuments,
  feedFiles,
  feedStatuses,
} from "../../support/contract/feed.ts";
import { halfOnline } from "../../support/large-feed.ts";
import { configFrom } from "../../support/mirrors-json.ts";
import { textsOf } from "../../support/playing.ts";
import type { Listening } from "../../support/loopback.ts";
import { startPagesServer } from "../../support/pages-server.ts";
import { closeAfterFile } from "../../support/close-after-test.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const basePath = "/repository";
const notFound = jsonText(errorDocuments["not-found"]);

/** GitHub Pages also serves each document at the path of its file. */
const inTarget = ["", "/0", "/1"].map((status) => `/{system}/{project}/{target}${status}`);
const filesThemselves = ["", "/{system}", "/{system}/{project}", ...inTarget].map(
  (place) => `GET /v1/network${place}/index.json`,
);

// GitHub Pages can't be run locally, so this server imitates its documented and reported behaviour.
describe("github-pages (a stand-in for the service)", () => {
  const site = servedSite(overlay(feedFiles, githubPages.siteFiles({ feed: feedConfig.systems, basePath })));

  test.each(contractCases)("$id", async (one) => {
    const answer = await ask(site().url, `${basePath}${one.path}`, { method: one.method });
    if (one.expect.kind === "contained") expect(answer.body.toString("latin1")).not.toMatch(/root:|\[core\]/);
    else if (one.expect.kind === "document") await expectDocument(one, answer, site().url);
    else if (one.expect.status === 405) expect(answer.status).toBe(405);
    else if (filesThemselves.includes(one.id)) expect(answer.status).toBe(200);
    else expectNotFound(one, answer);
    expect(answer.headers["access-control-allow-origin"]).toBe("*");
  });
});

describe("the pages for site.slashless", () => {
  test("contain each contract document's JSON, and nothing that begins a tag or an entity", () => {
    fc.assert(
      fc.property(configArbitrary, (config) => {
        const site = { ...config.site, host: "github-pages" as const };
        const files = filesOf({ ...config, site: { ...site, slashless: true } });
        const added = new Map(files);
        for (const path of filesOf({ ...config, site }).keys()) added.delete(path);
        const documents = [...files].filter(([path]) => /^v1\/network\/.*index\.json$/.test(path));
        expect(added.size).toBe(documents.length);
        for (const [path, text] of documents) {
          const page = added.get(path.replace("/index.json", ".html")) ?? "";
          expect(JSON.parse(page)).toEqual(JSON.parse(text));
          expect(page).not.toMatch(/[<>&]/);
        }
      }),
    );
  });

  test("have different paths, whatever names a configuration contains", () => {
    const any = fc.constantFrom<string>("a", "a.html", "a.html.html", "b.html", "index");
    const names = fc.uniqueArray(any, { minLength: 1 });
    fc.assert(
      fc.property(names, names, names, (systems, projects, targets) => {
        let id = 0;
        const network = () => [{ id: (id += 1), url: `https://example.org/${id}` }];
        const list = () => targets.map((target) => ({ target, network: network() }));
        const inProjects = () => projects.map((project) => ({ project, targets: list() }));
        const all = systems.map((system) => ({ system, projects: inProjects() }));
        const written = { site: { slashless: true }, systems: all };
        const collides = [systems, projects, targets].some(
          (all) => all.includes("index") || all.some((name) => all.includes(`${name}.html`)),
        );
        const validate = () => configFrom(written);
        if (collides) {
          expect(validate).toThrow(InputError);
          return;
        }
        const config = validate();
        const { files } = treeOf(renderContract(feedWith(config, halfOnline(config))));
        expect([...files].filter((path) => path.endsWith("/index.html"))).toEqual([]);
      }),
    );
  });

  const config = { ...feedConfig, site: { ...feedConfig.site, slashless: true } };
  const site = servedSite(renderContract(feedWith(config, feedStatuses)));
  const cases = documentCases(config.systems).filter(({ path }) => !path.endsWith("/"));
  test.each(cases)("$id answers without a redirect", async ({ path }) => {
    const { status, headers, body } = await ask(site().url, `${basePath}${path}`);
    expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    const document = feedDocuments.get(`${path.slice(1)}/index.json`)?.toString() ?? "";
    expect(JSON.parse(body.toString())).toEqual(JSON.parse(document));
  });
});

function filesOf(config: Config): Map<string, string> {
  return textsOf(renderContract(feedWith(config, halfOnline(config))));
}

/** Serves a site during the suite. */
function servedSite(files: Parameters<typeof writeSite>[1]): () => Listening {
  let server: Listening;
  beforeAll(async () => {
    const root = join(temporaryFolder("mirrorfeed-pages-"), "site");
    writeSite(root, files);
    server = closeAfterFile(await startPagesServer(root, { basePath }));
  });
  return () => server;
}

/** Expects the document or, if the path has no final slash, a redirect to the document. */
async function expectDocument(one: ContractCase, answer: Answer, url: string): Promise<void> {
  if (/\/(?:\?|$)/.test(one.path)) {
    expectAnswer(one, answer, feedDocuments);
    return;
  }
  expect(answer.status).toBe(301);
  const location = new URL(answer.headers.location ?? "", url);
  expect(location.pathname).toMatch(/\/$/);
  const { method } = one;
  expectAnswer(one, await ask(url, `${location.pathname}${location.search}`, { method }), feedDocuments);
}

function expectNotFound({ method }: ContractCase, { status, headers, body }: Answer): void {
  expect([status, body.toString()]).toEqual([404, method === "HEAD" ? "" : notFound]);
  expect(headers["content-type"]).toBe("text/html; charset=utf-8");
}
