import { expect, test } from "vitest";
import { slashlessHosts } from "../../../src/core/config/site-settings.ts";
import type { FeedNames } from "../../../src/core/contract/contract.ts";
import { feedConfig } from "../../support/contract/feed.ts";
import { largeConfig } from "../../support/large-feed.ts";
import { loadDocument } from "../../support/document.ts";
import { hosts, hostTable } from "../../../src/features/hosts/host-registry.ts";

test("hosts.md has each host with what it can do, and how to publish there", () => {
  const { text, sections } = loadDocument(".github/docs/hosts.md");
  const [introduction = ""] = text.split("\n### ");
  const rows = introduction.split("\n").filter((line) => line.startsWith("| "));
  const cells = rows.map((row) =>
    row
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
  expect(cells.filter(([cell]) => !/^-+$/.test(cell ?? ""))).toEqual(hostTable());
  expect(sections.map(({ heading }) => heading)).toEqual(
    expect.arrayContaining(hosts.map(({ title }) => title)),
  );
});

test.each(hosts.filter(({ capabilities }) => capabilities.rules === "constant"))(
  "the files for $title are the same for every feed",
  ({ siteFiles, serverFiles }) => {
    const filesOf = (feed: FeedNames) => {
      const listen = { address: "127.0.0.1", port: 80 };
      const input = { feed, basePath: "/a", root: "/srv/site", companions: "/etc/mirrorfeed", listen };
      return [...siteFiles(input), ...(serverFiles?.(input) ?? [])];
    };
    const files = filesOf(largeConfig(50).systems);
    expect(files).toEqual(filesOf(feedConfig.systems));
    expect(files.length).toBeGreaterThan(0);
  },
);

test("the configuration allows site.slashless on the hosts that have pages for it", () => {
  const able = hosts.flatMap(({ name, slashlessPages }) => (slashlessPages === undefined ? [] : [name]));
  expect(slashlessHosts).toEqual(able);
});
