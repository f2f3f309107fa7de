import { contentOf } from "../../../src/base/files/site-file.ts";
import { expect, test } from "vitest";
import { renderSite } from "../../../src/run/render-site.ts";
import { siteFeed } from "../../bench/site.ts";

/** Returns the bytes of the files of single targets, and of all other files that list nothing on pages. */
function bytesOf(targets: number): { own: number; shared: number } {
  const { config, feed } = siteFeed(targets);
  const sizes = { own: 0, shared: 0 };
  for (const file of renderSite(config, feed)) {
    const bytes = Buffer.byteLength(contentOf(file));
    if (/\/t\d+(?:\/|\.|$)/.test(file.path)) sizes.own += bytes;
    // Pages fold what they list: that of 10,000 targets is hardly larger than that of 400.
    else if (!file.path.endsWith(".html")) sizes.shared += bytes;
  }
  return sizes;
}

// The benchmark measures 10,000 targets, which may have 250 MB in all.
test("a target of four nodes and ninety days has fewer than 24,500 bytes beside its share of other pages", () => {
  const [small, large] = [bytesOf(20), bytesOf(60)];
  const shared = (large.shared - small.shared) / 40;
  expect(Math.round(large.own / 60 + shared)).toBeLessThan(24_500);
});
