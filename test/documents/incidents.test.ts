import { expect, test } from "vitest";
import { parseNotice, noticeStates } from "../../src/config/notice.ts";
import { listNodes } from "../../src/config/nodes.ts";
import { validateConfig } from "../../src/config/validate.ts";
import { maxNoticeBytes, maxNotices } from "../../src/pipeline/notices.ts";
import { renderFeeds } from "../../src/render/change-feed.ts";
import { certificateDays } from "../../src/state/content-changes.ts";
import { changesKept } from "../../src/state/document.ts";
import { incidentKeptMs, incidentsKept, outagesKept } from "../../src/state/incident-document.ts";
import { reopenMs } from "../../src/state/incidents.ts";
import { blocksOf, loadDocument } from "../support/document.ts";
import { feedWith } from "../support/feed-with.ts";

const guide = loadDocument(".github/docs/incidents.md");
const [sample] = blocksOf(loadDocument("README.md"), "json");
const whole = sample?.text ?? "";

test("the sample is a file that a run takes", () => {
  const [block] = blocksOf(guide, "markdown");
  const nodes = listNodes(validateConfig(whole, "README.md"));
  const file = "public/incidents/new-disks.md";
  const notice = parseNotice(block?.text ?? "", "new-disks", file, nodes, Date.parse("2026-11-21T06:00:00Z"));
  expect(notice).toMatchObject({ state: "resolved", nodes: new Set([5, 6]) });
  expect(notice.markdown).toContain("**No data was lost.**");
  for (const state of noticeStates) expect(guide.text).toContain(`\`${state}\``);
});

test("its limits are those of the program", () => {
  const limits: [number, string][] = [
    [incidentKeptMs / 86_400_000, "for 90 days after its end"],
    [incidentsKept, "at most 500 incidents"],
    [outagesKept, "with 20,000 outages"],
    [reopenMs / 3_600_000, "within six hours"],
    [maxNoticeBytes / 1024, "may have 256 KiB"],
    [maxNotices, "there may be 200"],
    [certificateDays, "within 14 days"],
    [changesKept, "the last 8 changes"],
  ];
  expect(limits.map(([limit]) => limit)).toEqual([90, 500, 20_000, 6, 256, 200, 14, 8]);
  const text = guide.text.replaceAll(/\s+/g, " ");
  for (const [, words] of limits) expect(text).toContain(words);
});

test("each target has feeds of its own if the site asks for them", () => {
  const paths = (site: object): string[] => {
    const config = validateConfig(JSON.stringify({ ...(JSON.parse(whole) as object), site }), "README.md");
    return renderFeeds(feedWith(config, new Map())).map(({ path }) => path);
  };
  const own = ["feed/community/jcb/packages.atom", "feed/community/jcb/packages.json"];
  expect(paths({ targetFeeds: true })).toEqual([...paths({}), ...own]);
});
