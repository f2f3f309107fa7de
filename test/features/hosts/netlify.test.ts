import { describe, expect, test } from "vitest";
import { netlify } from "../../../src/features/hosts/netlify.ts";
import { describeEngine } from "./engine.ts";
import { largeConfig } from "../../support/large-feed.ts";
import { hasNetlify, startNetlify } from "./netlify-server.ts";
import { describeWith } from "../../support/requirement.ts";
import { testRestOfSite } from "./rest-of-site.ts";

/** With more targets than this in one project, there are more than 2,000 rules. */
const maxTargets = 498;

const newlines = `{system}%0A {system}/{project}%0A {system}/{project}/{target}%0A {system}/{project}/{target}/1%0A
  {system}/{project}/{target}/1%0A/ {system}/{project}/{target}/0%0A {system}/{project}/{target}/%0A1`;
const reason = "the matcher finds no rule for a path with a newline: the host's own 404";
const cases = newlines.split(/\s+/).map((path) => `GET /v1/network/${path}`);
const exceptions = Object.fromEntries(cases.map((id) => [id, reason]));

describeWith("netlify-redirector, see .ci/install-engines", hasNetlify, "netlify", () => {
  describeEngine(netlify, startNetlify, {
    manyTargets: maxTargets,
    restartsOnRebuild: true,
    // A rule can't add a final slash, because it would match the path with the slash too. Netlify's "Pretty URLs"
    // setting can't be run here.
    redirectsPages: false,
    exceptions,
  });

  describe("besides the contract", () => {
    testRestOfSite(netlify, startNetlify, { hidden: ["/_redirects", "/_headers"] });
  });
});

test("warns of more rules than Netlify answers fast, four per target", () => {
  const warningsOf = (targets: number): readonly string[] | undefined =>
    netlify.warnings?.({ feed: largeConfig(targets).systems, basePath: "", files: 0 });
  expect(warningsOf(maxTargets)).toEqual([]);
  const warning: unknown = expect.stringMatching(/ 2000 rules, and this feed needs 2002:/);
  expect(warningsOf(maxTargets + 1)).toEqual([warning]);
});
