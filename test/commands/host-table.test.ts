import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { hostMarkdown } from "../../src/commands/host-table.ts";
import { hosts } from "../../src/hosts/registry.ts";

/** Without the spaces and dashes that a formatter puts into tables. */
function bare(markdown: string): string {
  return markdown
    .replaceAll(/ *\| */g, "|")
    .replaceAll(/-{3,}/g, "---")
    .replaceAll(/\n{2,}/g, "\n\n")
    .trim();
}

test("the README has the table of hosts as `mirrorfeed host --markdown` prints it", () => {
  const readme = readFileSync("README.md", "utf8");
  const [, table = ""] = /<!-- hosts: begin -->(.*)<!-- hosts: end -->/s.exec(readme) ?? [];
  expect(bare(table)).toBe(bare(hostMarkdown(Object.values(hosts))));
});

test.each(Object.entries(hosts))(
  "%s is named as it is registered, and is published to in at most five lines",
  (name, host) => {
    expect(host.name).toBe(name);
    expect(host.publishing.length).toBeGreaterThan(0);
    expect(host.publishing.length).toBeLessThanOrEqual(5);
  },
);
