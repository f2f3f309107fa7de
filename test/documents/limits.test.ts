import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { maxBytes } from "../../src/client/request.ts";
import { maxConfigBytes } from "../../src/config/load.ts";
import { filesPerTarget } from "../../src/hosts/cloudflare.ts";
import { headRoomBytes } from "../../src/http/byte-limit.ts";
import { maxReleaseBytes } from "../../src/kinds/apt.ts";
import { maxListBytes } from "../../src/kinds/samples.ts";
import { maxShards } from "../../src/program/option-values.ts";
import { targetReport } from "../../src/render/report-documents.ts";
import { urlProblem } from "../../src/text/url.ts";
import { timesKept } from "../../src/state/document.ts";
import { siteFeed } from "../bench/site.ts";
import { loadDocument } from "../support/document.ts";

const { text } = loadDocument(".github/docs/limits.md");
const words = text.replaceAll(/\s+/g, " ");

test.each([
  ["read at most % MB of a document", maxBytes / 1_000_000],
  ["A feed may have % shards", maxShards],
  ["and `mirrors.json` % MB", maxConfigBytes / 1024 ** 2],
  ["% MB of the release of an apt archive", maxReleaseBytes / 1024 ** 2],
  ["and % MB of the list of packages", maxListBytes / 1024 ** 2],
  ["25 kB in % files", filesPerTarget],
  ["and % KiB of headers", headRoomBytes / 1024],
  ["come after % later runs", timesKept],
])("the limit of the document is that of the code: %s", (sentence, limit) => {
  expect(words).toContain(sentence.replace("%", limit.toLocaleString("en")));
});

test("the largest targets of the document are below the limit of a reader", () => {
  const { feed } = siteFeed(1);
  const target = feed.systems[0]?.projects[0]?.targets[0];
  if (target === undefined) throw new Error("There is no target.");
  const network = target.nodes.map(({ id, name, url }) => ({ id, name, url, status: 1 }));
  const [, inTarget = "", inReport = ""] =
    /a target of ([\d,]+) mirrors, or the report of one of ([\d,]+)\./.exec(words) ?? [];
  for (const [count, list] of [
    [inTarget, network],
    [inReport, targetReport(target).network],
  ] as const) {
    const each = JSON.stringify(list).length / target.nodes.length;
    expect(each * Number(count.replace(",", ""))).toBeLessThan(maxBytes);
  }
});

test("the size of a site is that of the benchmark", () => {
  const benchmark = readFileSync("test/bench/README.md", "utf8");
  expect(words).toContain("10,000 such targets take 250 MB");
  expect(benchmark).toMatch(
    /^\| size of all \d+ files of the site of 10000 targets of 4 nodes .*\| ≤ 250 MB /m,
  );
});

test.each(["git://git.example.org/a", "ssh://git@git.example.org/a", "git@git.example.org:a"])(
  "%s is not a URL of a mirror",
  (url) => {
    expect(urlProblem(url)).toBeDefined();
  },
);
