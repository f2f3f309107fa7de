import { textOf } from "../../support/text-of.ts";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Host } from "../../../src/features/hosts/host.ts";
import { netlify } from "../../../src/features/hosts/netlify.ts";
import { feedConfig } from "../../support/contract/feed.ts";
import { describeEngine, type Engine, type EngineSite } from "./engine.ts";
import { largeConfig } from "../../support/large-feed.ts";
import { hasNetlify, startNetlify } from "./netlify-server.ts";
import { describeWith } from "../../support/requirement.ts";
import { writeServerFiles } from "../../support/server-process.ts";
import { testRestOfSite } from "./rest-of-site.ts";

/** With more targets than this in one project, no rules are written. */
const maxTargets = 498;

const newline = "the matcher finds no rule for a path with a newline: the host's own 404";

describeWith("netlify-redirector, see .ci/install-engines", hasNetlify, "netlify", () => {
  describe("by its rules", () => {
    describeEngine(netlify, (site) => startNetlify(site), {
      manyTargets: maxTargets,
      restartsOnRebuild: true,
      // A rule can't add a final slash, because it would match the path with the slash too. Netlify's "Pretty URLs"
      // setting can't be run here.
      redirectsPages: false,
      exceptions: {
        "GET /v1/network/{system}%0A": newline,
        "GET /v1/network/{system}/{project}%0A": newline,
        "GET /v1/network/{system}/{project}/{target}%0A": newline,
        "GET /v1/network/{system}/{project}/{target}/1%0A": newline,
        "GET /v1/network/{system}/{project}/{target}/1%0A/": newline,
        "GET /v1/network/{system}/{project}/{target}/0%0A": newline,
        "GET /v1/network/{system}/{project}/{target}/%0A1": newline,
      },
    });
  });

  describe("besides the contract", () => {
    testRestOfSite(netlify, (site) => startNetlify(site), { hidden: ["/_redirects", "/_headers"] });
  });

  describe("by its edge function, in Node", () => {
    const withEdge: Host = {
      ...netlify,
      capabilities: { ...netlify.capabilities, methodNotAllowed: "full", rules: "constant" },
    };
    describeEngine(withEdge, startWithEdge, { restartsOnRebuild: true });
  });
});

describe("the files for Netlify", () => {
  test("are an edge function and a netlify.toml that names the folder to publish", () => {
    const files = serverFiles("/srv/out/_site", "");
    expect(files.map(({ path }) => path)).toEqual([
      "netlify.toml",
      "netlify/edge-functions/mirrorfeed.js",
      "netlify/edge-functions/mirrorfeed-pages.js",
    ]);
    expect(files[0]?.content).toContain('publish = "_site"');
    expect(serverFiles("/srv/out/public/status/feed", "/status/feed")[0]?.content).toContain(
      'publish = "public"',
    );
    expect(serverFiles("/srv/out", "")[0]?.content).toContain('publish = "."');
  });

  test("are the same edge function for every feed", () => {
    const [, ...edges] = serverFiles("/srv/out/_site", "");
    for (const { content } of edges) expect(content).not.toMatch(/alpha|main-tools/);
  });

  test("have four rules per target, unless there are too many", () => {
    const rulesOf = (targets: number): number => {
      const [redirects] = netlify.siteFiles({ feed: largeConfig(targets).systems, basePath: "" });
      return textOf(redirects).split("\n").length;
    };
    expect(rulesOf(maxTargets) - rulesOf(maxTargets - 1)).toBe(4);
    expect(rulesOf(maxTargets)).toBeLessThan(2020);
    expect(rulesOf(maxTargets + 1)).toBeLessThan(20);
  });

  test("warn if there would be too many rules", () => {
    const warningsOf = (targets: number): readonly string[] | undefined =>
      netlify.warnings?.({ feed: largeConfig(targets).systems, basePath: "", files: 0 });
    expect(warningsOf(maxTargets)).toEqual([]);
    expect(warningsOf(5000)).toEqual([
      expect.stringMatching(
        /^Netlify would need 20006 rules .* is 2000, .* edge function .* mirrorfeed host netlify/,
      ),
    ]);
  });
});

function serverFiles(root: string, basePath: string): readonly { path: string; content: unknown }[] {
  const listen = { address: "127.0.0.1", port: 8080 };
  const input = { feed: feedConfig.systems, basePath, listen, root, companions: "/srv/out" };
  return netlify.serverFiles?.(input) ?? [];
}

function startWithEdge(site: EngineSite): Promise<Engine> {
  const files = writeServerFiles(netlify, { ...site, scratch: join(site.scratch, "edge") }, 0);
  return startNetlify(
    site,
    files.filter((file) => file.endsWith(".js")),
  );
}
