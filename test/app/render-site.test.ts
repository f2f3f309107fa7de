import { textOf } from "../support/text-of.ts";
import type { Feed } from "../../src/core/feed/feed.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { listNodes } from "../../src/core/config/nodes.ts";
import type { Config } from "../../src/core/config/config-schema.ts";
import { loadDocument } from "../support/document.ts";
import { netlify } from "../../src/features/hosts/netlify.ts";
import { renderErrors, renderNetwork } from "../../src/core/contract/network.ts";
import { renderContract, renderSite } from "../../src/app/render-site.ts";
import { isFeedData } from "../../src/core/site/public.ts";
import { hosts } from "../../src/features/hosts/host-registry.ts";
import { configArbitrary } from "../support/arbitrary.ts";
import { vantageOf } from "../support/rounds.ts";
import { largeConfig } from "../support/large-feed.ts";
import { configOf, noon, textsOf } from "../support/playing.ts";
import { trials } from "../support/trials.ts";
import type { FeedNode } from "../../src/core/feed/feed-node.ts";
import { advanceState, resolveRound } from "../../src/app/advance-feed.ts";

const round = { run: "r1", at: noon, vantages: [vantageOf("default", ["ok", "timeout"])] };

function pathsOf(config: Config): string[] {
  const nodes = listNodes(config);
  const feed = resolveRound(config, nodes, round, advanceState(config, nodes, round, undefined));
  return renderSite(config, feed).map(({ path }) => path);
}

test("the contract is its documents, the errors and what the host needs for its path", () => {
  const config = configOf({ site: { host: "netlify", url: "https://example.org/feed/" } });
  const feed = resolveRound(config, listNodes(config), round, { state: undefined, online: [] });
  const parts = [
    ...renderNetwork(feed),
    ...renderErrors(),
    ...netlify.siteFiles({ feed: config.systems, basePath: "/feed" }),
  ];
  expect([...textsOf(renderContract(feed))]).toEqual([...textsOf(parts)]);
});

test("what is written for any site is data of the feed, a page or its look, or a file of the host", () => {
  fc.assert(
    fc.property(configArbitrary, fc.constantFrom(...hosts), (config, host) => {
      const look = { accent: "#7a1fa2", slashless: host.slashlessPages !== undefined };
      const site = { ...config.site, host: host.name, ...look };
      const paths = pathsOf({ ...config, site });
      const own = host.siteFiles({ feed: config.systems, basePath: "" }).map(({ path }) => path);
      const looks = /^(?:.*\/)?index\.html$|^site\.webmanifest$|^sitemap\.xml$|^assets\/site\.css$/;
      const isLook = (path: string): boolean => own.includes(path) || looks.test(path);
      expect(paths.filter((path) => isFeedData(path) === isLook(path))).toEqual([]);
    }),
    { numRuns: trials(20) },
  );
});

test("a file of a target is made only when it is read, and from that target alone", () => {
  const config = largeConfig(3);
  const feed = resolveRound(config, listNodes(config), round, { state: undefined, online: [] });
  const read: string[] = [];
  const observed = spyOnDays(feed, (place) => read.push(place));
  const files = renderSite(config, observed);
  expect(read).toEqual([]);
  for (const path of ["v1/report/large/all/t1/index.json", "status/large/all/t1/index.html"]) {
    read.length = 0;
    expect(textOf(files.find((file) => file.path === path))).toContain("t1");
    expect(new Set(read)).toEqual(new Set(["large/all/t1"]));
  }
});

/** Wraps a feed so that it calls `onRead` for each target whose days are read. */
function spyOnDays(feed: Feed, onRead: (place: string) => void): Feed {
  const spyNode = (node: FeedNode): FeedNode => ({
    ...node,
    days: () => {
      onRead(node.target.place);
      return node.days();
    },
  });
  const systems = feed.systems.map(({ system, projects }) => ({
    system,
    projects: projects.map((project) => ({
      ...project,
      targets: project.targets.map((target) => ({ ...target, nodes: target.nodes.map(spyNode) })),
    })),
  }));
  return { ...feed, systems };
}

test("a site has as many files for each target as the steps for Cloudflare say", () => {
  const counts = [1, 2, 5].map((targets) => pathsOf(largeConfig(targets)).length);
  const [one = 0, two = 0] = counts;
  expect(counts).toEqual([one, two, one + 4 * (two - one)]);
  expect(loadDocument(".github/docs/hosts.md").text).toContain(`Each target needs ${two - one} files.`);
});
