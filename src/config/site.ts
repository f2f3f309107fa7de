import * as z from "zod";
import { strictObject as strict } from "../kinds/strict-object.ts";
import { defaultHost, hostNames, slashlessHosts } from "../hosts/registry.ts";
import { languageNames } from "./languages.ts";
import { quote } from "../base/text/quote.ts";
import { linkUrlProblem, siteUrlProblem } from "../base/text/url.ts";
import { accent } from "./accent.ts";
import { checkedText, label } from "./checked-text.ts";
import { durationKey } from "./duration-key.ts";

const maxLinks = 10;

const timezone = checkedText((text) => {
  if (!/^[+-]/.test(text) && isTimezone(text)) return undefined;
  return `${quote(text)} is not a time zone; write its name in the IANA database, such as Europe/Berlin`;
});

function isTimezone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return true;
  } catch {
    // The only error is a RangeError for an unknown zone.
    return false;
  }
}

const logo = checkedText((text) =>
  /^(?!\/)(?:(?!\.{1,2}\/)[^/\\\s"<>?#%]+\/)*[^/\\\s"<>?#%]+\.(?:svg|png|webp)$/i.test(text)
    ? undefined
    : `${quote(text)} is not the path of a picture below public/; write one that ends with .svg, .png or .webp, such as logo.svg`,
);

/** The schema of `site`: where the site is published, and how its pages look. */
export const site = strict({
  title: label
    .default("Mirror status")
    .describe("The title of the status page and of the change feeds.")
    .meta({ examples: ["Mirrors of Example"] }),
  url: checkedText(siteUrlProblem)
    .meta({ format: "uri", pattern: "^https?://" })
    .exactOptional()
    .describe(
      "The URL that the site is published at, with its path. All hosts but GitHub Pages need it if it has a path.",
    )
    .meta({ title: "URL", examples: ["https://status.example.org/"] }),
  interval: durationKey("1m", "7d")
    .default("30m")
    .describe(
      "The interval between scheduled runs. A feed is valid for at least three of them after its newest run.",
    )
    .meta({ examples: ["15m"] }),
  host: z
    .enum(hostNames)
    .default(defaultHost.name)
    .describe("The host that the site is written for.")
    .meta({ examples: ["nginx"] }),
  slashless: z
    .boolean()
    .default(false)
    .describe(
      `On ${slashlessHosts.join(", ")}: whether paths of the contract without a slash at their end answer as text/html instead of a redirect.`,
    )
    .meta({ examples: [true] }),
  targetFeeds: z
    .boolean()
    .default(false)
    .describe(
      "Whether each target has change feeds of its own, beside those of the site and of each project.",
    )
    .meta({ examples: [true] }),
  language: z
    .enum(languageNames)
    .default("en")
    .describe("The language of the status pages. /docs/ stays in English.")
    .meta({ examples: ["de"] }),
  timezone: timezone
    .default("UTC")
    .describe(
      "The time zone of the times on the pages, by its name in the IANA database. The script shows the reader's own. Days stay UTC.",
    )
    .meta({ title: "time zone", examples: ["Europe/Berlin"] }),
  accent: accent
    .exactOptional()
    .describe(
      "The colour of links and marks: a hex colour, or one for light and one for dark pages. Its contrast must be 4.5:1 or more. A single colour becomes lighter on dark pages.",
    )
    .meta({ examples: ["#7a1fa2"] }),
  logo: logo
    .exactOptional()
    .describe(
      "A picture for the header of the pages: the path of an SVG, PNG or WebP file below public/, which is beside mirrors.json.",
    )
    .meta({ title: "path", examples: ["logo.svg"] }),
  links: z
    .array(
      strict({
        name: label.describe("The text of the link.").meta({ examples: ["Help"] }),
        url: checkedText(linkUrlProblem)
          .meta({ format: "uri", pattern: "^(?:https?://|mailto:)" })
          .describe("Where it leads to, by HTTP, HTTPS or mailto.")
          .meta({ title: "URL", examples: ["https://example.org/help"] }),
      }).meta({ title: "link" }),
    )
    .max(maxLinks)
    .default([])
    .describe("Links to pages of your own. The first three are in the header, the others in the footer."),
});
