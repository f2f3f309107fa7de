import { readFileSync } from "node:fs";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { desktop, narrow, phone } from "./browser.ts";

const axe = readFileSync("node_modules/axe-core/axe.min.js", "utf8");

/** A color scheme, or forced colors, which replace the page's colors with the system's. */
type Scheme = "light" | "dark" | "forced";

export interface Views {
  readonly sizes: readonly { readonly width: number; readonly height: number }[];
  readonly schemes: readonly Scheme[];
}

/**
 * The dark scheme and forced colors change nothing but colors, so axe checks only colors there. With forced colors, axe
 * compares the page's colors with the system's background.
 */
const rules: Readonly<Record<Scheme, object>> = {
  light: { rules: { "target-size": { enabled: true } } },
  dark: { runOnly: { type: "tag", values: ["cat.color"] } },
  forced: { runOnly: ["color-contrast", "link-in-text-block"] },
};

export const everyView: Views = { sizes: [desktop, phone, narrow], schemes: ["light", "dark", "forced"] };

/** Fails if axe finds a violation, or if the page scrolls sideways. */
export async function examine(tab: Page, { sizes, schemes }: Views): Promise<void> {
  await tab.evaluate(axe);
  for (const [index, viewport] of sizes.entries()) {
    await tab.setViewportSize(viewport);
    const tooWide = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(tooWide, `${tab.url()} at ${viewport.width} px`).toBeLessThanOrEqual(0);
    // Sizes between the widest and the narrowest add no colors, so one scheme is enough for them.
    const isBetween = index > 0 && index < sizes.length - 1;
    for (const scheme of isBetween ? schemes.slice(0, 1) : schemes) {
      await tab.emulateMedia({
        colorScheme: scheme === "dark" ? "dark" : "light",
        forcedColors: scheme === "forced" ? "active" : "none",
      });
      const found = await violations(tab, rules[scheme]);
      expect(found, `${tab.url()} at ${viewport.width} px, ${scheme}`).toEqual([]);
    }
  }
}

/** By default, axe uses all rules except experimental ones. */
async function violations(tab: Page, options: object): Promise<string[]> {
  const settings = JSON.stringify({ ...options, resultTypes: ["violations"], preload: false });
  const { violations: found } = await tab.evaluate<AxeResults>(`axe.run(${settings})`);
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
