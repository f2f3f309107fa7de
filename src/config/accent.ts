import * as z from "zod";
import { contrast, withContrast } from "../base/text/contrast.ts";
import { quote } from "../base/text/quote.ts";
import { strictObject as strict } from "../kinds/strict-object.ts";
import { checkedText } from "./checked-text.ts";

/** The backgrounds of the pages that are nearest to their text: `--veil` of public/assets/status.css. */
export const backgrounds = { light: "#f4f1eb", dark: "#1e1d1b" } as const;

/** Text needs this contrast (WCAG 2.2, success criterion 1.4.3). */
const minContrast = 4.5;

type Scheme = keyof typeof backgrounds;

const mixedWith = { light: "#000000", dark: "#ffffff" } as const;

/** Returns the accent of a scheme that is nearest to a colour and has enough contrast. */
function readable(color: string, scheme: Scheme): string {
  return withContrast(color, backgrounds[scheme], mixedWith[scheme], minContrast);
}

function color(scheme: Scheme) {
  return checkedText((text) => colorProblem(text, scheme)).meta({
    title: "hex colour",
    pattern: "^#(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$",
  });
}

function colorProblem(text: string, scheme: Scheme): string | undefined {
  if (!/^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(text))
    return `${quote(text)} is not a hex colour; write one such as #0b6e50`;
  const ratio = contrast(text, backgrounds[scheme]);
  if (ratio >= minContrast) return undefined;
  // Rounded down, so that no refused colour seems to have enough.
  const shown = (Math.floor(ratio * 100) / 100).toFixed(2);
  return `${quote(text)} has a contrast of ${shown}:1 against the ${scheme} page, and text needs ${minContrast}:1; write ${quote(readable(text, scheme))}`;
}

const both = strict({
  light: color("light")
    .describe("The colour on light pages.")
    .meta({ examples: ["#0b6e50"] }),
  dark: color("dark")
    .describe("The colour on dark pages.")
    .meta({ examples: ["#6ccfaa"] }),
});

/** The schema of `site.accent`: one colour for light pages, or one for each scheme. */
export const accent = z.union([color("light"), both], {
  error: 'must be a hex colour such as #0b6e50, or { "light": "#0b6e50", "dark": "#6ccfaa" }',
});

/** Returns the accent of both schemes. A single colour becomes lighter on dark pages until it can be read. */
export function accentOf(value: z.infer<typeof accent>): Readonly<Record<Scheme, string>> {
  return typeof value === "string" ? { light: value, dark: readable(value, "dark") } : value;
}
