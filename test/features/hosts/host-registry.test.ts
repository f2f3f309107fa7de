import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { slashlessHosts } from "../../../src/core/config/site-settings.ts";
import { findHost, hostMarkdown, hosts } from "../../../src/features/hosts/host-registry.ts";

/** Removes the spaces and dashes that a formatter adds to tables. */
function bare(markdown: string): string {
  return markdown
    .replaceAll(/ *\| */g, "|")
    .replaceAll(/-{3,}/g, "---")
    .replaceAll(/\n{2,}/g, "\n\n")
    .trim();
}

test("hosts.md matches the code", () => {
  const text = readFileSync(".github/docs/hosts.md", "utf8");
  const [, table = ""] = /<!-- hosts: begin -->(.*)<!-- hosts: end -->/s.exec(text) ?? [];
  expect(bare(table)).toBe(bare(hostMarkdown()));
});

test.each(hosts.map((host) => [host.name, host] as const))(
  "%s is named as it is registered, and is published to in at most five lines",
  (name, host) => {
    expect(findHost(name)).toBe(host);
    expect(host.publishing.length).toBeGreaterThan(0);
    expect(host.publishing.length).toBeLessThanOrEqual(5);
  },
);

test("the configuration allows site.slashless on the hosts that have pages for it", () => {
  const able = hosts.flatMap(({ name, slashlessPages }) => (slashlessPages === undefined ? [] : [name]));
  expect(slashlessHosts).toEqual(able);
});
