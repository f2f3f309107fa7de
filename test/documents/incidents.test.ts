import { expect, test } from "vitest";
import { parseNotice, noticeStates } from "../../src/config/notice.ts";
import { listNodes } from "../../src/config/nodes.ts";
import { validateConfig } from "../../src/config/validate.ts";
import { renderFeeds } from "../../src/outputs/changes/change-feed.ts";
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

test("each target has feeds of its own if the site asks for them", () => {
  const paths = (site: object): string[] => {
    const config = validateConfig(JSON.stringify({ ...(JSON.parse(whole) as object), site }), "README.md");
    return renderFeeds(feedWith(config, new Map())).map(({ path }) => path);
  };
  const own = ["feed/community/jcb/packages.atom", "feed/community/jcb/packages.json"];
  expect(paths({ targetFeeds: true })).toEqual([...paths({}), ...own]);
});
