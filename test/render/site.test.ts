import fc from "fast-check";
import { expect, test } from "vitest";
import { listNodes } from "../../src/config/nodes.ts";
import type { Config } from "../../src/config/schema.ts";
import { netlify } from "../../src/hosts/netlify.ts";
import { renderErrors } from "../../src/render/errors.ts";
import { renderNetwork } from "../../src/render/network.ts";
import { renderContract, renderSite } from "../../src/render/site.ts";
import { type SiteFile, treeOf } from "../../src/site-file.ts";
import { advance, statusesOf } from "../../src/state/advance.ts";
import { configArbitrary } from "../config/arbitrary.ts";
import { vantageOf } from "../state/rounds.ts";
import { configOf, noon } from "./playing.ts";

const round = { run: "r1", at: noon, vantages: [vantageOf("default", ["ok", "timeout"])] };

/** The contract alone, and the site with what a round came to. */
function render(config: Config): { contract: SiteFile[]; whole: SiteFile[] } {
  const nodes = listNodes(config);
  const { state, online } = advance(config, nodes, round, undefined);
  const statuses = statusesOf(nodes, state);
  return {
    contract: renderContract(config, statuses),
    whole: renderSite(config, statuses, { state, round, online }),
  };
}

test("the contract is its documents, the errors and what the host needs for its path", () => {
  const config = configOf({ site: { host: "netlify", url: "https://example.org/feed/" } });
  const statuses = statusesOf(listNodes(config), undefined);
  expect(renderContract(config, statuses)).toEqual([
    ...renderNetwork(config, statuses),
    ...renderErrors(),
    ...netlify.siteFiles({ feed: config.systems, basePath: "/feed" }),
  ]);
});

test("a site has all that shows its report beside the contract", () => {
  const { contract, whole } = render(configOf());
  expect(whole.slice(0, contract.length)).toEqual(contract);
  expect(whole.slice(contract.length).map(({ path }) => path)).toEqual(
    expect.arrayContaining([
      "index.html",
      "status/s/p/index.html",
      "v1/report/index.json",
      "openapi.json",
      "docs/index.html",
      "mirrorlist/s/p/t.txt",
      "badge/s/p/t.svg",
      "feed.atom",
      "metrics.txt",
    ]),
  );
});

test("the files of any site can stand beside each other", () => {
  fc.assert(
    fc.property(configArbitrary, (config) => {
      const { whole } = render(config);
      expect(treeOf(whole).files.size).toBe(whole.length);
    }),
    { numRuns: 10 },
  );
});
