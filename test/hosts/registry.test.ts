import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { findHost, hostMarkdown, hosts, hostTableMarkdown } from "../../src/hosts/registry.ts";

/** Without the spaces and dashes that a formatter puts into tables. */
function bare(markdown: string): string {
  return markdown
    .replaceAll(/ *\| */g, "|")
    .replaceAll(/-{3,}/g, "---")
    .replaceAll(/\n{2,}/g, "\n\n")
    .trim();
}

test.each([
  ["README.md", hostTableMarkdown],
  [".github/docs/hosts.md", hostMarkdown],
])("%s has the hosts as the code has them", (file, markdown) => {
  const text = readFileSync(file, "utf8");
  const [, table = ""] = /<!-- hosts: begin -->(.*)<!-- hosts: end -->/s.exec(text) ?? [];
  expect(bare(table)).toBe(bare(markdown()));
});

test.each(hosts.map((host) => [host.name, host] as const))(
  "%s is named as it is registered, and is published to in at most five lines",
  (name, host) => {
    expect(findHost(name)).toBe(host);
    expect(host.publishing.length).toBeGreaterThan(0);
    expect(host.publishing.length).toBeLessThanOrEqual(5);
  },
);
