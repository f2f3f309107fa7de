import { textOf } from "../../support/text-of.ts";
import { describe, expect, test } from "vitest";
import { errorDocuments, jsonText } from "../../../src/core/contract/contract.ts";
import { vercel } from "../../../src/features/hosts/vercel.ts";
import { ask } from "../../support/contract/answers.ts";
import { describeEngine } from "./engine.ts";
import { largeConfig } from "../../support/large-feed.ts";
import { describeWith } from "../../support/requirement.ts";
import { testRestOfSite } from "./rest-of-site.ts";
import { hasVercel, startVercel } from "./vercel-server.ts";

const encoded = `{system:encoded} {system:lower}/ {system}/{project:encoded} {system}/{project:lower}/
  {system}/{project}/{target:encoded} {system}/{project}/{target:encoded}/ {system}/{project}/{target:lower}
  {system}/{project}/{target}/%30 {system}/{project}/{target}/%30/
  {system}/{project}/{target}/%31 {system}/{project}/{target}/%31/
  {system:encoded}/{project:encoded}/{target:encoded}/%31/`;
const reason = "the path is matched as it was sent, and no name needs percent-encoding";
const cases = encoded.split(/\s+/).map((path) => `GET /v1/network/${path}`);
const exceptions = Object.fromEntries(cases.map((id) => [id, reason]));

describeWith("@vercel/routing-utils, see .ci/install-engines", hasVercel, "vercel", () => {
  describeEngine(vercel, startVercel, { restartsOnRebuild: true, exceptions });
  describe("besides the contract", () => {
    const running = testRestOfSite(vercel, startVercel, { hidden: ["/vercel.json"] });

    test("TRACE is not allowed either", async () => {
      const { status, headers, body } = await ask(running().url, "/base/v1/network/", { method: "TRACE" });
      const expected = [405, "GET, HEAD", jsonText(errorDocuments.method)];
      expect([status, headers.allow, body.toString()]).toEqual(expected);
    });
  });
});

describe("the files for Vercel", () => {
  const routesOf = (targets: number): { src?: string }[] => {
    const [file] = vercel.siteFiles({ feed: largeConfig(targets).systems, basePath: "/status/feed" });
    const parsed: { routes: { src?: string }[] } = JSON.parse(textOf(file));
    return parsed.routes;
  };

  test("have two routes for a few hundred targets, with patterns of at most 4,096 characters", () => {
    expect(routesOf(2).length - routesOf(1).length).toBe(0);
    const routes = routesOf(5000);
    expect(routes.length).toBeLessThan(40);
    const lengths = routes.map(({ src = "" }) => src.length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(4096);
    expect(Math.max(...lengths)).toBeGreaterThan(4000);
  });

  test("warn of more routes than a deployment allows", () => {
    const warningsOf = (count: number): readonly string[] | undefined => {
      const targets = [{ target: "t" }];
      const projects = Array.from({ length: count }, (_, index) => ({ project: `p${index}`, targets }));
      return vercel.warnings?.({ feed: [{ system: "large", projects }], basePath: "", files: 0 });
    };
    expect(warningsOf(500)).toEqual([]);
    expect(warningsOf(600)).toEqual([
      expect.stringMatching(/^vercel\.json has 24\d\d routes, .* allows 2048: merge projects, split/),
    ]);
  });
});
