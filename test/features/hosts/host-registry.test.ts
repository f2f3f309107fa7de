import { expect, test } from "vitest";
import { slashlessHosts } from "../../../src/core/config/site-settings.ts";
import { loadDocument } from "../../support/document.ts";
import { hosts, hostTable } from "../../../src/features/hosts/host-registry.ts";

test("hosts.md has each host with what it can do, and how to publish there", () => {
  const { text, sections } = loadDocument(".github/docs/hosts.md");
  const [introduction = ""] = text.split("\n### ");
  const rows = introduction.split("\n").filter((line) => line.startsWith("| "));
  const cells = rows.map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  expect(cells.filter(([cell]) => !/^-+$/.test(cell ?? ""))).toEqual(hostTable());
  expect(sections.map(({ heading }) => heading)).toEqual(
    expect.arrayContaining(hosts.map(({ title }) => title)),
  );
});

test("the configuration allows site.slashless on the hosts that have pages for it", () => {
  const able = hosts.flatMap(({ name, slashlessPages }) => (slashlessPages === undefined ? [] : [name]));
  expect(slashlessHosts).toEqual(able);
});
